// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Log entries: the severe ones are counted.
 *
 * case: entry split 400000 300
 * case: entry split 3000 80000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct entry {
	int severity;
};
struct entry_cold {
	long time;
	char message[96];
	int pid;
};
static struct entry_cold *cold;
#else
struct entry {
	long time;
	char message[96];
	int pid;
	int severity;
};
#endif
static struct entry *entries;
__attribute__((noinline)) static long errors(long n, int least)
{
	long found = 0;
	for (long i = 0; i < n; i++)
		if (entries[i].severity >= least)
			found += i;
	return found;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	entries = calloc(n, sizeof(*entries));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		entries[i].severity = i % 200 ? (int)(i % 5) : 7;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += errors(n, 6 + (int)(k & 1));
	printf("%ld\n", sum);
}
