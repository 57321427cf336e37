// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The addresses of two members meet in a join, and the pointer there is read.

struct node {
	long key;
	struct node *left, *right;
	long hits;
};

struct node *find(struct node *n, long key)
{
	struct node **link;

	for (; n; n = *link) { // EXPECT: struct node +8 (left) MAY: struct node +16 (right)
		if (n->key == key) // MAY: struct node +0 (key)
			return n;
		link = key < n->key ? &n->left : &n->right; // MAY: struct node +0 (key); struct node +8 (left)
	}
	return n;
}
