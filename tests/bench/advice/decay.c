// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A loop that computes exponentials.
 *
 * case: isotope split 30000 1500
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct isotope {
	double amount;
	double rate;
};
struct isotope_cold {
	char name[40];
	char note[56];
};
static struct isotope_cold *cold;
#define ADD_COLD(n) cold = (struct isotope_cold *)calloc(n, sizeof(*cold));
#else
struct isotope {
	double amount;
	char name[40];
	double rate;
	char note[56];
};
#define ADD_COLD(n)
#endif
static struct isotope *all;
__attribute__((noinline)) static double left(long n, double t)
{
	double s = 0;
	for (long i = 0; i < n; i++)
		s += all[i].amount * exp(-all[i].rate * t);
	return s;
}
int main(int argc, char **argv)
{
	(void)argc;
	long n = atol(argv[1]);
	double sum = 0;
	all = calloc(n, sizeof(*all));
	ADD_COLD(n);
	for (long i = 0; i < n; i++)
		all[i].amount = i % 10, all[i].rate = 0.01 * (i % 7);
	for (long k = 0; k < atol(argv[2]); k++)
		sum += left(n, k * 0.1);
	printf("%g\n", sum);
}
