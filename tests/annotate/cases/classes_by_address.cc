// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Classes whose copies or ends run code are passed and returned by their address.
// BEFORE: clang 21
// RUN: g++
// RUN whole: clang++ -O2 -std=c++17 -fstandalone-debug
// RUN declared: clang

struct node {
	node *next;
	long key;
	int value;
};

/* One word, but its destructor is written out. */
class owner {
public:
	owner(owner &&other);
	~owner();
	node *object;
	long uses() const;
};

struct two_owners {
	long count;
	owner first;
};

/* Two words, copied as such. */
struct view {
	node *first;
	long length;
};

owner make_owner(node *from, long key);
two_owners make_two(node *from);
view make_view(node *from);
long take(owner o, node *beside);

/* The result is in memory whose address is the first argument; `from` is the second. If the class
 * is only declared, nothing says which of the two is the first. */
long of_result(node *from)
{
	owner made = make_owner(from, from->key); // EXPECT: node +8 (key)

	return made.object->value;
	// EXPECT: node +16 (value); owner +0 (object)
	// EXPECT declared: none (nothing known of the base register); (stack spill)
}

long of_results_member(node *from)
{
	two_owners made = make_two(from);

	return made.count + made.first.object->key;
	// EXPECT: node +8 (key); two_owners +0 (count); two_owners +8 (first.object)
	// EXPECT declared: two_owners +0 (count); none (nothing known of the base register); two_owners +8...
}

/* This one comes back in registers. */
long of_view(node *from)
{
	view made = make_view(from);

	return made.first->key + made.length; // EXPECT: node +8 (key)
}

long of_parameter(owner o, node *beside)
{
	return o.object->value + beside->key;
	// EXPECT: node +16 (value); node +8 (key); owner +0 (object)
	// EXPECT declared: none; node +8 (key)
}
