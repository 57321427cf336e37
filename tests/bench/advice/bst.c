// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A binary search tree whose nodes carry a name between the key and the children.
 *
 * case: node reorder 600 9000000
 * case: node reorder 300000 500000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct node {
	long key;
	struct node *left, *right;
	char name[80];
};
#else
struct node {
	long key;
	char name[80];
	struct node *left, *right;
};
#endif
static struct node *root;
__attribute__((noinline)) static struct node *find(struct node *node, long key)
{
	while (node && node->key != key)
		node = key < node->key ? node->left : node->right;
	return node;
}
static void insert(struct node *node)
{
	struct node **at = &root;
	while (*at)
		at = node->key < (*at)->key ? &(*at)->left : &(*at)->right;
	*at = node;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long x = 1, mask = 1;
	while (mask < (unsigned long)n)
		mask *= 2;
	for (long i = 0; i < n; i++) {
		struct node *node = calloc(1, sizeof(*node));
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		node->key = (long)(x >> 33 & (4 * mask - 1));
		insert(node);
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		struct node *node = find(root, (long)(x >> 33 & (4 * mask - 1)));
		sum += node ? node->key : 1;
	}
	printf("%ld\n", sum);
}
