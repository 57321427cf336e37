// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small table of codes, which stays in L1.
 *
 * case: code split 40 30000000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct code {
	int number;
	int weight;
};
struct code_cold {
	char name[64];
	char help[128];
	long uses;
};
static struct code_cold *cold;
#else
struct code {
	char name[64];
	int number;
	char help[128];
	int weight;
	long uses;
};
#endif
static struct code *codes;
__attribute__((noinline)) static int find(long n, int number)
{
	for (long i = 0; i < n; i++)
		if (codes[i].number == number)
			return codes[i].weight;
	return 0;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	codes = calloc(n, sizeof(*codes));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		codes[i].number = (int)(i * 37), codes[i].weight = (int)i;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += find(n, (int)(k % n) * 37);
	printf("%ld\n", sum);
}
