// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: LLVM makes an index from a condition that chooses between two members side by side.
// RULES: either-member

struct node {
	long key;
	struct node *left, *right;
	long hits;
};

struct node *get(struct node *n, long key)
{
	while (n && n->key != key) // EXPECT: struct node +0 (key)
		n = key < n->key ? n->left : n->right;
		// EXPECT clang: struct node* +0 MAY gcc: struct node +8 (left); struct node +16 (right)
	return n;
}
