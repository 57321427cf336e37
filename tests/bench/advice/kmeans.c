// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Points and the nearest of eight centres of each: more computation than memory.
 *
 * case: point split 1000 45000
 * case: point split 300000 120
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct point {
	float x, y, z;
	int cluster;
};
#else
struct point {
	char label[32];
	float x, y, z;
	char origin[40];
	int cluster;
};
#endif
static struct point *points;
static float centres[8][3];
__attribute__((noinline)) static long assign(long n)
{
	long moved = 0;
	for (long i = 0; i < n; i++) {
		struct point *p = &points[i];
		float least = 1e30f;
		int best = 0;
		for (int c = 0; c < 8; c++) {
			float x = p->x - centres[c][0], y = p->y - centres[c][1],
			      z = p->z - centres[c][2];
			float distance = x * x + y * y + z * z;
			if (distance < least) {
				least = distance;
				best = c;
			}
		}
		if (p->cluster != best) {
			p->cluster = best;
			moved++;
		}
	}
	return moved;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned seed = 5;
	points = calloc(n, sizeof(*points));
	for (long i = 0; i < n; i++) {
		points[i].x = (float)((seed = seed * 1103515245 + 12345) >> 20);
		points[i].y = (float)((seed = seed * 1103515245 + 12345) >> 20);
		points[i].z = (float)((seed = seed * 1103515245 + 12345) >> 20);
	}
	for (int c = 0; c < 8; c++)
		for (int k = 0; k < 3; k++)
			centres[c][k] = (float)((seed = seed * 1103515245 + 12345) >> 20);
	for (long k = 0; k < atol(argv[2]); k++)
		sum += assign(n);
	printf("%ld\n", sum);
}
