// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Computation: each record is used for long, so no layout gains.
 *
 * case: wave split 200 60000
 * case: wave split 100000 120
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct wave {
	double height, length;
};
struct wave_rest {
	char place[48];
	long time[4];
};
#else
struct wave {
	double height;
	char place[48];
	double length;
	long time[4];
};
#endif
static struct wave *waves;
__attribute__((noinline)) static double energy(long n)
{
	double sum = 0;
	for (long i = 0; i < n; i++) {
		double x = waves[i].height, y = waves[i].length;
		for (int k = 0; k < 8; k++)
			x = sqrt(x * x + y) / (1 + y * 0.01);
		sum += x;
	}
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	double sum = 0;
	waves = calloc(n, sizeof(*waves));
	for (long i = 0; i < n; i++) {
		waves[i].height = (double)(i % 13);
		waves[i].length = 1 + (double)(i % 5);
	}
	for (long k = 0; k < atol(argv[2]); k++)
		sum += energy(n);
	printf("%f\n", sum);
}
