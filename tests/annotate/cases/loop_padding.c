// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Padding before an aligned loop is not a path into it.
// RUN: gcc clang -falign-labels=32

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};
struct pair {
	struct node *first, *second;
};

long pick(struct pair *p, int i)
{
	if (i > 0)
		return p->first->key; // EXPECT: struct pair +0 (first); struct node +8 (key)
	if (i < -100)
		return p->second->key + p->first->value;
		// EXPECT: struct pair +8 (second); struct node +16 (value); struct node +8 (key)
		// MAY: struct pair +0 (first)
	for (struct node *n = p->first; n; n = n->next) // MAY: struct node +0 (next); struct pair +0 (first)
		i += n->flags; // EXPECT: struct node +20 (flags)
	return i;
}
