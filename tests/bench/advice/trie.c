// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trie of numbers by their digits, whose nodes have a text between the count and the children.
 *
 * case: branch reorder 200 12000000
 * case: branch reorder 200000 2500000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct branch {
	long count;
	struct branch *child[4];
	char text[72];
	long value;
};
#else
struct branch {
	long count;
	char text[72];
	long value;
	struct branch *child[4];
};
#endif
static struct branch *root;
__attribute__((noinline)) static long visit(unsigned long key)
{
	long sum = 0;
	for (struct branch *branch = root; branch; branch = branch->child[key & 3], key >>= 2)
		sum += branch->count;
	return sum;
}
static void add(unsigned long key)
{
	struct branch **at = &root;
	for (; *at; key >>= 2) {
		(*at)->count++;
		at = &(*at)->child[key & 3];
	}
	*at = calloc(1, sizeof(**at));
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long x = 1;
	for (long i = 0; i < n; i++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		add(x >> 30);
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		sum += visit(x >> 30);
	}
	printf("%ld\n", sum);
}
