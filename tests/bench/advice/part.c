// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Particles with a few hot fields between cold ones.
 *
 * case: particle split 2000 300000
 * case: particle split 1000000 80
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct particle {
	double x, v;
	float mass;
};
#else
struct particle {
	int id;
	double x;
	char label[48];
	double history[6];
	double v;
	float mass;
};
#endif
static struct particle *p;
__attribute__((noinline)) static double step(long n, double dt)
{
	double e = 0;
	for (long i = 0; i < n; i++) {
		p[i].x += p[i].v * dt;
		e += p[i].mass * p[i].v;
	}
	return e;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	double e = 0;
	p = calloc(n, sizeof(*p));
	for (long i = 0; i < n; i++) {
		p[i].v = i;
		p[i].mass = 1;
	}
	for (int k = 0; k < atoi(argv[2]); k++)
		e += step(n, 1e-3);
	printf("%g\n", e);
}
