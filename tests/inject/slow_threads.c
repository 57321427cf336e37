// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lets threads of a program wait now and then before they take a lock (LD_PRELOAD), so that they do
 * their work in another order. SLOW_THREADS=N: the N-th order.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int (*lock)(pthread_mutex_t *mutex);
static uint64_t order;
static atomic_uint threads;
static _Thread_local uint64_t state; /* of a xorshift generator; 0: the thread is new */

__attribute__((constructor)) static void start(void)
{
	const char *number = getenv("SLOW_THREADS");

	order = number ? strtoull(number, NULL, 10) : 0;
	*(void **)&lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
}

/* One lock in 64 is waited for, up to a millisecond. */
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	if (!lock)
		start();
	if (!state)
		state = (order * 1000 + ++threads) * 0x9e3779b97f4a7c15;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	if (state >> 58 == 0)
		nanosleep(&(struct timespec){ .tv_nsec = (long)(state % 1000000) }, NULL);
	return lock(mutex);
}
