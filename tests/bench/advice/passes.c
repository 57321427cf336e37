// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions of a compiler in a list: three passes go over them, each by its own fields.
 *
 * case: op reorder 150000 40
 * case: op reorder 200 1500000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct op {
#ifdef NEW
	struct op *next;
	uint32_t code, used, cost, dead;
	char text[64];
	uint64_t line, column, scope[4];
#else
	struct op *next;
	uint32_t code;
	char text[64];
	uint32_t used;
	uint64_t line, column, scope[4];
	uint32_t cost, dead;
#endif
};
static struct op *first;
__attribute__((noinline)) static uint64_t mark(void)
{
	uint64_t n = 0;
	for (struct op *o = first; o; o = o->next)
		if (o->code & 1)
			o->used++, n++;
	return n;
}
__attribute__((noinline)) static uint64_t sweep(void)
{
	uint64_t n = 0;
	for (struct op *o = first; o; o = o->next)
		if (!o->used)
			o->dead = 1, n += o->cost;
	return n;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), rounds = atoi(v[2]);
	uint64_t r = 21, sum = 0;
	struct op **all = malloc(n * sizeof(*all));
	for (uint32_t i = 0; i < n; i++) {
		all[i] = calloc(1, sizeof(struct op));
		all[i]->code = i * 7 / 3;
		all[i]->cost = i % 5;
	}
	for (uint32_t i = n - 1; i; i--) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		uint32_t k = (r >> 33) % i;
		struct op *t = all[i];
		all[i] = all[k];
		all[k] = t;
	}
	for (uint32_t i = 0; i < n; i++) {
		all[i]->next = first;
		first = all[i];
	}
	for (uint32_t k = 0; k < rounds; k++)
		sum += mark() + sweep();
	printf("%lu\n", sum);
}
