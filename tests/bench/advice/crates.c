// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Crates in a yard: those that a list names are weighed.
 *
 * case: crate split 300000 60
 * case: crate split 400 900
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct label {
	char owner[32], port[16];
	uint64_t sealed, customs;
};
struct crate {
#ifdef NEW
	uint32_t weight, tare;
#else
	char owner[32];
	uint32_t weight;
	char port[16];
	uint64_t sealed, customs;
	uint32_t tare;
#endif
};
static struct crate *crates;
#ifdef NEW
static struct label *labels;
#define LABEL(i) labels[i]
#else
#define LABEL(i) crates[i]
#endif
__attribute__((noinline)) static uint64_t weigh(const uint32_t *list, uint32_t count)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += crates[list[i]].weight - crates[list[i]].tare;
	return sum;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), rounds = atoi(v[2]), count = 1000000;
	uint32_t *list = malloc(4ul * count);
	uint64_t sum = 0, r = 5;
	crates = calloc(n, sizeof(*crates));
#ifdef NEW
	labels = calloc(n, sizeof(*labels));
#endif
	for (uint32_t i = 0; i < n; i++) {
		crates[i].weight = 100 + i % 900;
		crates[i].tare = i % 20;
		LABEL(i).sealed = i;
		LABEL(i).owner[0] = 'o';
	}
	for (uint32_t i = 0; i < count; i++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		list[i] = (r >> 20) % n;
	}
	for (uint32_t k = 0; k < rounds; k++)
		sum += weigh(list + k % 32, count - 32);
	for (uint32_t i = 0; i < n; i++)
		sum += LABEL(i).sealed;
	printf("%lu\n", sum);
	return c < 0;
}
