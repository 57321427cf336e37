// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record that is not in memory, and to which a pointer was passed: DW_OP_implicit_pointer and pieces.

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};
struct pair {
	struct node *first, *second;
};

static inline __attribute__((always_inline)) long sum(const struct pair *p)
{
	return p->first->key + p->second->value;
	// EXPECT: struct node +16 (value); struct node +8 (key) EXPECT gcc: struct node +0 (next)
}

long use(struct node *a, struct node *b)
{
	struct pair p = { a->next, b->next }; // EXPECT clang: struct node +0 (next)

	return sum(&p);
}
