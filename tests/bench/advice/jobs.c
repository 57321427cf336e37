// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Jobs: the ready one with the first deadline is searched for.
 *
 * case: job split 150000 1200
 * case: job split 5000 60000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct job {
	long deadline;
	int ready;
};
struct job_cold {
	char command[64];
	long owner;
	long started;
};
static struct job_cold *cold;
#else
struct job {
	int ready;
	char command[64];
	long owner;
	long deadline;
	long started;
};
#endif
static struct job *jobs;
__attribute__((noinline)) static long first(long n)
{
	long best = -1, least = 1L << 60;
	for (long i = 0; i < n; i++)
		if (jobs[i].ready && jobs[i].deadline < least)
			best = i, least = jobs[i].deadline;
	return best;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long seed = 1;
	jobs = calloc(n, sizeof(*jobs));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		jobs[i].deadline = (long)(seed >> 30);
		jobs[i].ready = (seed >> 40) % 8 > 0;
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		long j = first(n);
		sum += j;
		jobs[j].deadline += 1L << 33;
	}
	printf("%ld\n", sum);
}
