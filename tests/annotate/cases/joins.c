// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Paths that meet with two members of the same type agree on the type that these point to.
// RUN: gcc

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};
struct pair {
	struct node *first, *second;
};

long pick(struct pair *p, int c)
{
	struct node *n = c ? p->first : p->second;
	// EXPECT: struct pair +8 (second); struct pair +0 (first)

	return n ? n->key : 0; // EXPECT: struct node +8 (key)
}
