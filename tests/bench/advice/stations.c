// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Distances in a graph of stations: a breadth-first search along the edges, which lie in an array
 * of their own.
 *
 * case: station split 400000 8
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct edge {
	int to;
	int length;
};
#ifdef NEW
struct station {
	int first, count;
	int hops;
};
struct rest {
	char name[48];
	double east, north;
	long opened;
};
static struct rest *rests;
#else
struct station {
	int first, count;
	char name[48];
	double east, north;
	long opened;
	int hops;
};
#endif
static struct station *stations;
static struct edge *edges;
static int *queue;
__attribute__((noinline)) static long search(int from, int n)
{
	int head = 0, tail = 0;
	long sum = 0;
	for (int i = 0; i < n; i++)
		stations[i].hops = -1;
	stations[from].hops = 0;
	queue[tail++] = from;
	while (head < tail) {
		const struct station *here = &stations[queue[head++]];
		for (int k = here->first; k < here->first + here->count; k++) {
			struct station *there = &stations[edges[k].to];
			if (there->hops < 0) {
				there->hops = here->hops + 1;
				sum += there->hops;
				queue[tail++] = edges[k].to;
			}
		}
	}
	return sum;
}
int main(int argc, char **argv)
{
	int n = atoi(argv[1]), degree = 6;
	unsigned long seed = 3;
	long sum = 0;
	stations = calloc((size_t)n, sizeof(*stations));
#ifdef NEW
	rests = calloc((size_t)n, sizeof(*rests));
#endif
	edges = calloc((size_t)n * degree, sizeof(*edges));
	queue = calloc((size_t)n, sizeof(*queue));
	for (int i = 0; i < n; i++) {
		stations[i].first = i * degree;
		stations[i].count = degree;
		for (int k = 0; k < degree; k++)
			edges[i * degree + k].to =
				(int)(((seed = seed * 6364136223846793005UL + 1) >> 33) %
				      (unsigned long)n);
	}
	for (int k = 0; k < atoi(argv[2]); k++)
		sum += search(k * 7919 % n, n);
	printf("%ld\n", sum);
}
