// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sparse graph, whose vertices are visited in no order.
 *
 * case: vertex split 300000 50
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct vertex {
	double weight;
	int degree;
};
struct vertex_cold {
	char label[56];
	char color;
	char note[28];
};
static struct vertex_cold *cold;
#define ADD_COLD(n) cold = (struct vertex_cold *)calloc(n, sizeof(*cold));
#else
struct vertex {
	char label[56];
	double weight;
	int degree;
	char color;
	char note[28];
};
#define ADD_COLD(n)
#endif
static unsigned long seed = 1;
static unsigned long rnd(unsigned long n)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (seed >> 33) % n;
}
static struct vertex *all;
static int *to;
__attribute__((noinline)) static double pull(long m)
{
	double s = 0;
	for (long i = 0; i < m; i++)
		s += all[to[i]].weight * all[to[i]].degree;
	return s;
}
int main(int argc, char **argv)
{
	(void)argc;
	long n = atol(argv[1]), m = n * 4;
	double sum = 0;
	all = calloc(n, sizeof(*all));
	ADD_COLD(n);
	to = malloc(m * 4);
	for (long i = 0; i < m; i++)
		to[i] = rnd(n);
	for (long i = 0; i < n; i++)
		all[i].weight = i % 9, all[i].degree = i % 4;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += pull(m);
	printf("%g\n", sum);
}
