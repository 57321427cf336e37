// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hash table with lists, whose entries have their hash near the end.
 *
 * case: symbol reorder 300000 1500000
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef NEW
struct symbol {
	struct symbol *next;
	unsigned hash;
	int kind;
	char name[32];
	char file[64];
	long line;
	long value;
};
#else
struct symbol {
	struct symbol *next;
	char name[32];
	char file[64];
	long line;
	long value;
	unsigned hash;
	int kind;
};
#endif
static struct symbol **buckets;
static unsigned mask;
__attribute__((noinline)) static struct symbol *find(unsigned hash)
{
	struct symbol *s = buckets[hash & mask];
	while (s && s->hash != hash)
		s = s->next;
	return s;
}
int main(int argc, char **argv)
{
	unsigned n = (unsigned)atol(argv[1]), seed = 1;
	long sum = 0;
	mask = 65535;
	buckets = calloc(mask + 1, sizeof(*buckets));
	for (unsigned i = 0; i < n; i++) {
		unsigned hash = i * 2654435761u;
		struct symbol *s = calloc(1, sizeof(*s));
		hash ^= hash >> 15;
		s->hash = hash, s->kind = (int)(i % 5);
		s->next = buckets[hash & mask], buckets[hash & mask] = s;
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		seed = seed * 1664525u + 1013904223u;
		unsigned i = (unsigned)(((unsigned long)seed * n) >> 32), hash = i * 2654435761u;
		hash ^= hash >> 15;
		struct symbol *s = find(hash);
		sum += s ? s->kind : 0;
	}
	printf("%ld\n", sum);
}
