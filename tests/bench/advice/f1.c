// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Neurons of eight doubles, whose loops use one or two each.
 *
 * case: neuron peel 10000 24000
 * case: neuron peel 100000 2400
 * case: neuron peel 1000000 90
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
static double *I, *W, *X, *V, *U, *P, *Q, *R;
#define F(i, field) field[i]
#define ALL(n)                                                                                     \
	I = malloc(n), W = malloc(n), X = malloc(n), V = malloc(n), U = malloc(n), P = malloc(n),  \
	Q = malloc(n), R = malloc(n)
#else
struct neuron {
	double I, W, X, V, U, P, Q, R;
};
static struct neuron *f1;
#define F(i, field) f1[i].field
#define ALL(n)      f1 = malloc(8 * (n))
#endif
static long n;
#define NI __attribute__((noinline))
NI static double norm(void)
{
	double s = 0;
	for (long i = 0; i < n; i++)
		s += F(i, P) * F(i, P);
	return s;
}
NI static double sum(void)
{
	double s = 0;
	for (long i = 0; i < n; i++)
		s += F(i, X);
	return s;
}
NI static void activate(double a)
{
	for (long i = 0; i < n; i++)
		F(i, W) = F(i, I) + a * F(i, U);
}
NI static long largest(void)
{
	long best = 0;
	double most = -1;
	for (long i = 0; i < n; i++)
		if (F(i, U) > most) {
			most = F(i, U);
			best = i;
		}
	return best;
}
int main(int argc, char **argv)
{
	double a = 0;
	n = atol(argv[1]);
	ALL(8 * n);
	for (long i = 0; i < n; i++) {
		F(i, I) = i & 7;
		F(i, W) = 1;
		F(i, X) = i & 3;
		F(i, V) = 2;
		F(i, U) = i * 7919 % 1000;
		F(i, P) = i % 10;
		F(i, Q) = 3;
		F(i, R) = 4;
	}
	for (long p = 0; p < atol(argv[2]); p++) {
		a += norm() * 1e-9 + largest() + sum() * 1e-9;
		if (p % 4 == 0)
			activate(a * 1e-9);
	}
	printf("%g\n", a);
}
