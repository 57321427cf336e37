/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for locks of programs, by the functions on the stack of a thread that went to sleep:
 * pthread_mutex_lock() of the C library, the locks of Rust's standard library and of parking_lot.
 */
#ifndef DTPROF_RESOLVE_USER_LOCKS_H
#define DTPROF_RESOLVE_USER_LOCKS_H

#include "profiler/resolve/resolve.h"
#include "report/lock/lock_waits.h"

struct user_lock {
	uint32_t flags;        /* LOCK_USER and an enum lock_user_kind */
	struct lock_call call; /* call.inner is 0 if the thread waits for no lock */
};

/* The functions of glibc that call futex(2) as a thread did. */
enum user_futex {
	USER_FUTEX_UNKNOWN,   /* the arguments are not known */
	USER_FUTEX_OTHER,     /* those for conditions, threads that end, barriers ... */
	USER_FUTEX_MUTEX,     /* those for mutexes, which functions for conditions take again */
	USER_FUTEX_SEMAPHORE, /* those for semaphores; others, too */
	USER_FUTEX_LOCK,      /* those for mutexes of other kinds, pthread_once() */
	USER_FUTEXES
};

/* Finds the locking function of a chain. The resolution has symbols and frames. */
void user_lock_find(struct resolution *resolution, const struct sample_counts *counts,
		    uint32_t chain, enum user_futex futex, const struct dso_options *options,
		    struct user_lock *found);

#endif
