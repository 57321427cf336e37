// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Points that move.
 *
 * case: star split 500000 90
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct star {
	float x, y, z, vx, vy, vz;
};
struct star_cold {
	char name[24];
	float mass, charge;
	int kind;
	char note[52];
};
static struct star_cold *cold;
#else
struct star {
	char name[24];
	float x, y, z;
	float mass, charge;
	int kind;
	char note[52];
	float vx, vy, vz;
};
#endif
static struct star *stars;
__attribute__((noinline)) static void move(long n, float t)
{
	for (long i = 0; i < n; i++) {
		stars[i].x += stars[i].vx * t;
		stars[i].y += stars[i].vy * t;
		stars[i].z += stars[i].vz * t;
	}
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	stars = calloc(n, sizeof(*stars));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		stars[i].vx = i % 7, stars[i].vy = i % 5, stars[i].vz = 1;
	for (long k = 0; k < atol(argv[2]); k++)
		move(n, 0.01f);
	printf("%g\n", stars[n / 2].x);
}
