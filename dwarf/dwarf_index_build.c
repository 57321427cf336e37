// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_index_build.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_location.h"
#include "profiler/base/hash.h"
#include "profiler/base/memory.h"

uint32_t name_hash(const char *name)
{
	return (uint32_t)hash_bytes(name, strlen(name));
}

void index_add_name(struct index_builder *builder, const char *name, enum name_kind kind, uint64_t reference)
{
	struct unit_index *index = builder->index;

	if (!name || !*name)
		return;
	array_reserve(index->names, index->name_count, builder->name_capacity);
	index->names[index->name_count++] = (struct name_entry){
		.hash = name_hash(name),
		.kind = (uint8_t)kind,
		.die = reference,
	};
}

/* Functions and variables are known by the name that the linker sees as well. */
void index_add_names(struct index_builder *builder, enum name_kind kind)
{
	const struct die *die = &builder->die;
	const char *name = die_name(die), *linkage = die_string(die, SLOT_LINKAGE_NAME);
	const struct die *declared;
	struct die other;

	/* what is defined outside of the class or namespace that declares it has its name there */
	if (!name && die_has(die, SLOT_SPECIFICATION) &&
	    (declared = die_integrate(builder->unit->file->files, die, SLOT_NAME, &other))) {
		name = die_name(declared);
		linkage = linkage ? linkage : die_string(declared, SLOT_LINKAGE_NAME);
	}
	index_add_name(builder, name, kind, die_reference(die));
	index_add_name(builder, linkage, kind, die_reference(die));
}

void index_add_function(struct index_builder *builder)
{
	struct unit_index *index = builder->index;
	uint64_t reference = die_reference(&builder->die);

	if (!die_ranges(&builder->die, &builder->ranges))
		return;
	for (size_t i = 0; i < builder->ranges.count; i++) {
		array_reserve(index->functions, index->function_count, builder->function_capacity);
		index->functions[index->function_count++] = (struct function_entry){
			.low = builder->ranges.items[i].low,
			.high = builder->ranges.items[i].high,
			.entry = builder->ranges.items[0].low,
			.die = reference,
		};
	}
}

void index_add_variable(struct index_builder *builder)
{
	const uint8_t *expression;
	size_t size;
	struct location location;

	if (!die_block(&builder->die, SLOT_LOCATION, &expression, &size) ||
	    !location_is_static(builder->unit, expression, size, &location))
		return;
	variable_list_add(&builder->index->variables,
			  &(struct variable_entry){ .address = (uint64_t)location.offset,
						    .thread_local_ = location.kind == LOCATION_TLS,
						    .die = die_reference(&builder->die) });
}

static int by_address(const void *left, const void *right)
{
	const struct function_entry *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->die < b->die ? -1 : a->die > b->die;
}

static void hash_names(struct unit_index *index)
{
	size_t slot_count = 16;

	if (!index->name_count || index->name_count >= UINT32_MAX / 4)
		return;
	while (slot_count < 2 * index->name_count)
		slot_count *= 2;
	index->name_slots = xcalloc(slot_count, sizeof(*index->name_slots));
	index->name_slot_mask = (uint32_t)slot_count - 1;
	for (size_t i = 0; i < index->name_count; i++) {
		uint32_t slot = index->names[i].hash & index->name_slot_mask;

		if (index->names[i].kind != NAME_FUNCTION && index->names[i].kind != NAME_VARIABLE)
			continue;
		while (index->name_slots[slot])
			slot = (slot + 1) & index->name_slot_mask;
		index->name_slots[slot] = (uint32_t)i + 1;
	}
}

struct unit_index *index_finish(struct index_builder *builder)
{
	struct unit_index *index = builder->index;

	if (index->function_count)
		qsort(index->functions, index->function_count, sizeof(*index->functions), by_address);
	array_fit(index->functions, index->function_count, builder->function_capacity);
	array_fit(index->names, index->name_count, builder->name_capacity);
	variable_list_sort(&index->variables);
	hash_names(index);
	address_ranges_deinit(&builder->ranges);
	return index;
}

void index_destroy(struct unit_index *index)
{
	if (!index)
		return;
	free(index->functions);
	variable_list_deinit(&index->variables);
	free(index->names);
	free(index->name_slots);
	free(index->containers);
	free(index);
}
