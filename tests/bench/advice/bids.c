// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A join by a hash table with chains: each sale looks its product up and adds its price.
 *
 * case: product reorder 250000 6000000
 * case: product reorder 400 40000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef NEW
struct product {
	struct product *next;
	uint64_t code;
	uint32_t price, sold;
	char title[52];
	uint16_t shelf, supplier;
	char maker[24];
	uint64_t since;
};
#else
struct product {
	uint64_t code;
	char title[52];
	uint16_t shelf, supplier;
	uint32_t price;
	char maker[24];
	uint64_t since;
	uint32_t sold;
	struct product *next;
};
#endif
static struct product **buckets;
static uint64_t mask;

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

static uint64_t sell(uint64_t code)
{
	for (struct product *p = buckets[mix(code) & mask]; p; p = p->next)
		if (p->code == code) {
			p->sold++;
			return p->price;
		}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t n = atol(argv[1]), sales = atol(argv[2]), sum = 0, r = 88172645463325252u;

	for (mask = 1; mask < n / 2; mask *= 2)
		;
	buckets = calloc(mask--, sizeof(*buckets));
	for (uint64_t i = 0; i < n; i++) {
		struct product *p = calloc(1, sizeof(*p));
		uint64_t slot = mix(i * 7 + 3) & mask;

		p->code = i * 7 + 3;
		p->price = i % 997;
		snprintf(p->title, sizeof(p->title), "product %lu", i);
		strcpy(p->maker, "somebody");
		p->next = buckets[slot];
		buckets[slot] = p;
	}
	for (uint64_t i = 0; i < sales; i++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		sum += sell(r % n * 7 + 3);
	}
	printf("%lu\n", sum);
	return argc < 0;
}
