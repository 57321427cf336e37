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

/* Finds the locking function of a chain. The resolution has symbols and frames. */
void user_lock_find(struct resolution *resolution, const struct sample_counts *counts,
		    uint32_t chain, const struct dso_options *options, struct user_lock *found);

#endif
