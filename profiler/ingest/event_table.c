// SPDX-License-Identifier: GPL-2.0-or-later
/* The events of a session: see event_table.h. */
#include "profiler/ingest/event_table.h"

#include <byteswap.h>
#include <string.h>

void event_table_add(struct event_table *table, const struct perf_event_attr *attr, const uint8_t *ids,
		     size_t id_count, bool swap)
{
	uint32_t index = (uint32_t)table->count;

	array_reserve(table->events, table->count, table->capacity);
	array_reserve(table->layouts, table->count, table->layout_capacity);
	uint64_t *copy = arena_alloc(&table->arena, id_count * sizeof(*copy));

	for (size_t i = 0; i < id_count; i++) {
		bool created;

		memcpy(&copy[i], ids + 8 * i, 8);
		if (swap)
			copy[i] = bswap_64(copy[i]);
		uint32_t *value = hash_map_insert(&table->by_id, copy[i], &created);

		if (created)
			*value = index;
	}
	table->events[index] = (struct event){
		.index = index,
		.attr = *attr,
		.ids = copy,
		.id_count = id_count,
		.group_leader = index,
	};
	sample_layout_init(&table->layouts[index], attr);
	table->count++;
}

uint32_t event_table_find(const struct event_table *table, uint64_t id)
{
	const uint32_t *index = hash_map_find(&table->by_id, id);

	return index ? *index : EVENT_NONE;
}

uint32_t event_table_resolve(const struct event_table *table, uint64_t id)
{
	if (table->count == 1 || id == 0)
		return table->count ? 0 : EVENT_NONE;
	return event_table_find(table, id);
}

void event_table_name(struct event_table *table, uint32_t index, const char *name)
{
	if (index < table->count && !table->events[index].name && *name)
		table->events[index].name = arena_strdup(&table->arena, name);
}

void event_table_deinit(struct event_table *table)
{
	free(table->events);
	free(table->layouts);
	hash_map_deinit(&table->by_id);
	arena_deinit(&table->arena);
	*table = (struct event_table){ 0 };
}
