// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Without optimization each variable is in memory, and is loaded before each use.
// RUN: gcc clang -O0

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

long walk(struct node *n)
{ // EXPECT: struct node* +0
	long sum = 0; // EXPECT: long...

	for (; n; n = n->next) // EXPECT: struct node* +0; struct node +0 (next)
		sum += n->key; // EXPECT: struct node* +0; struct node +8 (key); long...
	return sum; // EXPECT: long...
}
