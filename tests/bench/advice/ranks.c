// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ranks of pages, of which each is computed from others.
 *
 * case: page split 250000 20
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct page {
	double rank;
	int degree;
};
struct page_cold {
	char url[64];
	double next;
	long seen;
	char title[24];
};
static struct page_cold *cold;
#define NEXT(i) cold[i].next
#else
struct page {
	char url[64];
	double rank;
	double next;
	long seen;
	char title[24];
	int degree;
};
#define NEXT(i) pages[i].next
#endif
static struct page *pages;
static int *links;
__attribute__((noinline)) static void step(long n, long per)
{
	for (long i = 0; i < n; i++) {
		double sum = 0;
		for (long k = 0; k < per; k++) {
			int from = links[i * per + k];
			sum += pages[from].rank / pages[from].degree;
		}
		NEXT(i) = 0.15 + 0.85 * sum;
	}
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), per = 8;
	unsigned long seed = 11;
	pages = calloc(n, sizeof(*pages));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	links = malloc(n * per * sizeof(int));
	for (long i = 0; i < n * per; i++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		links[i] = (int)((seed >> 33) % (unsigned long)n);
	}
	for (long i = 0; i < n; i++)
		pages[i].rank = 1, pages[i].degree = (int)per;
	for (long k = 0; k < atol(argv[2]); k++) {
		step(n, per);
		for (long i = 0; i < n; i++)
			pages[i].rank = NEXT(i);
	}
	printf("%g\n", pages[n / 3].rank);
}
