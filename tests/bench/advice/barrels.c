// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Barrels in a store: the next free one is found by number, filled and given back.
 *
 * case: barrel split 280000 7000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct wood {
	char cooper[32];
	uint64_t filled, emptied;
	uint16_t staves[16];
};
struct barrel {
#ifdef NEW
	uint32_t next, uses;
#else
	char cooper[32];
	uint32_t next;
	uint64_t filled, emptied;
	uint16_t staves[16];
	uint32_t uses;
#endif
};
static struct barrel *store;
static uint32_t free_barrel;
#ifdef NEW
static struct wood *woods;
#define WOOD(i) woods[i]
#else
#define WOOD(i) store[i]
#endif
__attribute__((noinline)) static uint32_t take(void)
{
	uint32_t barrel = free_barrel;
	free_barrel = store[barrel].next;
	store[barrel].uses++;
	return barrel;
}
__attribute__((noinline)) static void give(uint32_t barrel)
{
	store[barrel].next = free_barrel;
	free_barrel = barrel;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), rounds = atoi(v[2]);
	uint64_t r = 77, sum = 0;
	uint32_t *order = malloc(n * sizeof(*order));
	store = calloc(n, sizeof(*store));
#ifdef NEW
	woods = calloc(n, sizeof(*woods));
#endif
	for (uint32_t i = 0; i < n; i++)
		order[i] = i, WOOD(i).filled = i;
	for (uint32_t i = n - 1; i; i--) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		uint32_t k = (r >> 33) % i, t = order[i];
		order[i] = order[k], order[k] = t;
	}
	for (uint32_t i = 0; i < n; i++)
		give(order[i]);
	for (uint32_t done = 0; done < rounds;) {
		uint32_t count = n / 2, *taken = malloc(count * sizeof(*taken));
		for (uint32_t i = 0; i < count; i++)
			taken[i] = take();
		for (uint32_t i = 0; i < count; i++)
			give(taken[(uint64_t)i * 65537 % count]);
		done += count;
		free(taken);
	}
	for (uint32_t i = 0; i < n; i++)
		sum += store[i].uses * WOOD(i).filled;
	printf("%lu\n", sum);
}
