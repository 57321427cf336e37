// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads of a ship are summed up by weight and volume, pass after pass.
 *
 * case: crate split 300000 900
 * case: crate split 300 2000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct crate {
	double weight;
	float volume;
	uint16_t deck;
};
struct papers {
	char owner[40];
	uint64_t bill;
	char port[12];
	uint32_t sealed;
};
static struct papers *papers;
#define P(i) papers[i]
#else
struct crate {
	char owner[40];
	double weight;
	uint64_t bill;
	char port[12];
	float volume;
	uint32_t sealed;
	uint16_t deck;
};
#define P(i) crates[i]
#endif
static struct crate *crates;
__attribute__((noinline)) static double load(uint32_t n, double *volume)
{
	double w = 0, v = 0;
	for (uint32_t i = 0; i < n; i++) {
		w += crates[i].weight * crates[i].deck;
		v += crates[i].volume;
	}
	*volume = v;
	return w;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), passes = atoi(v[2]);
	double sum = 0, vol = 0;
	crates = calloc(n, sizeof(*crates));
#ifdef NEW
	papers = calloc(n, sizeof(*papers));
#endif
	for (uint32_t i = 0; i < n; i++) {
		crates[i].weight = i % 91;
		crates[i].volume = i % 7;
		crates[i].deck = i % 5;
		P(i).bill = i;
		P(i).owner[0] = 'o';
		P(i).port[3] = i;
		P(i).sealed = 1;
	}
	for (uint32_t p = 0; p < passes; p++) {
		double x;
		sum += load(n, &x);
		vol += x;
	}
	uint64_t b = 0;
	for (uint32_t i = 0; i < n; i++)
		b += P(i).bill + P(i).sealed;
	printf("%.0f %.0f %lu\n", sum, vol, b);
	return c < 0;
}
