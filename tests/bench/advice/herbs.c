// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table of herbs by number: chains of entries in one array, each with the number of the next one.
 *
 * case: herb split 260000 8
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct leaf {
	char name[40], latin[24];
};
struct herb {
#ifdef NEW
	uint32_t next, key, grams;
#else
	uint32_t next;
	char name[40];
	uint32_t key;
	char latin[24];
	uint32_t grams;
#endif
};
static struct herb *herbs;
#ifdef NEW
static struct leaf *leaves;
#define LEAF(i) leaves[i]
#else
#define LEAF(i) herbs[i]
#endif
#define HEADS (1 << 17)
static uint32_t heads[HEADS];
static uint32_t slot(uint32_t key)
{
	return key * 2654435761u >> 15;
}
__attribute__((noinline)) static uint32_t take(uint32_t key)
{
	for (uint32_t i = heads[slot(key)]; i; i = herbs[i].next)
		if (herbs[i].key == key)
			return ++herbs[i].grams;
	return 0;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), rounds = atoi(v[2]);
	uint64_t sum = 0, r = 21;
	herbs = calloc(n + 1, sizeof(*herbs));
#ifdef NEW
	leaves = calloc(n + 1, sizeof(*leaves));
#endif
	for (uint32_t i = 1; i <= n; i++) {
		herbs[i].key = i * 7;
		herbs[i].next = heads[slot(i * 7)];
		heads[slot(i * 7)] = i;
		LEAF(i).name[0] = 'h';
	}
	for (uint32_t k = 0; k < rounds * 1000000; k++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		sum += take((1 + (r >> 20) % n) * 7);
	}
	for (uint32_t i = 1; i <= n; i++)
		sum += LEAF(i).name[0];
	printf("%lu\n", sum);
	return c < 0;
}
