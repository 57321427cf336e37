// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A field, to which points add in no order.
 *
 * compiler: clang
 * case: square split 250000 80
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct square {
	double density;
};
struct square_cold {
	double height;
	double wind[6];
	double rest[3];
};
static struct square_cold *cold;
#define ADD_COLD(n) cold = (struct square_cold *)calloc(n, sizeof(*cold));
#else
struct square {
	double height;
	double wind[6];
	double density;
	double rest[3];
};
#define ADD_COLD(n)
#endif
static unsigned long seed = 1;
static unsigned long rnd(unsigned long n)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (seed >> 33) % n;
}
static struct square *all;
static int *at;
__attribute__((noinline)) static void deposit(long m)
{
	for (long i = 0; i < m; i++)
		all[at[i]].density += 0.5;
}
int main(int argc, char **argv)
{
	(void)argc;
	long n = atol(argv[1]), m = n * 4;
	all = calloc(n, sizeof(*all));
	ADD_COLD(n);
	at = malloc(m * 4);
	for (long i = 0; i < m; i++)
		at[i] = rnd(n);
	for (long k = 0; k < atol(argv[2]); k++)
		deposit(m);
	printf("%g\n", all[n / 2].density);
}
