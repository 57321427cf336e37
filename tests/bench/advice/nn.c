// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The k nearest neighbours, with Rodinia's record: a search for the farthest of them.
 *
 * case: neighbor split 1024 800000
 * case: neighbor split 20000 40000
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef NEW
struct cold {
	char entry[49];
};
static double *dist;
static struct cold *cold;
#define DIST(i)  dist[i]
#define ENTRY(i) cold[i].entry
#else
struct neighbor {
	char entry[49];
	double dist;
};
static struct neighbor *nearest;
#define DIST(i)  nearest[i].dist
#define ENTRY(i) nearest[i].entry
#endif
__attribute__((noinline)) static int farthest(int k)
{
	double max = -1;
	int at = 0;
	for (int i = 0; i < k; i++)
		if (DIST(i) > max) {
			max = DIST(i);
			at = i;
		}
	return at;
}
int main(int argc, char **argv)
{
	int k = atoi(argv[1]);
	unsigned seed = 1;
	double s = 0;
#ifdef NEW
	dist = malloc(k * sizeof(double));
	cold = calloc(k, sizeof(*cold));
#else
	nearest = calloc(k, sizeof(*nearest));
#endif
	for (int i = 0; i < k; i++)
		DIST(i) = 1e9;
	for (long r = 0; r < atol(argv[2]); r++) {
		double x = (seed = seed * 1103515245 + 12345) % 10000,
		       y = (seed = seed * 1103515245 + 12345) % 10000;
		int at = farthest(k);
		if (sqrt(x * x + y * y) < DIST(at)) {
			DIST(at) = sqrt(x * x + y * y);
			memcpy(ENTRY(at), "storm", 6);
		}
	}
	for (int i = 0; i < k; i++)
		s += DIST(i);
	printf("%g\n", s);
}
