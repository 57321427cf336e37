// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The shortest paths of Bellman and Ford over an array of edges with tags.
 *
 * case: edge split 3000 150000
 * case: edge split 1000000 130
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct edge {
	int from, to;
	float length;
};
#else
struct edge {
	int from;
	char street[40];
	int to;
	short lanes, limit;
	float length;
	long changed;
};
#endif
static struct edge *edges;
static float *distance;
__attribute__((noinline)) static long relax(long n)
{
	long changes = 0;
	for (long i = 0; i < n; i++) {
		float through = distance[edges[i].from] + edges[i].length;
		if (through < distance[edges[i].to]) {
			distance[edges[i].to] = through;
			changes++;
		}
	}
	return changes;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), nodes = n / 8 + 2, sum = 0;
	unsigned long x = 1;
	edges = calloc(n, sizeof(*edges));
	distance = malloc(nodes * sizeof(*distance));
	for (long i = 0; i < nodes; i++)
		distance[i] = 1e9f;
	distance[0] = 0;
	for (long i = 0; i < n; i++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		edges[i].from = (int)(i / 8);
		edges[i].to = (int)((i / 8 + (x >> 60)) % nodes);
		edges[i].length = (float)(x >> 33 & 1023);
	}
	for (long k = 0; k < atol(argv[2]); k++)
		sum += relax(n);
	printf("%ld\n", sum);
}
