// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A binary search in an array of records.
 *
 * case: account split 1000 9000000
 * case: account split 2000000 600000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct account {
	long number;
};
#else
struct account {
	char owner[40];
	long number;
	long balance;
	char note[40];
};
#endif
static struct account *all;
__attribute__((noinline)) static long find(long n, long number)
{
	long low = 0, high = n;
	while (low < high) {
		long middle = (low + high) / 2;
		if (all[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long x = 1;
	all = calloc(n, sizeof(*all));
	for (long i = 0; i < n; i++)
		all[i].number = 3 * i;
	for (long k = 0; k < atol(argv[2]); k++) {
		x = x * 6364136223846793005UL + 1;
		sum += find(n, (x >> 33) % (3 * n));
	}
	printf("%ld\n", sum);
}
