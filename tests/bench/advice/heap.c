// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Timers that a binary heap of their numbers orders by their deadlines.
 *
 * case: timer split 1000 6000000
 * case: timer split 400000 800000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct timer {
	long deadline;
};
#else
struct timer {
	char name[40];
	long period, deadline;
	void *argument;
	char state[24];
};
#endif
static struct timer *timers;
static int *heap;
static long count;
__attribute__((noinline)) static void sink(long at)
{
	int moved = heap[at];
	for (;;) {
		long child = 2 * at + 1;
		if (child >= count)
			break;
		if (child + 1 < count &&
		    timers[heap[child + 1]].deadline < timers[heap[child]].deadline)
			child++;
		if (timers[moved].deadline <= timers[heap[child]].deadline)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long x = 1;
	count = n;
	timers = calloc(n, sizeof(*timers));
	heap = calloc(n, sizeof(*heap));
	for (long i = 0; i < n; i++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		timers[i].deadline = (long)(x >> 40);
		heap[i] = (int)i;
	}
	for (long i = n / 2; i >= 0; i--)
		sink(i);
	for (long k = 0; k < atol(argv[2]); k++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		sum += timers[heap[0]].deadline;
		timers[heap[0]].deadline += (long)(x >> 40);
		sink(0);
	}
	printf("%ld\n", sum);
}
