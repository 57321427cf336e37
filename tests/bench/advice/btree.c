// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Descent in a B-tree of 15 keys a node, with the values beside the keys.
 *
 * case: page reorder 400000 4000000
 * case: page reorder 600 30000000
 */
#include <stdio.h>
#include <stdlib.h>
#define KEYS 15
#ifdef NEW
struct page {
	unsigned count, leaf;
	long keys[KEYS];
	struct page *child[KEYS + 1];
	struct page *parent;
	long version, written;
	char values[KEYS][24];
};
#else
struct page {
	unsigned count;
	char values[KEYS][24];
	long keys[KEYS];
	long version, written;
	struct page *parent;
	struct page *child[KEYS + 1];
	unsigned leaf;
};
#endif
static struct page *build(long low, long step, int depth, struct page *parent)
{
	struct page *p = calloc(1, sizeof(*p));
	p->parent = parent;
	p->leaf = depth == 0;
	p->count = KEYS;
	for (int i = 0; i < KEYS; i++)
		p->keys[i] = low + (i + 1) * step;
	for (int i = 0; i <= KEYS && depth; i++)
		p->child[i] = build(low + i * step, step / (KEYS + 1), depth - 1, p);
	return p;
}
__attribute__((noinline)) static struct page *find(struct page *p, long key)
{
	for (;;) {
		unsigned i = 0;
		while (i < p->count && p->keys[i] < key)
			i++;
		if (p->leaf)
			return p;
		p = p->child[i];
	}
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), step = 1, sum = 0;
	int depth = 0;
	unsigned long seed = 3;
	struct page *root;
	for (long pages = 1; pages * KEYS < n; pages *= KEYS + 1) {
		step *= KEYS + 1;
		depth++;
	}
	root = build(0, step, depth, NULL);
	for (long k = atol(argv[2]); k; k--) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		sum += find(root, (long)((seed >> 20) % (unsigned long)(step * (KEYS + 1))))
			       ->keys[0];
	}
	printf("%ld\n", sum);
}
