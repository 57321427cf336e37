// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two threads, each with its gauge in an array: the gauges share a line.
 *
 * options: -pthread
 * case: gauge pad 2 600000000
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct gauge {
	volatile long value, most;
}
#ifdef NEW
__attribute__((aligned(64)))
#endif
;
static struct gauge *gauges;
static long rounds;
static void *work(void *argument)
{
	struct gauge *g = argument;
	for (long i = 0; i < rounds; i++) {
		g->value += i & 3;
		if (g->value > g->most)
			g->most = g->value;
	}
	return NULL;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	pthread_t threads[64];
	rounds = atol(argv[2]);
	gauges = aligned_alloc(64, 64 * sizeof(*gauges));
	for (long i = 0; i < n; i++)
		gauges[i] = (struct gauge){ 0 };
	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, &gauges[i]);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", gauges[0].value);
}
