/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A map from non-zero 64-bit keys to pointers that is read without a lock.
 *
 * Any number of threads may find while one inserts; inserting is for one thread at a time (the caller's
 * lock). What an insertion makes visible is visible whole. Nothing is ever removed: tables that were outgrown
 * are kept until release, which at most doubles the memory. Zero-initialized is empty.
 */
#ifndef DTPROF_BASE_CONCURRENT_MAP_H
#define DTPROF_BASE_CONCURRENT_MAP_H

#include <stddef.h>
#include <stdint.h>

struct concurrent_map_table;

struct concurrent_map {
	struct concurrent_map_table *table; /* the newest; older ones hang on it */
	size_t count;
};

/* NULL: not there (yet). */
void *concurrent_map_find(const struct concurrent_map *map, uint64_t key);
/* `key` must not be in the map, and value not be NULL. */
void concurrent_map_insert(struct concurrent_map *map, uint64_t key, void *value);
/* Every value once, in no order; while nobody inserts. */
void concurrent_map_each(const struct concurrent_map *map, void (*visit)(void *value));
void concurrent_map_deinit(struct concurrent_map *map);

#endif
