// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hash table with chains, whose entries count how often they are found.
 *
 * case: word reorder 200000 3000000
 * case: word reorder 300 16000000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct word {
	struct word *next;
	unsigned long key;
	long hits;
	char text[104];
};
#else
struct word {
	struct word *next;
	unsigned long key;
	char text[104];
	long hits;
};
#endif
static struct word **buckets;
__attribute__((noinline)) static long count(unsigned long mask, unsigned long key)
{
	for (struct word *w = buckets[(key * 0x9e3779b97f4a7c15ul >> 20) & mask]; w; w = w->next)
		if (w->key == key)
			return ++w->hits;
	return 0;
}
int main(int argc, char **argv)
{
	unsigned long n = atol(argv[1]), size = 1, seed = 1;
	long sum = 0;
	while (size < n)
		size *= 2;
	buckets = calloc(size, sizeof(*buckets));
	for (unsigned long k = 0; k < n; k++) {
		struct word *w = calloc(1, sizeof(*w)),
			    **b = &buckets[(k * 0x9e3779b97f4a7c15ul >> 20) & (size - 1)];
		w->key = k, w->next = *b, *b = w;
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		sum += count(size - 1, (seed >> 33) % n);
	}
	printf("%ld\n", sum);
}
