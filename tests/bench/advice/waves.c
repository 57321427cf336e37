// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A loop that computes sines.
 *
 * compiler: clang
 * case: wave split 20000 1500
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct wave {
	double phase, speed;
};
struct wave_cold {
	char name[64];
	long id;
	char note[56];
};
static struct wave_cold *cold;
#else
struct wave {
	double phase;
	char name[64];
	long id;
	char note[56];
	double speed;
};
#endif
static struct wave *waves;
__attribute__((noinline)) static double sum_of(long n, double t)
{
	double sum = 0;
	for (long i = 0; i < n; i++)
		sum += sin(waves[i].phase + waves[i].speed * t);
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	double sum = 0;
	waves = calloc(n, sizeof(*waves));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		waves[i].phase = i % 13, waves[i].speed = i % 7;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += sum_of(n, k * 0.1);
	printf("%g\n", sum);
}
