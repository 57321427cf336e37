// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A value that each branch of a switch casts to another class has the type that one branch tells in that branch alone.
// RUN: g++
struct object {
	unsigned kind, uses;
};

struct text : object {
	unsigned length, hash;
};

struct array : object {
	unsigned count, room;
	unsigned long *items;
};

struct number : object {
	double amount;
};

struct value {
	unsigned long bits;

	object *get() const { return reinterpret_cast<object *>(bits & ~7ul); }
	template <class T> T *as() const { return static_cast<T *>(get()); }
};

long hash_of(value v)
{
	switch (v.get()->kind) { // EXPECT: array +0...
	case 1: return v.as<text>()->hash; // EXPECT: none
	case 3: return long(v.as<number>()->amount); // EXPECT: none
	case 2: {
		array *a = v.as<array>();
		long sum = a->count; // EXPECT: array +8 (count)

		for (unsigned i = 0; i < a->count; i++) // EXPECT: array +16 (items)
			sum = sum * 31 + a->items[i]; // EXPECT: long unsigned int +0
		return sum;
	}
	}
	return v.get()->uses; // EXPECT: none
}
