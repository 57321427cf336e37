// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A list of address ranges: the first one that has an address is searched for.
 *
 * case: rule split 300 2500000
 * case: rule split 5000 200000
 * case: rule split 200000 2500
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct rule {
	unsigned from, to;
};
#else
struct rule {
	char name[32];
	unsigned from;
	int action;
	unsigned to;
	char comment[28];
};
#endif
static struct rule *rules;
__attribute__((noinline)) static long match(long n, unsigned address)
{
	for (long i = 0; i < n; i++)
		if (rules[i].from <= address && address < rules[i].to)
			return i;
	return -1;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long x = 1;
	rules = calloc(n, sizeof(*rules));
	for (long i = 0; i < n; i++) {
		rules[i].from = (unsigned)(i * 2654435761UL % n) * 16;
		rules[i].to = rules[i].from + 16;
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		sum += match(n, (unsigned)((x >> 33) % (16 * n)));
	}
	printf("%ld\n", sum);
}
