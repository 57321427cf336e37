// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Flows of a router, in lists of a hash table: packets look theirs up and count.
 *
 * case: flow reorder 200000 6000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct flow {
#ifdef NEW
	struct flow *next;
	uint64_t key, packets;
	char label[48];
	uint64_t opened, window[6];
#else
	uint64_t key;
	char label[48];
	uint64_t opened, window[6];
	struct flow *next;
	uint64_t packets;
#endif
};
#define BUCKETS 65536
static struct flow *table[BUCKETS];
static inline uint32_t hash(uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15ul) >> 48;
}
__attribute__((noinline)) static struct flow *find(uint64_t key)
{
	struct flow *f = table[hash(key)];
	while (f && f->key != key)
		f = f->next;
	return f;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]);
	uint64_t count = atol(v[2]), r = 99, sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct flow *f = calloc(1, sizeof(*f));
		f->key = i * 77ul + 1;
		f->opened = i;
		f->next = table[hash(f->key)];
		table[hash(f->key)] = f;
	}
	for (uint64_t i = 0; i < count; i++) {
		r = r * 6364136223846793005ul + 1442695040888963407ul;
		struct flow *f = find((r >> 33) % n * 77 + 1);
		f->packets++;
		sum += f->packets;
	}
	printf("%lu\n", sum);
	return c < 0;
}
