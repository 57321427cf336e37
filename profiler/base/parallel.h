/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop whose items are shared out among threads, one at a time. */
#ifndef DTPROF_BASE_PARALLEL_H
#define DTPROF_BASE_PARALLEL_H

#include <stddef.h>

/* Returns how many processors this process may use, at least 1. */
unsigned int parallel_default_threads(void);

/*
 * Calls work(item, thread, data) once for each item in 0 .. count-1, on up to `threads` threads,
 * and returns when all calls have returned. `thread` is in 0 .. threads-1 and may index per-thread
 * state. With 1 thread everything runs on the caller's.
 *
 * Items start in order but may end in any order. To keep results independent of the number of
 * threads, store the result of each item in a slot of its own.
 */
void parallel_for(size_t count, unsigned int threads,
		  void (*work)(size_t item, unsigned int thread, void *data), void *data);

#endif
