// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Particles in a grid: the step moves them by their place and speed, and the charge is looked at
 * rarely.
 *
 * case: particle peel 400000 400
 * case: particle peel 200 4000000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct motion {
	float x, y, u, v;
};
struct particle_rest {
	double mass, charge, spin[3], birth;
	int cell, kind, owner, flags;
};
static struct motion *motions;
static struct particle_rest *rests;
#define MOTION(i) motions[i]
#define REST(i)   rests[i]
#else
struct particle {
	double mass, charge;
	float x, y;
	double spin[3], birth;
	float u, v;
	int cell, kind, owner, flags;
};
static struct particle *particles;
#define MOTION(i) particles[i]
#define REST(i)   particles[i]
#endif
__attribute__((noinline)) static void move(long n, float dt)
{
	for (long i = 0; i < n; i++) {
		MOTION(i).x += MOTION(i).u * dt;
		MOTION(i).y += MOTION(i).v * dt;
	}
}
__attribute__((noinline)) static double charge(long n)
{
	double sum = 0;
	for (long i = 0; i < n; i++)
		sum += REST(i).charge * REST(i).mass;
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	double sum = 0;
#ifdef NEW
	motions = calloc(n, sizeof(*motions));
	rests = calloc(n, sizeof(*rests));
#else
	particles = calloc(n, sizeof(*particles));
#endif
	for (long i = 0; i < n; i++) {
		MOTION(i).u = (float)(i % 7);
		MOTION(i).v = (float)(i % 3);
		REST(i).charge = REST(i).mass = 1;
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		move(n, 0.01f);
		if (k % 16 == 0)
			sum += charge(n);
	}
	printf("%f\n", sum + MOTION(n / 2).x);
}
