/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads: a loop whose items are divided among threads, and a map that is read without a lock. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns how many processors this process may use, at least 1. */
unsigned int parallel_default_threads(void);

/*
 * Calls work(item, thread, data) once for each item in 0 .. count-1, on up to `threads` threads,
 * and returns when all calls have returned. `thread` is in 0 .. threads-1 and may index per-thread
 * state. With one thread, all calls run on the calling thread.
 *
 * Items start in order but may end in any order. To keep results independent of the number of
 * threads, store the result of each item in a slot of its own.
 */
void parallel_for(size_t count, unsigned int threads,
		  void (*work)(size_t item, unsigned int thread, void *data), void *data);

/* How much of a new thread's heap its first allocation makes writable, as main() sets it. */
#define HEAP_STEP ((size_t)16 << 20)

/* Gets the pages of memory that is about to be written, which the system clears, on up to `threads`
 * threads. A hint: memory that is not page by page the caller's is left as it is. */
void parallel_get_pages(void *memory, size_t size, unsigned int threads);

/* ---- maps that are read without a lock ---- */

/*
 * A map from non-zero 64-bit keys to pointers that is read without a lock.
 *
 * Any number of threads may call concurrent_map_find() while one inserts. Only one thread may
 * insert at a time; the caller holds a lock for that. Nothing is ever removed. A table that was
 * outgrown is kept until concurrent_map_deinit(), because readers may still use it. This at most
 * doubles the memory. A zero-initialized map is empty. The caller owns the values.
 */

struct concurrent_map_table;

struct concurrent_map {
	struct concurrent_map_table *table; /* the newest; links to the older ones */
	size_t count;
};

/* Returns the value of a key, or NULL if no insertion of it has been seen yet. */
void *concurrent_map_find(const struct concurrent_map *map, uint64_t key);
/* Adds a key that is not in the map. `key` must not be 0, and `value` not NULL. */
void concurrent_map_insert(struct concurrent_map *map, uint64_t key, void *value);
/* Frees the tables, and each value by `destroy`. The map is empty afterwards. */
void concurrent_map_clear(struct concurrent_map *map, void (*destroy)(void *value));
/* Frees the tables, but not the values. The map is empty afterwards. */
void concurrent_map_deinit(struct concurrent_map *map);
