// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rays against spheres.
 *
 * case: sphere split 300 1500000
 * case: sphere split 400000 400
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct sphere {
	double x, y, z, radius;
};
#else
struct sphere {
	char name[32];
	double x, y, z, colour[3], shine, glass, radius;
};
#endif
static struct sphere *all;
__attribute__((noinline)) static long hits(long n, double dx, double dy, double dz)
{
	long count = 0;
	for (long i = 0; i < n; i++) {
		const struct sphere *s = &all[i];
		double b = s->x * dx + s->y * dy + s->z * dz;
		double c = s->x * s->x + s->y * s->y + s->z * s->z - s->radius * s->radius;
		if (b > 0 && b * b > c)
			count++;
	}
	return count;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned seed = 7;
	all = calloc(n, sizeof(*all));
	for (long i = 0; i < n; i++) {
		all[i].x = (seed = seed * 1103515245 + 12345) % 1000;
		all[i].y = (seed = seed * 1103515245 + 12345) % 1000;
		all[i].z = (seed = seed * 1103515245 + 12345) % 1000;
		all[i].radius = seed % 17;
	}
	for (long k = 0; k < atol(argv[2]); k++)
		sum += hits(n, 0.1 * (k % 7), 0.2, 0.3);
	printf("%ld\n", sum);
}
