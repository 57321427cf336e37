// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hash table with open addresses: flows of a network.
 *
 * compiler: clang
 * case: flow split 524288 5000000
 * case: flow split 1024 40000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct flow {
	uint32_t source, target;
	uint32_t ports;
	uint32_t state;
};
struct flow_cold {
	uint64_t packets, bytes, first, last;
	char name[32];
	uint64_t reserved[2];
};
static struct flow_cold *cold;
#else
struct flow {
	uint32_t source, target;
	uint64_t packets, bytes, first, last;
	char name[32];
	uint32_t ports;
	uint32_t state;
	uint64_t reserved[2];
};
#endif
static struct flow *flows;
static uint32_t mask;
static uint32_t mix(uint32_t a, uint32_t b)
{
	uint64_t h = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(h >> 32);
}
__attribute__((noinline)) static struct flow *find(uint32_t source, uint32_t target, uint32_t ports)
{
	uint32_t at = mix(source, target) & mask;
	while (flows[at].state && (flows[at].source != source || flows[at].target != target ||
				   flows[at].ports != ports))
		at = (at + 1) & mask;
	return &flows[at];
}
int main(int argc, char **argv)
{
	uint32_t n = (uint32_t)atol(argv[1]), seed = 5;
	long sum = 0;
	mask = n - 1;
	flows = calloc(n, sizeof(*flows));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (uint32_t i = 0; i < n / 2; i++) {
		struct flow *f = find(i, i * 7, i % 3);
		f->source = i, f->target = i * 7, f->ports = i % 3, f->state = 1 + i % 3;
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		seed = seed * 1664525u + 1013904223u;
		uint32_t i = (uint32_t)(((uint64_t)seed * (n / 2)) >> 32);
		sum += find(i, i * 7, i % 3)->state;
	}
	printf("%ld\n", sum);
}
