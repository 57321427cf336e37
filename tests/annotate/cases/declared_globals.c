// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A variable is only declared here, and defined in another object.
// RUN: gcc

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

extern struct node *elsewhere;

long key(void)
{
	return elsewhere->key; // EXPECT: struct node** +0; struct node* +0; struct node +8 (key)
}
