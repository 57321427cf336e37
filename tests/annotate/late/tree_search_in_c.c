// SPDX-License-Identifier: GPL-2.0-or-later
/* A search in a tree, as the compiler writes it. */
#include "node.h"

struct node *f(struct node *n, long key)
{
	while (n && n->key != key)
		n = key < n->key ? n->left : n->right;
	return n;
}
