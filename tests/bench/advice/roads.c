// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Roads between towns: the way to the capital, step by step.
 *
 * case: town split 300000 8
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct page {
	char name[40], county[16];
	uint64_t people, area;
};
struct town {
#ifdef NEW
	uint32_t next, miles;
#else
	char name[40];
	uint32_t next;
	char county[16];
	uint64_t people, area;
	uint32_t miles;
#endif
};
static struct town *towns;
#ifdef NEW
static struct page *pages;
#define PAGE(i) pages[i]
#else
#define PAGE(i) towns[i]
#endif
__attribute__((noinline)) static uint64_t travel(uint32_t from, uint32_t steps)
{
	uint64_t sum = 0;
	while (steps--) {
		sum += towns[from].miles;
		from = towns[from].next;
	}
	return sum;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), rounds = atoi(v[2]), *order = malloc(4ul * n);
	uint64_t sum = 0, r = 17;
	towns = calloc(n, sizeof(*towns));
#ifdef NEW
	pages = calloc(n, sizeof(*pages));
#endif
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n - 1; i; i--) {
		r = r * 6364136223846793005ul + 1442695040888963407ul;
		uint32_t k = (r >> 33) % (i + 1), t = order[i];
		order[i] = order[k];
		order[k] = t;
	}
	for (uint32_t i = 0; i < n; i++) {
		towns[order[i]].next = order[(i + 1) % n];
		towns[i].miles = i % 70;
		PAGE(i).people = i;
		PAGE(i).name[0] = 't';
	}
	for (uint32_t k = 0; k < rounds; k++)
		sum += travel(order[k], n);
	for (uint32_t i = 0; i < n; i++)
		sum += PAGE(i).people;
	printf("%lu\n", sum);
	return c < 0;
}
