// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words are counted in a table with open addressing.
 *
 * case: slot split 524288 9000000
 * case: slot split 256 20000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct gloss {
	char gloss[52];
	uint32_t page;
	uint64_t source;
};
struct slot {
#ifdef NEW
	uint64_t key;
#else
	char gloss[52];
	uint32_t page;
	uint64_t key;
	uint64_t source;
#endif
};
static struct slot *slots;
#ifdef NEW
static struct gloss *glosses;
#define GLOSS(i) glosses[i]
#else
#define GLOSS(i) slots[i]
#endif
static uint32_t mask;
__attribute__((noinline)) static uint32_t find(uint64_t key)
{
	uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) & mask;
	while (slots[at].key && slots[at].key != key)
		at = (at + 1) & mask;
	return at;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), asked = atoi(v[2]), found = 0;
	uint64_t r = 88172645463325252u, sum = 0;
	mask = n - 1;
	slots = calloc(n, sizeof(*slots));
#ifdef NEW
	glosses = calloc(n, sizeof(*glosses));
#endif
	for (uint32_t i = 0; i < n / 2; i++) {
		uint32_t at = find(i * 7 + 1);
		slots[at].key = i * 7 + 1;
		GLOSS(at).page = i;
		GLOSS(at).gloss[0] = 'g';
		GLOSS(at).source = i;
	}
	for (uint32_t i = 0; i < asked; i++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		found += slots[find((uint32_t)r % n * 7 + 1)].key != 0;
	}
	for (uint32_t i = 0; i < n; i++)
		sum += GLOSS(i).page + GLOSS(i).source;
	printf("%u %lu\n", found, sum);
	return c < 0;
}
