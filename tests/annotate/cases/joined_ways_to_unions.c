// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An access that all ways to another one make, to the same object, tells the member of that one, too, if it reads: a store may make the object another one. A way on which the register gets another object tells nothing.
// RUN: gcc clang

struct value {
	long kind;
	union {
		struct {
			const char *bytes;
			unsigned long length;
		} text;
		struct {
			struct value *next;
			unsigned long hash;
		} list;
	} u;
};

void take_bytes(const char *bytes);
void say(const char *what);

long length_of(struct value *v, long loud)
{
	take_bytes(v->u.text.bytes); // EXPECT: struct value +8 (u.text.bytes)
	if (loud)
		say("length");
	loud += v->u.text.length; // EXPECT: struct value +16 (u.text.length)
	say("end");
	return loud;
}

unsigned long length_in_loop(struct value *v, int count)
{
	unsigned long sum = 0;

	take_bytes(v->u.text.bytes); // EXPECT: struct value +8 (u.text.bytes)
	for (int i = 0; i < count; i++) {
		sum += v->u.text.length; // EXPECT: struct value +16 (u.text.length)
		if (sum > 100)
			say("long");
	}
	return sum;
}

void make_list(struct value *v, int loud, unsigned long number)
{
	take_bytes(v->u.text.bytes); // EXPECT: struct value +8 (u.text.bytes)
	if (loud)
		say("list");
	v->u.list.hash = number; // EXPECT: struct value +16 (u)
	say("made");
}

unsigned long hash_of(struct value *v, struct value *other)
{
	unsigned long number;

	take_bytes(v->u.text.bytes); // EXPECT: struct value +8 (u.text.bytes)
	if (other) {
		say("other");
		v = other;
	}
	number = v->u.list.hash; // EXPECT: struct value +16 (u)
	say("hash");
	return number;
}
