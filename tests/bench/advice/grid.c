// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bodies in the cells of a grid, as lists by index: the density around each cell.
 *
 * case: body split 400 800000
 * case: body split 300000 60
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct body {
	float x, y;
	int next;
};
#else
struct body {
	float x;
	char material[44];
	float y, speed[6];
	char tag[28];
	int next;
};
#endif
static struct body *bodies;
static int *cells;
__attribute__((noinline)) static float density(long count)
{
	float sum = 0;
	for (long cell = 0; cell < count; cell++)
		for (int i = cells[cell]; i >= 0; i = bodies[i].next)
			sum += bodies[i].x * bodies[i].x + bodies[i].y;
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), count = n / 4 + 1;
	float sum = 0;
	unsigned long x = 1;
	bodies = calloc(n, sizeof(*bodies));
	cells = malloc(count * sizeof(*cells));
	for (long i = 0; i < count; i++)
		cells[i] = -1;
	for (long i = 0; i < n; i++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		long cell = (long)((x >> 33) % count);
		bodies[i].x = (float)(x >> 60);
		bodies[i].y = 1;
		bodies[i].next = cells[cell];
		cells[cell] = (int)i;
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		sum += density(count) * 1e-6f;
		__asm__ volatile("" : : : "memory");
	}
	printf("%g\n", sum);
}
