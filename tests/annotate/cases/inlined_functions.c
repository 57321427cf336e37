// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Parameters and variables of inlined functions, in nested scopes.
// RUN: gcc

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

static inline __attribute__((always_inline)) long key_of(const void *v)
{
	const struct node *n = v;

	{
		const struct node *m = n->next; // EXPECT: void* +0

		return m->key; // EXPECT: struct node +0 (next)
	}
}

long use(void **all, int i)
{
	return key_of(all[i]); // EXPECT: struct node +8 (key)
}
