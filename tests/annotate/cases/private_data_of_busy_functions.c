// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An inline function takes one record and returns another, but does something else in between: its result is not taken for the private data of the first.
// RUN: gcc

struct op {
	struct op *next;
	long flags, kind, count;
};

struct value {
	void *any;
	int refs;
};

extern struct op *current;
extern struct value **stack;

static inline struct op *finish(struct value *v)
{
	struct value **top = stack;

	*top = v;
	stack = top + 1;
	return current->next;
}

struct op *run(struct value *v)
{
	return finish(v);
}

struct body {
	long length, size, used, number;
};

long number(struct value *v)
{
	return ((struct body *)v->any)->number; // EXPECT: struct value +0 (any); none
}
