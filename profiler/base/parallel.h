/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work shared out over threads, one item at a time. */
#ifndef DTPROF_BASE_PARALLEL_H
#define DTPROF_BASE_PARALLEL_H

#include <stddef.h>

/* The machine's online processors that this process may use, at least 1. */
unsigned int parallel_default_threads(void);

/*
 * Call work(item, thread, data) for item = 0 .. count-1, each once, on up to `threads` threads (1: on this
 * one, no thread is started); `thread` is 0 .. threads-1 and is for per-thread state. Returns when all are
 * done. Items start in order but end in any: results go into a slot an item, so that they do not depend on
 * the threads.
 */
void parallel_for(size_t count, unsigned int threads,
		  void (*work)(size_t item, unsigned int thread, void *data), void *data);

#endif
