/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hash functions for words and bytes, a map from 64-bit keys to 32-bit values, and a pool of
 * interned strings.
 *
 * Neither the map nor the pool is thread-safe. The order of both depends on the hashes and must
 * never reach a result: sort before printing.
 */
#pragma once

#include "base/memory.h"

/* Returns a hash of `value` in which each bit of the input affects each bit of the output. The
 * multiplier and the shifts are those of the mixing function called degski64. */
static inline uint64_t hash_mix(uint64_t value)
{
	value ^= value >> 32;
	value *= 0xd6e8feb86659fd93ULL;
	value ^= value >> 32;
	value *= 0xd6e8feb86659fd93ULL;
	return value ^ value >> 32;
}

/* 2^64 divided by the golden ratio (Knuth, The Art of Computer Programming, vol. 3, 6.4). */
#define HASH_GOLDEN_RATIO UINT64_C(0x9e3779b97f4a7c15)

/* Returns the hash of a sequence that ends in `value`. `seed` is the hash of the words before it,
 * or a first word as it is. It may be the key of a pair: two pairs of one hash are far apart, by
 * differences whose product is 2^57 or more, since multiples of the golden ratio keep their
 * distance. */
static inline uint64_t hash_combine(uint64_t seed, uint64_t value)
{
	return hash_mix((seed + 1) * HASH_GOLDEN_RATIO + value);
}

/* Returns the hash of `length` bytes. It is the same in each run on one machine. */
uint64_t hash_bytes(const void *data, size_t length);

/* A map from uint64_t to uint32_t. A zero-initialized map is empty. */
struct hash_map {
	struct hash_map_slot *slots;
	size_t count;
	size_t capacity; /* power of two, or 0 */
};

/* Returns the address of the key's value; NULL: none. It is valid until the next insertion. */
uint32_t *hash_map_find(const struct hash_map *map, uint64_t key);
/* Returns the address of the key's value. Sets *created, which may be NULL, if
 * the key is new; its value is then 0. */
uint32_t *hash_map_insert(struct hash_map *map, uint64_t key, bool *created);
/*
 * Returns the key's item in an array whose indexes are the values of the map. A new key gets an
 * item of zeros at the end; *created, which may be NULL, says so. The items, their count and
 * capacity are as those of array_add().
 */
#define hash_map_item(map, key, items, count, capacity, created)                                   \
	({                                                                                         \
		bool *const told_ = (created);                                                     \
		bool new_;                                                                         \
		uint32_t *const index_ = hash_map_insert((map), (key), &new_);                     \
		if (new_) {                                                                        \
			*index_ = (uint32_t)(count);                                               \
			memset(&array_add(items, count, capacity), 0, sizeof(*(items)));           \
		}                                                                                  \
		if (told_)                                                                         \
			*told_ = new_;                                                             \
		&(items)[*index_];                                                                 \
	})
/* Makes room for `count` keys in all, so that inserting them does not make the map grow. */
void hash_map_reserve(struct hash_map *map, size_t count);
/* Removes all keys. Keeps the memory unless the map was much larger than what it held. */
void hash_map_clear(struct hash_map *map);
/* Frees the memory; the map is empty afterwards. */
void hash_map_deinit(struct hash_map *map);
#define _cleanup_map_ __attribute__((cleanup(hash_map_deinit)))

/*
 * Finds the numbers of items by the hashes of their keys. The items are the caller's, who compares
 * their keys:
 *
 *	hash_index_each (item, &index, hash)
 *		if (is_wanted(&items[item]))
 *			return item;
 *	hash_index_add(&index, hash, new_item());
 *
 * A zero-initialized index is empty.
 */
struct hash_index {
	struct hash_index_slot {
		uint32_t hash;
		uint32_t number; /* of the item, plus 1; 0: the slot is free */
	} * slots;
	size_t count;
	size_t capacity; /* power of two, or 0 */
};

void hash_index_add(struct hash_index *index, uint64_t hash, uint32_t item);
/* Frees the memory; the index is empty afterwards. */
void hash_index_deinit(struct hash_index *index);

/* Sets *item to the next item with these low bits of the hash, from slot *at on. False: none. */
static inline bool hash_index_next(const struct hash_index *index, uint64_t hash, size_t *at,
				   uint32_t *item)
{
	while (index->capacity) {
		const struct hash_index_slot *slot = &index->slots[(*at)++ & (index->capacity - 1)];

		*item = slot->number - 1;
		if (!slot->number || slot->hash == (uint32_t)hash)
			return slot->number;
	}
	return false;
}

#define hash_index_each(item, index, hash)                                                         \
	for (uint32_t item, item##_once = 1; item##_once; item##_once = 0)                         \
		for (size_t item##_at = (uint32_t)(hash);                                          \
		     hash_index_next((index), (hash), &item##_at, &item);)

/* A pool in which equal strings are one pointer. A zero-initialized pool is empty. */
struct string_pool {
	struct arena arena;
	const char **slots;
	size_t count, capacity;
};

/* Returns the pool's copy of `string`, which is valid until string_pool_deinit(). */
const char *string_pool_intern(struct string_pool *pool, const char *string);
void string_pool_deinit(struct string_pool *pool);
