// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The size of an access chooses among the members of a union.

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

struct value {
	int kind;
	union {
		struct node *n;
		double d;
		int i;
	} u;
};

long key(struct value *v)
{
	return v->kind == 1 ? v->u.n->key : v->u.i;
	// EXPECT: struct value +0 (kind); struct value +8 (u.i); struct value +8 (u.n)
	// EXPECT: struct node +8 (key)
}
