// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A binary search without jumps.
 *
 * case: person split 400000 400000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct person {
	unsigned long number;
};
struct person_cold {
	char name[48];
	char street[32];
	long born;
};
static struct person_cold *cold;
#else
struct person {
	char name[48];
	unsigned long number;
	char street[32];
	long born;
};
#endif
static struct person *people;
__attribute__((noinline)) static long below(long n, unsigned long number)
{
	long at = 0;
	for (long step = 1L << 18; step; step /= 2) {
		long next = at + step < n ? at + step : at;
		at = people[next].number <= number ? next : at;
	}
	return at;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long seed = 1;
	people = calloc(n, sizeof(*people));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		people[i].number = i * 5;
	for (long k = 0; k < atol(argv[2]); k++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		sum += below(n, (seed >> 33) % (5 * (unsigned long)n));
	}
	printf("%ld\n", sum);
}
