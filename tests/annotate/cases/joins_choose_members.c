// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The addresses of two members meet in a join, and one load reads either.
// RUN: clang

struct node {
	long key;
	struct node *left, *right;
	long hits;
};

// EXPECT-IN find: struct node* +0
struct node *find(struct node *n, long key)
{
	while (n) {
		if (key < n->key) // EXPECT: struct node +0 (key)
			n = n->left; // MAY: struct node +8 (left)
		else if (key > n->key)
			n = n->right; // MAY: struct node +16 (right)
		else
			break;
	}
	return n;
}
