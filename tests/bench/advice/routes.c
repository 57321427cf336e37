// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A binary trie by index: the descent reads one of two child indexes, and the value at the end.
 *
 * case: vertex split 1000000 1500000
 * case: vertex split 400 20000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct vertex {
	uint32_t child[2];
	uint32_t value;
};
struct vertex_rest {
	char label[36];
	uint64_t added, used;
};
#else
struct vertex {
	char label[36];
	uint32_t child[2];
	uint64_t added, used;
	uint32_t value;
};
#endif
static struct vertex *pool;
static uint32_t used = 1;
static void insert(uint32_t key, uint32_t value, uint32_t limit)
{
	uint32_t at = 0;
	for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
		uint32_t *next = &pool[at].child[!!(key & bit)];
		if (!*next) {
			if (used == limit)
				break;
			*next = used++;
			pool[*next].value = value;
			return;
		}
		at = *next;
	}
}
__attribute__((noinline)) static uint32_t find(uint32_t key)
{
	uint32_t at = 0, next;
	while ((next = pool[at].child[key >> 31]) != 0) {
		at = next;
		key <<= 1;
	}
	return pool[at].value;
}
int main(int argc, char **argv)
{
	uint32_t n = (uint32_t)atol(argv[1]), seed = 11;
	uint64_t sum = 0;
	pool = calloc(n, sizeof(*pool));
	while (used < n) {
		seed = seed * 1664525u + 1013904223u;
		insert(seed ^ seed >> 15, used, n);
	}
	for (long k = atol(argv[2]); k; k--) {
		seed = seed * 1664525u + 1013904223u;
		sum += find(seed ^ seed >> 15);
	}
	printf("%lu\n", (unsigned long)sum);
}
