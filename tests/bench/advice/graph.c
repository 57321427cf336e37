// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A walk over the nodes of a graph, breadth first.
 *
 * case: node split 1000 80000
 * case: node reorder 500000 10
 * case: node split 500000 10
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef REORDER
struct node {
	int visited;
	int edges[4];
	double distance;
	char label[88];
};
#elif defined(NEW)
struct node {
	int visited;
	int edges[4];
	double distance;
};
#else
struct node {
	int visited;
	char label[88];
	int edges[4];
	double distance;
};
#endif
static struct node *all;
static int *queue;
__attribute__((noinline)) static double walk(long n, int round)
{
	long head = 0, tail = 0;
	double sum = 0;
	queue[tail++] = 0;
	all[0].visited = round;
	while (head < tail) {
		struct node *from = &all[queue[head++]];
		for (int e = 0; e < 4; e++) {
			struct node *to = &all[from->edges[e]];
			if (to->visited == round)
				continue;
			to->visited = round;
			to->distance = from->distance + 1;
			sum += to->distance;
			queue[tail++] = (int)(to - all);
		}
	}
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	unsigned long x = 1;
	double sum = 0;
	all = aligned_alloc(128, (n * sizeof(*all) + 127) & ~127UL);
	queue = malloc(n * sizeof(*queue));
	for (long i = 0; i < n; i++) {
		all[i].visited = 0;
		all[i].distance = 0;
		for (int e = 0; e < 4; e++)
			all[i].edges[e] = (int)(((x = x * 6364136223846793005UL + 1) >> 33) % n);
	}
	for (int k = 1; k <= atoi(argv[2]); k++)
		sum += walk(n, k);
	printf("%g\n", sum);
}
