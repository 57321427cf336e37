// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The unlikely part of a function lies elsewhere, and values flow into it.
// RUN: gcc -freorder-blocks-and-partition

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

void complain(long, int) __attribute__((cold));

long use(struct node *n, int c)
{
	struct node *m = n->next; // EXPECT: struct node +0 (next)

	if (c) {
		complain(m->key, m->flags); // EXPECT: struct node +20 (flags); struct node +8 (key)
		return m->value; // EXPECT: struct node +16 (value)
	}
	return n->key; // EXPECT: struct node +8 (key)
}
