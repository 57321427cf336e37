// SPDX-License-Identifier: GPL-2.0-or-later
/* A hash table with chains. */
#include "node.h"

struct table {
	unsigned long mask;
	struct node **buckets;
};

struct node *f(struct table *t, long key)
{
	struct node *n = t->buckets[key & t->mask];
	while (n && n->key != key)
		n = n->next;
	return n;
}
