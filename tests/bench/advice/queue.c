// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A few records that stay in L1.
 *
 * case: job reorder 200 6000000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct job {
	long due;
	int state;
	int priority;
	char name[60];
	char args[72];
};

#else
struct job {
	long due;
	char name[60];
	int state;
	char args[72];
	int priority;
};
#endif
static unsigned long seed = 1;
static unsigned long rnd(unsigned long n)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (seed >> 33) % n;
}
static struct job *all[4096];
__attribute__((noinline)) static int best(long n)
{
	int b = 0;
	for (long i = 1; i < 12; i++) {
		long k = (b * 31 + i * 17) % n;
		if (all[k]->state && all[k]->priority > all[b]->priority)
			b = k;
	}
	return b;
}
int main(int argc, char **argv)
{
	(void)argc;
	long n = atol(argv[1]), sum = 0;
	for (long i = 0; i < n; i++)
		all[i] = calloc(1, sizeof(**all)), all[i]->priority = rnd(50),
		all[i]->state = i & 1;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += best(n);
	printf("%ld\n", sum);
}
