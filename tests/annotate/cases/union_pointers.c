// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Pointers out of unions of one type meet, or NULL, and results have such a union in a register.
// RULES: union-pointer
// RUN: gcc

struct text { struct text *next; char mark; char bytes[7]; };
struct object { int kind, mark; long count; struct object *proto; };

struct value {
	union { double number; struct text *text; struct object *object; } u;
	long tag;
};
struct pair { long reserved; struct value key, value; };

extern struct value pop(void);
extern void fill(struct value *value);

int popped_mark(void)
{
	return pop().u.object->mark; // EXPECT: struct object +4 (mark)
}

int either_mark(const struct value *a, const struct pair *b)
{
	struct value v;

	if (a)
		v.u = a->u; // EXPECT: struct value +0 (u.object)
	else
		v.u = b->value.u; // EXPECT: struct pair +24 (value.u.object)
	return v.u.object->mark; // EXPECT: struct object +4 (mark)
}

int last_mark(const struct value *values, long count)
{
	struct value last = { .u.object = 0 };

	for (long i = 0; i < count; i++)
		if (values[i].tag == 6) // EXPECT: struct value +8 (tag)
			last.u = values[i].u; // EXPECT: struct value +0 (u.object)
	return last.u.object ? last.u.object->mark : 0; // EXPECT: struct object +4 (mark)
}
