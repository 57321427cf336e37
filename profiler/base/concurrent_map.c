// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements concurrent_map.h: open addressing with linear probing. A slot's value is written
 * before its key, and the key is published with release order, so a reader that sees the key sees
 * the value.
 */
#include "profiler/base/concurrent_map.h"

#include <stdlib.h>

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"

#define FIRST_CAPACITY 256

struct concurrent_map_slot {
	uint64_t key; /* 0: empty */
	void *value;
};

struct concurrent_map_table {
	struct concurrent_map_table *older;
	size_t mask;
	struct concurrent_map_slot slots[];
};

void *concurrent_map_find(const struct concurrent_map *map, uint64_t key)
{
	const struct concurrent_map_table *table = __atomic_load_n(&map->table, __ATOMIC_ACQUIRE);

	if (!table)
		return NULL;
	for (size_t index = hash_mix(key) & table->mask;; index = (index + 1) & table->mask) {
		uint64_t found = __atomic_load_n(&table->slots[index].key, __ATOMIC_ACQUIRE);

		if (found == key)
			return table->slots[index].value;
		if (!found)
			return NULL;
	}
}

static void put(struct concurrent_map_table *table, uint64_t key, void *value)
{
	size_t index = hash_mix(key) & table->mask;

	while (table->slots[index].key)
		index = (index + 1) & table->mask;
	table->slots[index].value = value;
	__atomic_store_n(&table->slots[index].key, key, __ATOMIC_RELEASE);
}

static void grow(struct concurrent_map *map)
{
	struct concurrent_map_table *older = map->table;
	size_t capacity = older ? 2 * (older->mask + 1) : FIRST_CAPACITY;
	struct concurrent_map_table *table =
		xcalloc_table(1, sizeof(*table) + capacity * sizeof(struct concurrent_map_slot));

	table->older = older;
	table->mask = capacity - 1;
	for (size_t i = 0; older && i <= older->mask; i++) {
		if (older->slots[i].key)
			put(table, older->slots[i].key, older->slots[i].value);
	}
	__atomic_store_n(&map->table, table, __ATOMIC_RELEASE);
}

void concurrent_map_insert(struct concurrent_map *map, uint64_t key, void *value)
{
	/* A table is at most half full, so that a search in vain ends soon. */
	if (!map->table || 2 * (map->count + 1) > map->table->mask + 1)
		grow(map);
	put(map->table, key, value);
	map->count++;
}

void concurrent_map_each(const struct concurrent_map *map, void (*visit)(void *value))
{
	for (size_t i = 0; map->table && i <= map->table->mask; i++) {
		if (map->table->slots[i].key)
			visit(map->table->slots[i].value);
	}
}

void concurrent_map_deinit(struct concurrent_map *map)
{
	struct concurrent_map_table *table = map->table;

	while (table) {
		struct concurrent_map_table *older = table->older;

		free(table);
		table = older;
	}
	*map = (struct concurrent_map){ 0 };
}
