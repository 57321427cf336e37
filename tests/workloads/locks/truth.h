/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For programs that print the truth about their locks: see tests/bench/locks.py. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>
#include <errno.h>
/* prints the truth: address, size, and the names that are right, with | between */
#define TRUTH(lock, names) printf("%p %zu %s\n", (void *)&(lock), sizeof(lock), names)
static inline void hold(unsigned us)
{
	struct timespec t = { 0, us * 1000L };
	nanosleep(&t, NULL);
}
static inline void threads(void *(*run)(void *), int count, void *arg0, size_t step)
{
	pthread_t t[64];
	for (int i = 0; i < count; i++)
		pthread_create(&t[i], NULL, run, (char *)arg0 + i * step);
	for (int i = 0; i < count; i++)
		pthread_join(t[i], NULL);
}
