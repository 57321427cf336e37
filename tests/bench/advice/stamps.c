// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stamps by number, in chains of a hash table: the number and the next one lie in two lines.
 *
 * case: stamp reorder 250000 3000000
 * case: stamp reorder 150 25000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct stamp {
#ifdef NEW
	struct stamp *next;
	uint64_t number, price;
	char country[48], motif[56];
#else
	uint64_t number;
	char country[48];
	uint64_t price;
	char motif[56];
	struct stamp *next;
#endif
};
static struct stamp **buckets;
static uint32_t mask;
__attribute__((noinline)) static struct stamp *find(uint64_t number)
{
	struct stamp *s = buckets[(number * 11400714819323198485u >> 40) & mask];
	while (s && s->number != number)
		s = s->next;
	return s;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), finds = atoi(v[2]), size = 1;
	uint64_t r = 99, sum = 0;
	while (size < n / 3)
		size *= 2;
	mask = size - 1;
	buckets = calloc(size, sizeof(*buckets));
	for (uint32_t i = 0; i < n; i++) {
		struct stamp *s = calloc(1, sizeof(*s));
		struct stamp **b = &buckets[(i * 11400714819323198485u >> 40) & mask];
		s->number = i;
		s->price = i % 97;
		s->next = *b;
		*b = s;
	}
	for (uint32_t i = 0; i < finds; i++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		struct stamp *s = find((r >> 32) * n >> 32);
		sum += s ? s->price : 0;
	}
	printf("%lu\n", sum);
}
