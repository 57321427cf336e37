// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements count_table.h. */
#include "profiler/ingest/count_table.h"

#include <stdlib.h>

#include "profiler/base/memory.h"

#define FIRST_SLOTS 4096

void count_table_init(struct count_table *table, unsigned int words)
{
	*table = (struct count_table){ .words = words, .stride = words + COUNTERS, .mask = FIRST_SLOTS - 1 };
	table->slots = xcalloc(FIRST_SLOTS, sizeof(*table->slots));
}

void count_table_deinit(struct count_table *table)
{
	free(table->entries);
	free(table->slots);
	*table = (struct count_table){ 0 };
}

static uint32_t *count_table_free_slot(const struct count_table *table, uint64_t hash)
{
	uint32_t i = (uint32_t)hash & table->mask;

	while (table->slots[i])
		i = (i + 1) & table->mask;
	return &table->slots[i];
}

static void count_table_grow(struct count_table *table)
{
	size_t slots = 4 * ((size_t)table->mask + 1);

	free(table->slots);
	table->slots = xcalloc(slots, sizeof(*table->slots));
	table->mask = (uint32_t)(slots - 1);
	for (uint32_t i = 0; i < table->count; i++)
		*count_table_free_slot(table, count_table_hash(table->entries + (size_t)i * table->stride,
							       table->words)) = i + 1;
}

uint64_t *count_table_add(struct count_table *table, const uint64_t *key, uint64_t hash)
{
	if (2 * ((uint64_t)table->count + 1) > table->mask)
		count_table_grow(table);
	if (table->count == table->capacity) {
		table->capacity = table->capacity ? 2 * table->capacity : FIRST_SLOTS / 2;
		table->entries = xrealloc_array(table->entries, table->capacity,
						table->stride * sizeof(*table->entries));
	}
	uint64_t *entry = table->entries + (size_t)table->count * table->stride;

	memcpy(entry, key, table->words * sizeof(*key));
	memset(entry + table->words, 0, COUNTERS * sizeof(*entry));
	*count_table_free_slot(table, hash) = ++table->count;
	return entry + table->words;
}
