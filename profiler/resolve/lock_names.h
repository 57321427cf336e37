/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name of a lock that a thread waited for: the variable at its address, or the struct and field
 * that the first argument of the locking function points to in its caller.
 *
 * A lock may be passed on by the functions around the call, and be a part of a small type that is
 * itself a part of others (struct lockref, wait_queue_head_t). Such callers are followed outwards
 * until the argument points into a type of its own.
 */
#pragma once

#include "base/error.h"
#include "profiler/resolve/resolve.h"
#include "report/lock/lock_waits.h"

struct lock_names_options {
	struct dso_options dso;
	bool no_infer;
	unsigned int threads;
	unsigned int skip; /* innermost frames that are no callers */
	bool callers_only; /* set caller and frame alone, which needs no debug information */
	/* If not NULL, called for waits in the kernel without a call: sets `call`, or `name`.
	 * `frame` is of the innermost other function, `inner` of its callee. */
	void (*choose)(void *data, struct lock_wait *wait, uint32_t frame, uint32_t inner);
	void *choose_data;
};

/* Returns "lock_mm_and_find_vma+0x9b" for a counted frame; NULL: it has no symbol. */
const char *lock_names_frame(struct resolution *resolution, uint32_t frame);
/* Sets name or doubt, caller and frame of all waits. The strings belong to the resolution, which
 * needs symbols and frames, and `counts`, whose frames the waits' chains are. */
struct error *lock_names_find(struct lock_waits *waits, struct resolution *resolution,
			      const struct sample_counts *counts,
			      const struct lock_names_options *options);

/* ---- locks of programs, by the functions on the stack of a thread that went to sleep ---- */

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
