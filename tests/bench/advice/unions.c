// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets of regions that are merged: the parent of a region is found by its index, and paths are
 * halved on the way.
 *
 * case: region split 600000 12
 * case: region split 800 9000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct region {
	int parent, size;
};
struct rest {
	char label[40];
	double area, border, mean[3];
};
static struct rest *rests;
#else
struct region {
	char label[40];
	int parent;
	double area, border;
	int size;
	double mean[3];
};
#endif
static struct region *regions;
static unsigned long seed = 7;
static int next(int n)
{
	return (int)(((seed = seed * 6364136223846793005UL + 1) >> 33) % (unsigned long)n);
}
__attribute__((noinline)) static int find(int i)
{
	while (regions[i].parent != i) {
		regions[i].parent = regions[regions[i].parent].parent;
		i = regions[i].parent;
	}
	return i;
}
__attribute__((noinline)) static void merge(int a, int b)
{
	a = find(a);
	b = find(b);
	if (a == b)
		return;
	if (regions[a].size < regions[b].size) {
		int swap = a;
		a = b;
		b = swap;
	}
	regions[b].parent = a;
	regions[a].size += regions[b].size;
}
int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	long sum = 0;
	regions = calloc((size_t)n, sizeof(*regions));
#ifdef NEW
	rests = calloc((size_t)n, sizeof(*rests));
#endif
	for (int k = 0; k < atoi(argv[2]); k++) {
		for (int i = 0; i < n; i++) {
			regions[i].parent = i;
			regions[i].size = 1;
		}
		for (int i = 0; i < n; i++)
			merge(next(n), next(n));
		sum += regions[find(next(n))].size;
	}
	printf("%ld\n", sum);
}
