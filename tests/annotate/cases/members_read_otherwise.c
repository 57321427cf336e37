// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The unit stores pointers to one record in a pointer to void, but reads something through it that this record does not have: other types are there, too, and nothing is known.
// RUN: gcc clang

struct head {
	struct head *any;
	unsigned int refs, flags;
};

struct body {
	long stash, magic, current, size, number;
};

/* Free heads are chained through the member. */
struct value {
	void *any;
	unsigned int refs, flags;
};

struct head *free_heads;

void release(struct value *v, struct head *chain)
{
	v->any = chain;
	v->refs = 0;
}

#define body_of(v) ((struct body *)(v)->any)

long number(struct value *v)
{
	return body_of(v)->number; // EXPECT: struct value +0 (any); none
}

/* It may be the chain's pointer, but is not. */
long stash(struct value *v)
{
	return body_of(v)->stash; // EXPECT: struct value +0 (any); none
}
