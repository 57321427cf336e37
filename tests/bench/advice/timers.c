// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A list of timers in no order of memory: the walk compares the time, which is far from the link.
 *
 * case: timer reorder 200000 30
 * case: timer reorder 100 4000000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct timer {
	struct timer *next;
	long due;
	char name[88];
	void (*call)(void *);
	void *argument;
	long period, started;
	int fired, flags;
};
#else
struct timer {
	struct timer *next;
	char name[88];
	void (*call)(void *);
	void *argument;
	long period, started;
	int fired, flags;
	long due;
};
#endif
__attribute__((noinline)) static long due_before(const struct timer *t, long now)
{
	long count = 0;
	for (; t; t = t->next)
		count += t->due < now;
	return count;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	struct timer **all = malloc(n * sizeof(*all)), *first = NULL;
	unsigned long seed = 5;
	for (long i = 0; i < n; i++) {
		all[i] = calloc(1, sizeof(struct timer));
		all[i]->due = i % 97;
	}
	for (long i = n - 1; i > 0; i--) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		long other = (long)((seed >> 33) % (unsigned long)(i + 1));
		struct timer *swap = all[i];
		all[i] = all[other];
		all[other] = swap;
	}
	for (long i = 0; i < n; i++) {
		all[i]->next = first;
		first = all[i];
	}
	for (long k = 0; k < atol(argv[2]); k++)
		sum += due_before(first, k % 97);
	printf("%ld\n", sum);
}
