// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guests of a feast in the lists of their tables: the tables are searched for numbers of seats.
 *
 * case: guest reorder 400000 10
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct guest {
#ifdef NEW
	struct guest *next;
	uint64_t seat;
	char name[40], dish[40], town[40];
	uint32_t paid, age;
#else
	struct guest *next;
	char name[40], dish[40], town[40];
	uint32_t paid, age;
	uint64_t seat;
#endif
};
#define TABLES 16384
static struct guest *tables[TABLES];
__attribute__((noinline)) static struct guest *find(uint64_t seat)
{
	struct guest *g = tables[seat % TABLES];
	while (g && g->seat != seat)
		g = g->next;
	return g;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), rounds = atoi(v[2]);
	uint64_t sum = 0, r = 9;
	for (uint32_t i = 0; i < n; i++) {
		struct guest *g = calloc(1, sizeof(*g));
		g->seat = i;
		g->age = i % 80;
		g->name[0] = 'n';
		g->next = tables[i % TABLES];
		tables[i % TABLES] = g;
	}
	for (uint32_t k = 0; k < rounds * 100000; k++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		sum += find((r >> 20) % n)->age;
	}
	printf("%lu\n", sum);
	return c < 0;
}
