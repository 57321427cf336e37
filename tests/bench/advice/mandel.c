// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pixels that take long to compute, in records with cold fields: not bound by memory.
 *
 * case: pixel split 200000 4
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct pixel {
	double x, y;
	int steps;
};
#else
struct pixel {
	double x;
	char name[40];
	double y;
	char colour[12];
	int steps;
};
#endif
static struct pixel *pixels;
__attribute__((noinline)) static long render(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++) {
		double a = 0, b = 0;
		int steps = 0;
		for (; steps < 400 && a * a + b * b < 4; steps++) {
			double next = a * a - b * b + pixels[i].x;
			b = 2 * a * b + pixels[i].y;
			a = next;
		}
		pixels[i].steps = steps;
		sum += steps;
	}
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	pixels = calloc(n, sizeof(*pixels));
	for (long i = 0; i < n; i++) {
		pixels[i].x = (double)(i % 500) / 250 - 1.5;
		pixels[i].y = (double)(i / 500 % 500) / 250 - 1;
	}
	for (long k = 0; k < atol(argv[2]); k++)
		sum += render(n);
	printf("%ld\n", sum);
}
