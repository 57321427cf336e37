// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tours through cities: each city has the number of the next one.
 *
 * case: city peel 400000 30
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct guide {
	char name[48];
	double area;
	uint64_t people;
	char mayor[24];
};
struct city {
#ifdef NEW
	uint32_t next, cost;
#else
	char name[48];
	uint32_t next;
	double area;
	uint64_t people;
	uint32_t cost;
	char mayor[24];
#endif
};
static struct city *cities;
#ifdef NEW
static struct guide *guides;
#define GUIDE(i) guides[i]
#else
#define GUIDE(i) cities[i]
#endif
__attribute__((noinline)) static uint64_t tour(uint32_t from, uint32_t steps)
{
	uint64_t sum = 0;
	for (uint32_t at = from; steps; steps--) {
		sum += cities[at].cost;
		at = cities[at].next;
	}
	return sum;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), tours = atoi(v[2]), *order;
	uint64_t sum = 0;
	cities = calloc(n, sizeof(*cities));
#ifdef NEW
	guides = calloc(n, sizeof(*guides));
#endif
	order = calloc(n, 4);
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n - 1; i; i--) {
		uint32_t k = ((uint32_t)rand() * 7u) % (i + 1), t = order[i];
		order[i] = order[k];
		order[k] = t;
	}
	for (uint32_t i = 0; i < n; i++) {
		cities[order[i]].next = order[(i + 1) % n];
		cities[i].cost = i % 90;
		GUIDE(i).people = i;
		GUIDE(i).area = i;
		GUIDE(i).name[0] = 'c';
	}
	for (uint32_t t = 0; t < tours; t++)
		sum += tour(order[t], n / 8);
	for (uint32_t i = 0; i < n; i++)
		sum += GUIDE(i).people;
	printf("%lu\n", sum);
	return c < 0;
}
