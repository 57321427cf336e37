// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Large records, of which a loop needs one word.
 *
 * compiler: clang
 * case: page split 40000 500
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct page {
	long links;
};
struct page_cold {
	long number;
	char text[488];
	char more[400];
};
static struct page_cold *cold;
#define ADD_COLD(n) cold = (struct page_cold *)calloc(n, sizeof(*cold));
#else
struct page {
	long number;
	char text[488];
	long links;
	char more[400];
};
#define ADD_COLD(n)
#endif
static unsigned long seed = 1;
static unsigned long rnd(unsigned long n)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (seed >> 33) % n;
}
static struct page *all;
__attribute__((noinline)) static long most(long n)
{
	long best = 0;
	for (long i = 0; i < n; i++)
		if (all[i].links > best)
			best = all[i].links;
	return best;
}
int main(int argc, char **argv)
{
	(void)argc;
	long n = atol(argv[1]), sum = 0;
	all = calloc(n, sizeof(*all));
	ADD_COLD(n);
	for (long i = 0; i < n; i++)
		all[i].links = rnd(1000);
	for (long k = 0; k < atol(argv[2]); k++)
		all[k % n].links++, sum += most(n);
	printf("%ld\n", sum);
}
