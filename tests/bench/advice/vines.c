// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A list in no order of memory: each step compares an age at the end of the node.
 *
 * case: vine reorder 300000 8
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct vine {
	struct vine *next;
	uint32_t age, row;
	char sort[40];
	double sugar[8];
	uint64_t planted;
	char note[24];
};
#else
struct vine {
	char sort[40];
	struct vine *next;
	double sugar[8];
	uint64_t planted;
	char note[24];
	uint32_t age, row;
};
#endif
__attribute__((noinline)) static uint64_t old(struct vine *v, uint32_t limit)
{
	uint64_t count = 0;
	for (; v; v = v->next)
		if (v->age > limit)
			count += v->row;
	return count;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), passes = atoi(v[2]), r = 12345;
	struct vine **all = malloc(n * sizeof(*all));
	for (uint32_t i = 0; i < n; i++) {
		all[i] = calloc(1, sizeof(struct vine));
		all[i]->age = i % 70;
		all[i]->row = i;
		all[i]->sugar[0] = i;
		all[i]->sort[0] = 's';
	}
	for (uint32_t i = n - 1; i; i--) {
		r = r * 1103515245u + 12345;
		uint32_t k = (uint64_t)r * i >> 32;
		struct vine *t = all[i];
		all[i] = all[k];
		all[k] = t;
	}
	for (uint32_t i = 0; i + 1 < n; i++)
		all[i]->next = all[i + 1];
	uint64_t sum = 0;
	for (uint32_t p = 0; p < passes; p++)
		sum += old(all[0], 60 + p % 9);
	double s = 0;
	for (uint32_t i = 0; i < n; i++)
		s += all[i]->sugar[0] + all[i]->sort[0];
	printf("%lu %.0f\n", sum, s);
	return c < 0;
}
