// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A flow table with chains: each packet looks its flow up by the key, and counts in it. The names
 * and times are for a report.
 *
 * case: entry reorder 200000 8000000
 * case: entry reorder 500 60000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct entry {
	struct entry *chain;
	uint32_t from, to;
	uint16_t port, protocol;
	uint64_t packets;
	uint64_t opened;
	char device[32];
	uint64_t seen, limit;
	char comment[72];
};
#else
struct entry {
	uint32_t from;
	uint64_t opened;
	char device[32];
	uint64_t packets;
	uint64_t seen, limit;
	uint32_t to;
	uint16_t port, protocol;
	char comment[72];
	struct entry *chain;
};
#endif
static struct entry **table;
static uint32_t mask;
static uint32_t hash(uint32_t from, uint32_t to)
{
	return (from * 2654435761u ^ to * 2246822519u) >> 4 & mask;
}
__attribute__((noinline)) static struct entry *find(uint32_t from, uint32_t to, uint16_t port)
{
	for (struct entry *e = table[hash(from, to)]; e; e = e->chain)
		if (e->from == from && e->to == to && e->port == port)
			return e;
	return NULL;
}
int main(int argc, char **argv)
{
	uint32_t n = (uint32_t)atol(argv[1]), seed = 1;
	uint64_t sum = 0;
	for (mask = 1; mask < n / 2; mask = 2 * mask + 1)
		;
	table = calloc(mask + 1, sizeof(*table));
	for (uint32_t i = 0; i < n; i++) {
		struct entry *e = calloc(1, sizeof(*e));
		e->from = i;
		e->to = i * 3;
		e->port = (uint16_t)i;
		e->chain = table[hash(i, i * 3)];
		table[hash(i, i * 3)] = e;
	}
	for (long k = atol(argv[2]); k; k--) {
		seed = seed * 1664525u + 1013904223u;
		uint32_t i = (uint32_t)(((uint64_t)seed * n) >> 32);
		struct entry *e = find(i, i * 3, (uint16_t)i);
		e->packets++;
		sum += e->packets;
	}
	printf("%lu\n", (unsigned long)sum);
}
