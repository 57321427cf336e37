// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hash table with chains.
 *
 * case: entry reorder 200 20000000
 * case: entry reorder 400000 2000000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct entry {
	long key;
	struct entry *next;
	char value[104];
};
#else
struct entry {
	long key;
	char value[104];
	struct entry *next;
};
#endif
static struct entry **table;
static long buckets;
#define HASH(key) ((key)*0x9E3779B97F4A7C15UL >> 20)
__attribute__((noinline)) static struct entry *find(long key)
{
	struct entry *e = table[HASH(key) % buckets];
	while (e && e->key != key)
		e = e->next;
	return e;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), s = 0;
	unsigned long x = 1;
	buckets = n / 4 + 1;
	table = calloc(buckets, sizeof(*table));
	for (long i = 0; i < n; i++) {
		struct entry *e = malloc(sizeof(*e));
		e->key = i;
		e->next = table[HASH(i) % buckets];
		table[HASH(i) % buckets] = e;
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		x = x * 6364136223846793005UL + 1;
		struct entry *e = find((x >> 33) % n);
		s += e ? e->key : 0;
	}
	printf("%ld\n", s);
}
