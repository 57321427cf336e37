// SPDX-License-Identifier: GPL-2.0-or-later
/* The index of a whole unit, from a walk over all its DIEs. */
#include <dwarf.h>
#include <stdlib.h>

#include "dwarf/dwarf_index_build.h"
#include "dwarf/function.h"
#include "profiler/base/memory.h"

struct level {
	uint32_t container; /* that the DIEs of this level are in */
	bool in_function;
};

struct index_walk {
	struct index_builder builder;
	size_t container_capacity;
	struct level *levels;
	size_t depth, level_capacity;
};

static uint32_t add_container(struct index_walk *walk)
{
	struct unit_index *index = walk->builder.index;
	const char *name = die_name(&walk->builder.die);

	array_reserve(index->containers, index->container_count, walk->container_capacity);
	index->containers[index->container_count] = (struct container){
		.start = walk->builder.die.offset,
		.end = walk->builder.unit->end,
		.parent = walk->levels[walk->depth].container,
		.tag = walk->builder.die.tag,
		.name = name && *name ? name : NULL,
	};
	return (uint32_t)index->container_count++;
}

static void push(struct index_walk *walk, uint32_t container, bool in_function)
{
	walk->depth++;
	array_reserve(walk->levels, walk->depth, walk->level_capacity);
	walk->levels[walk->depth] = (struct level){ .container = container, .in_function = in_function };
}

static void pop(struct index_walk *walk, uint64_t end)
{
	uint32_t container = walk->levels[walk->depth].container;

	walk->depth--;
	if (container != walk->levels[walk->depth].container)
		walk->builder.index->containers[container].end = end;
}

/* Whether the index has such DIEs. */
static bool is_indexed(unsigned int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_variable:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_base_type: return true;
	}
	return false;
}

static void add_to_index(struct index_walk *walk)
{
	const struct die *die = &walk->builder.die;
	bool in_function = walk->levels[walk->depth].in_function;
	bool is_declaration = die_flag(die, SLOT_DECLARATION);

	switch (die->tag) {
	case DW_TAG_subprogram:
		index_add_function(&walk->builder);
		index_add_names(&walk->builder, NAME_FUNCTION);
		break;
	case DW_TAG_variable:
		index_add_variable(&walk->builder);
		if (!in_function)
			index_add_names(&walk->builder, NAME_VARIABLE);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
		if (!is_declaration)
			index_add_names(&walk->builder, NAME_RECORD);
		break;
	case DW_TAG_enumeration_type:
		if (!is_declaration)
			index_add_names(&walk->builder, NAME_ENUM);
		break;
	case DW_TAG_base_type:
	case DW_TAG_typedef: index_add_names(&walk->builder, NAME_TYPEDEF); break;
	}
}

static bool opens_container(unsigned int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type: return true;
	}
	return false;
}

/* In C nothing that is looked up by name or address is inside of these. */
static bool is_closed(const struct index_walk *walk, unsigned int tag)
{
	switch (tag) {
	case DW_TAG_array_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site: return true;
	case DW_TAG_structure_type:
	case DW_TAG_union_type: return walk->builder.unit->language == LANGUAGE_C;
	}
	return false;
}

static void walk_unit(struct index_walk *walk)
{
	struct unit *unit = walk->builder.unit;
	struct cursor cursor = unit_cursor(unit, unit->first_die);
	struct die *die = &walk->builder.die;

	array_reserve(walk->levels, walk->depth, walk->level_capacity);
	walk->levels[0] = (struct level){ .container = NO_CONTAINER };
	while (die_read(unit, &cursor, die)) {
		if (!die->tag) {
			if (!walk->depth)
				return;
			pop(walk, cursor.position);
			continue;
		}

		uint32_t container = walk->levels[walk->depth].container;
		bool in_function = walk->levels[walk->depth].in_function;

		if (is_indexed(die->tag)) {
			add_to_index(walk);
			if (die->has_children && opens_container(die->tag))
				container = add_container(walk);
		}
		if (!die->has_children)
			continue;
		if (is_closed(walk, die->tag) && die_follow_sibling(die, &cursor)) {
			if (container != walk->levels[walk->depth].container)
				walk->builder.index->containers[container].end = cursor.position;
			continue;
		}
		push(walk, container, in_function || die->tag == DW_TAG_subprogram);
	}
}

struct unit_index *index_build(struct unit *unit)
{
	struct index_walk walk = { .builder = { .unit = unit,
						.index = xcalloc(1, sizeof(*walk.builder.index)) } };

	walk_unit(&walk);
	free(walk.levels);
	return index_finish(&walk.builder);
}
