// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/ingest/chain_table.h"

#include <stdbool.h>
#include <stdlib.h>

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"

#define FIRST_SLOTS 1024

void chain_table_init(struct chain_table *table)
{
	*table = (struct chain_table){ .slot_count = FIRST_SLOTS };
	table->slots = xcalloc(FIRST_SLOTS, sizeof(*table->slots));
	array_reserve(table->nodes, table->count, table->capacity);
	table->nodes[table->count++] = (struct chain_node){ 0 };
}

void chain_table_release(struct chain_table *table)
{
	free(table->nodes);
	free(table->slots);
	*table = (struct chain_table){ 0 };
}

static uint64_t node_hash(uint32_t caller, const struct chain_place *place)
{
	return hash_combine(hash_combine(place->ip, place->offset), (uint64_t)caller << 32 | place->dso);
}

static bool is_node(const struct chain_node *node, uint32_t caller, const struct chain_place *place)
{
	return node->caller == caller && node->place.ip == place->ip && node->place.offset == place->offset &&
	       node->place.dso == place->dso && node->place.level == place->level;
}

static void grow_slots(struct chain_table *table)
{
	size_t mask;

	free(table->slots);
	table->slot_count *= 2;
	table->slots = xcalloc(table->slot_count, sizeof(*table->slots));
	mask = table->slot_count - 1;
	for (uint32_t number = 1; number < table->count; number++) {
		const struct chain_node *node = &table->nodes[number];
		size_t slot = node_hash(node->caller, &node->place) & mask;

		while (table->slots[slot])
			slot = (slot + 1) & mask;
		table->slots[slot] = number;
	}
}

uint32_t chain_table_add(struct chain_table *table, uint32_t caller, const struct chain_place *place)
{
	if (table->count * 2 > table->slot_count)
		grow_slots(table);

	size_t mask = table->slot_count - 1, slot = node_hash(caller, place) & mask;

	while (table->slots[slot]) {
		if (is_node(&table->nodes[table->slots[slot]], caller, place))
			return table->slots[slot];
		slot = (slot + 1) & mask;
	}
	array_reserve(table->nodes, table->count, table->capacity);
	table->nodes[table->count] = (struct chain_node){ .caller = caller, .place = *place };
	table->slots[slot] = (uint32_t)table->count;
	return (uint32_t)table->count++;
}
