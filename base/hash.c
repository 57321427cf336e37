// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements hash.h. Both tables use open addressing with linear probing and are at most half
 * full. */
#include "base/hash.h"

/* Slots of the first table; a power of two. */
#define MAP_FIRST_CAPACITY  16
#define POOL_FIRST_CAPACITY 64
/* A cleared map keeps this many slots even if only few were used. */
#define MAP_KEPT_CAPACITY 256

struct hash_map_slot {
	uint64_t key;
	uint32_t value, used;
};

#define LONG 256 /* bytes of a text that is hashed in parts */

uint64_t hash_bytes(const void *data, size_t length)
{
	const unsigned char *bytes = data;
	uint64_t hash = length;

	/* each combination waits for the one before it, so long texts are combined in four */
	if (length >= LONG) {
		uint64_t parts[4] = { 0 }, words[4];

		for (; length >= sizeof(words); bytes += sizeof(words), length -= sizeof(words)) {
			memcpy(words, bytes, sizeof(words));
			for (size_t i = 0; i < COUNT_OF(parts); i++)
				parts[i] = hash_combine(parts[i], words[i]);
		}
		for (size_t i = 0; i < COUNT_OF(parts); i++)
			hash = hash_combine(hash, parts[i]);
	}
	for (; length >= 8; bytes += 8, length -= 8) {
		uint64_t word;

		memcpy(&word, bytes, 8);
		hash = hash_combine(hash, word);
	}
	uint64_t tail = 0;

	/* A loop over at most 7 bytes is faster than a call of memcpy(). */
	for (size_t i = 0; i < length; i++)
		tail |= (uint64_t)bytes[i] << 8 * i;
	return hash_combine(hash, tail);
}

static struct hash_map_slot *hash_map_slot(const struct hash_map *map, uint64_t key)
{
	size_t mask = map->capacity - 1;
	size_t i = hash_mix(key) & mask;

	while (map->slots[i].used && map->slots[i].key != key)
		i = (i + 1) & mask;
	return &map->slots[i];
}

uint32_t *hash_map_find(const struct hash_map *map, uint64_t key)
{
	if (!map->count)
		return NULL;
	struct hash_map_slot *slot = hash_map_slot(map, key);

	return slot->used ? &slot->value : NULL;
}

static void hash_map_resize(struct hash_map *map, size_t capacity)
{
	struct hash_map grown = { .count = map->count, .capacity = capacity };

	grown.slots = xcalloc_table(grown.capacity, sizeof(*grown.slots));
	for (size_t i = 0; i < map->capacity; i++)
		if (map->slots[i].used)
			*hash_map_slot(&grown, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = grown;
}

void hash_map_reserve(struct hash_map *map, size_t count)
{
	size_t capacity = map->capacity ?: MAP_FIRST_CAPACITY;

	while (capacity / 2 < count)
		capacity *= 2;
	if (capacity > map->capacity)
		hash_map_resize(map, capacity);
}

uint32_t *hash_map_insert(struct hash_map *map, uint64_t key, bool *created)
{
	if (2 * (map->count + 1) > map->capacity)
		hash_map_resize(map, map->capacity ? 2 * map->capacity : MAP_FIRST_CAPACITY);
	struct hash_map_slot *slot = hash_map_slot(map, key);

	if (created)
		*created = !slot->used;
	if (!slot->used) {
		*slot = (struct hash_map_slot){ .key = key, .used = 1 };
		map->count++;
	}
	return &slot->value;
}

void hash_map_clear(struct hash_map *map)
{
	if (map->capacity > MAP_KEPT_CAPACITY && map->capacity > 8 * map->count) {
		hash_map_deinit(map);
		return;
	}
	if (map->count)
		memset(map->slots, 0, map->capacity * sizeof(*map->slots));
	map->count = 0;
}

void hash_map_deinit(struct hash_map *map)
{
	free(map->slots);
	*map = (struct hash_map){ 0 };
}

static void put_in_slot(struct hash_index *index, struct hash_index_slot slot)
{
	size_t mask = index->capacity - 1, i = slot.hash & mask;

	while (index->slots[i].number)
		i = (i + 1) & mask;
	index->slots[i] = slot;
}

void hash_index_add(struct hash_index *index, uint64_t hash, uint32_t item)
{
	if (2 * ++index->count > index->capacity) {
		struct hash_index grown = { .count = index->count,
					    .capacity = index->capacity ? 2 * index->capacity
									: MAP_FIRST_CAPACITY };

		grown.slots = xcalloc_table(grown.capacity, sizeof(*grown.slots));
		for (size_t i = 0; i < index->capacity; i++)
			if (index->slots[i].number)
				put_in_slot(&grown, index->slots[i]);
		free(index->slots);
		*index = grown;
	}
	put_in_slot(index, (struct hash_index_slot){ (uint32_t)hash, item + 1 });
}

void hash_index_deinit(struct hash_index *index)
{
	free(index->slots);
	*index = (struct hash_index){ 0 };
}

static const char **string_pool_slot(const struct string_pool *pool, const char *string)
{
	size_t mask = pool->capacity - 1;
	size_t i = hash_bytes(string, strlen(string)) & mask;

	while (pool->slots[i] && strcmp(pool->slots[i], string) != 0)
		i = (i + 1) & mask;
	return &pool->slots[i];
}

static void string_pool_grow(struct string_pool *pool)
{
	struct string_pool grown = *pool;
	const char **old = pool->slots;

	grown.capacity = pool->capacity ? 2 * pool->capacity : POOL_FIRST_CAPACITY;
	grown.slots = xcalloc_table(grown.capacity, sizeof(*grown.slots));
	for (size_t i = 0; i < pool->capacity; i++)
		if (old[i])
			*string_pool_slot(&grown, old[i]) = old[i];
	pool->slots = grown.slots;
	pool->capacity = grown.capacity;
	free(old);
}

const char *string_pool_intern(struct string_pool *pool, const char *string)
{
	if (2 * (pool->count + 1) > pool->capacity)
		string_pool_grow(pool);
	const char **slot = string_pool_slot(pool, string);

	if (!*slot) {
		*slot = arena_strdup(&pool->arena, string);
		pool->count++;
	}
	return *slot;
}

void string_pool_deinit(struct string_pool *pool)
{
	arena_deinit(&pool->arena);
	free(pool->slots);
	*pool = (struct string_pool){ 0 };
}
