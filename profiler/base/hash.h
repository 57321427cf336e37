/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hashing: a mixer for words and bytes, a map from 64-bit keys to 32-bit values, and interned strings.
 *
 * None is thread-safe. Iteration order is never part of a result: whoever prints sorts first.
 */
#ifndef DTPROF_BASE_HASH_H
#define DTPROF_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/memory.h"

static inline uint64_t hash_mix(uint64_t value)
{
	value ^= value >> 32;
	value *= 0xd6e8feb86659fd93ULL;
	value ^= value >> 32;
	value *= 0xd6e8feb86659fd93ULL;
	return value ^ value >> 32;
}

static inline uint64_t hash_combine(uint64_t seed, uint64_t value)
{
	return hash_mix(seed * 31 + value + 0x9e3779b97f4a7c15ULL);
}

uint64_t hash_bytes(const void *data, size_t length);

/* uint64_t -> uint32_t. Zero-initialized is empty. */
struct hash_map {
	struct hash_map_slot *slots;
	size_t count;
	size_t capacity; /* power of two, or 0 */
};

/* The value's address, or NULL; valid until the next insertion. */
uint32_t *hash_map_find(const struct hash_map *map, uint64_t key);
/* The value's address; *created tells whether it is new (and 0). */
uint32_t *hash_map_insert(struct hash_map *map, uint64_t key, bool *created);
/* Makes room for so many keys in all, so that the map does not grow on the way there. */
void hash_map_reserve(struct hash_map *map, size_t count);
/* Forgets all keys; memory that the next ones are likely to need stays. */
void hash_map_clear(struct hash_map *map);
void hash_map_release(struct hash_map *map);

/* Equal strings, one pointer. The strings live until string_pool_release(). Zero-initialized is empty. */
struct string_pool {
	struct arena arena;
	const char **slots;
	size_t count;
	size_t capacity;
};

const char *string_pool_intern(struct string_pool *pool, const char *string);
void string_pool_release(struct string_pool *pool);

#endif
