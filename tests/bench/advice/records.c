// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Log records, of which a search needs the time, level and source.
 *
 * compiler: clang
 * case: record split 250000 300
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct record {
	long time;
	int level;
	int source;
};
struct record_cold {
	char text[144];
	int thread;
	int line;
	char file[32];
};
static struct record_cold *cold;
#else
struct record {
	long time;
	int thread;
	int line;
	char text[144];
	char file[32];
	int level;
	int source;
};
#endif
static struct record *ring;
__attribute__((noinline)) static long errors(long n, long from, int source)
{
	long count = 0;
	for (long i = 0; i < n; i++)
		count += ring[i].time >= from && ring[i].level > 3 && ring[i].source == source;
	return count;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	ring = calloc(n, sizeof(*ring));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		ring[i].time = i, ring[i].level = (int)(i % 6), ring[i].source = (int)(i % 4);
	for (long k = 0; k < atol(argv[2]); k++)
		sum += errors(n, n / 4, (int)(k % 4));
	printf("%ld\n", sum);
}
