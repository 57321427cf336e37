// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An order book: price levels with lists of orders, which are matched, cancelled and entered.
 *
 * case: quote reorder 300000 6000000
 * case: quote reorder 200 60000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct quote {
	uint32_t amount, price;
	struct quote *next, *before;
	uint64_t number;
	char client[40];
	uint64_t entered, expires;
	char note[48];
};
#else
struct quote {
	uint64_t number;
	struct quote *before;
	char client[40];
	uint32_t price;
	uint64_t entered, expires;
	char note[48];
	uint32_t amount;
	struct quote *next;
};
#endif
#define LEVELS 1024
static struct level {
	struct quote *first, *last;
} levels[LEVELS];
static struct quote **all;
static uint64_t seed = 7;
static uint32_t draw(uint32_t limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(((seed >> 32) * limit) >> 32);
}
static void enter(struct quote *q, uint32_t price)
{
	struct level *level = &levels[price];
	q->price = price;
	q->amount = 1 + draw(9);
	q->next = NULL;
	q->before = level->last;
	if (level->last)
		level->last->next = q;
	else
		level->first = q;
	level->last = q;
}
static void leave(struct quote *q)
{
	struct level *level = &levels[q->price];
	if (q->before)
		q->before->next = q->next;
	else
		level->first = q->next;
	if (q->next)
		q->next->before = q->before;
	else
		level->last = q->before;
}
__attribute__((noinline)) static uint64_t match(uint32_t price, uint64_t wanted)
{
	uint64_t got = 0;
	for (struct quote *q = levels[price].first; q && got < wanted; q = q->next)
		got += q->amount;
	return got;
}
int main(int argc, char **argv)
{
	uint32_t n = (uint32_t)atol(argv[1]);
	uint64_t sum = 0;
	all = malloc(n * sizeof(*all));
	for (uint32_t i = 0; i < n; i++)
		all[i] = calloc(1, sizeof(struct quote));
	for (uint32_t i = 0; i < n; i++)
		enter(all[i], draw(LEVELS));
	for (long k = atol(argv[2]); k; k--) {
		struct quote *q = all[draw(n)];
		leave(q);
		enter(q, draw(LEVELS));
		if (k % 8 == 0)
			sum += match(draw(LEVELS), 60);
	}
	printf("%lu\n", (unsigned long)sum);
}
