/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_index.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_die.h"
#include "dwarf/dwarf_scan.h"
#include "dwarf/dwarf_location.h"
#include "dwarf/dwarf_range.h"
#include "dwarf/function.h"
#include "profiler/base/hash.h"
#include "profiler/base/memory.h"

#define NO_CONTAINER    UINT32_MAX
#define MAXIMUM_NESTING 4096

struct level {
	uint32_t container; /* that the DIEs of this level are in */
	bool in_function;
};

struct walk {
	struct unit *unit;
	struct unit_index *index;
	size_t function_capacity, variable_capacity, name_capacity, container_capacity;
	struct level *levels;
	size_t depth, level_capacity;
	struct address_ranges ranges;
	struct die die;
};

uint32_t name_hash(const char *name)
{
	return (uint32_t)hash_bytes(name, strlen(name));
}

static void add_hash(struct walk *walk, enum name_kind kind, const char *name)
{
	struct unit_index *index = walk->index;

	array_reserve(index->names, index->name_count, walk->name_capacity);
	index->names[index->name_count++] = (struct name_entry){
		.hash = name_hash(name),
		.kind = (uint8_t)kind,
		.die = die_reference(&walk->die),
	};
}

/* Functions and variables are known by the name that the linker sees as well. */
static void add_name(struct walk *walk, enum name_kind kind)
{
	const struct die *die = &walk->die;
	const char *name = die_name(die), *linkage = die_string(die, SLOT_LINKAGE_NAME);
	struct die declared;

	/* what is defined outside of the class or namespace that declares it has its name there */
	if (!name && die_has(die, SLOT_SPECIFICATION) &&
	    die_integrate(walk->unit->file->files, die, SLOT_NAME, &declared)) {
		name = die_name(&declared);
		linkage = linkage ? linkage : die_string(&declared, SLOT_LINKAGE_NAME);
	}
	if (name && *name)
		add_hash(walk, kind, name);
	if (linkage && *linkage)
		add_hash(walk, kind, linkage);
}

static void add_function(struct walk *walk)
{
	struct unit_index *index = walk->index;
	uint64_t reference = die_reference(&walk->die);

	if (!die_ranges(&walk->die, &walk->ranges))
		return;
	for (size_t i = 0; i < walk->ranges.count; i++) {
		array_reserve(index->functions, index->function_count, walk->function_capacity);
		index->functions[index->function_count++] = (struct function_entry){
			.low = walk->ranges.items[i].low,
			.high = walk->ranges.items[i].high,
			.entry = walk->ranges.items[0].low,
			.die = reference,
		};
	}
}

static void add_variable(struct walk *walk)
{
	struct unit_index *index = walk->index;
	const uint8_t *expression;
	size_t size;
	struct location location;

	if (!die_block(&walk->die, SLOT_LOCATION, &expression, &size) ||
	    !location_is_static(walk->unit, expression, size, &location))
		return;
	array_reserve(index->variables, index->variable_count, walk->variable_capacity);
	index->variables[index->variable_count++] = (struct variable_entry){
		.address = (uint64_t)location.offset,
		.thread_local_ = location.kind == LOCATION_TLS,
		.die = die_reference(&walk->die),
	};
}

static uint32_t add_container(struct walk *walk)
{
	struct unit_index *index = walk->index;
	const char *name = die_name(&walk->die);

	array_reserve(index->containers, index->container_count, walk->container_capacity);
	index->containers[index->container_count] = (struct container){
		.start = walk->die.offset,
		.end = walk->unit->end,
		.parent = walk->levels[walk->depth].container,
		.tag = walk->die.tag,
		.name = name && *name ? name : NULL,
	};
	return (uint32_t)index->container_count++;
}

static void push(struct walk *walk, uint32_t container, bool in_function)
{
	walk->depth++;
	array_reserve(walk->levels, walk->depth, walk->level_capacity);
	walk->levels[walk->depth] = (struct level){ .container = container, .in_function = in_function };
}

static void pop(struct walk *walk, uint64_t end)
{
	uint32_t container = walk->levels[walk->depth].container;

	walk->depth--;
	if (container != walk->levels[walk->depth].container)
		walk->index->containers[container].end = end;
}

/* Whether the DIE's attributes matter here; the others are passed over without a look. */
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

static void add_to_index(struct walk *walk)
{
	const struct die *die = &walk->die;
	bool in_function = walk->levels[walk->depth].in_function;
	bool is_declaration = die_flag(die, SLOT_DECLARATION);

	switch (die->tag) {
	case DW_TAG_subprogram:
		add_function(walk);
		add_name(walk, NAME_FUNCTION);
		break;
	case DW_TAG_variable:
		add_variable(walk);
		if (!in_function)
			add_name(walk, NAME_VARIABLE);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
		if (!is_declaration)
			add_name(walk, NAME_RECORD);
		break;
	case DW_TAG_enumeration_type:
		if (!is_declaration)
			add_name(walk, NAME_ENUM);
		break;
	case DW_TAG_base_type:
	case DW_TAG_typedef: add_name(walk, NAME_TYPEDEF); break;
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
static bool is_closed(const struct walk *walk, unsigned int tag)
{
	switch (tag) {
	case DW_TAG_array_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site: return true;
	case DW_TAG_structure_type:
	case DW_TAG_union_type: return walk->unit->language == LANGUAGE_C;
	}
	return false;
}

static void walk_unit(struct walk *walk)
{
	struct unit *unit = walk->unit;
	struct cursor cursor = unit_cursor(unit, unit->first_die);

	array_reserve(walk->levels, walk->depth, walk->level_capacity);
	walk->levels[0] = (struct level){ .container = NO_CONTAINER };
	for (;;) {
		size_t start = cursor.position;
		uint64_t sibling;
		const struct abbrev *abbrev = die_skim(unit, &cursor, &sibling);

		if (!abbrev)
			return;
		if (!abbrev->tag) {
			if (!walk->depth)
				return;
			pop(walk, cursor.position);
			continue;
		}

		uint32_t container = walk->levels[walk->depth].container;
		bool in_function = walk->levels[walk->depth].in_function;

		if (is_indexed(abbrev->tag)) {
			struct cursor again = unit_cursor(unit, start);

			if (!die_read(unit, &again, &walk->die))
				return;
			add_to_index(walk);
			if (abbrev->has_children && opens_container(abbrev->tag))
				container = add_container(walk);
		}
		if (!abbrev->has_children)
			continue;
		if (is_closed(walk, abbrev->tag) && sibling > cursor.position) {
			cursor.position = sibling;
			if (container != walk->levels[walk->depth].container)
				walk->index->containers[container].end = sibling;
			continue;
		}
		push(walk, container, in_function || abbrev->tag == DW_TAG_subprogram);
	}
}

static int by_address(const void *left, const void *right)
{
	const struct function_entry *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->die < b->die ? -1 : a->die > b->die;
}

static int variable_by_address(const void *left, const void *right)
{
	const struct variable_entry *a = left, *b = right;

	if (a->thread_local_ != b->thread_local_)
		return a->thread_local_ ? 1 : -1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->die < b->die ? -1 : a->die > b->die;
}

static void sort_variables(struct unit_index *index)
{
	if (index->variable_count)
		qsort(index->variables, index->variable_count, sizeof(*index->variables),
		      variable_by_address);
	for (size_t i = 0; i < index->variable_count; i++)
		index->thread_local_count += index->variables[i].thread_local_;
}

static void hash_names(struct unit_index *index)
{
	size_t slot_count = 16;

	if (index->name_count >= UINT32_MAX / 4)
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

uint64_t unit_index_next(const struct unit_index *index, uint32_t hash, enum name_kind kind,
			 uint32_t *position)
{
	while (index->name_slots) {
		uint32_t entry = index->name_slots[(hash + *position) & index->name_slot_mask];

		if (!entry)
			break;
		++*position;
		if (index->names[entry - 1].hash == hash && index->names[entry - 1].kind == kind)
			return index->names[entry - 1].die;
	}
	return 0;
}

static void unit_index_destroy(struct unit_index *index)
{
	if (!index)
		return;
	free(index->functions);
	free(index->variables);
	free(index->names);
	free(index->name_slots);
	free(index->containers);
	free(index);
}

static void finish(struct walk *walk)
{
	struct unit_index *index = walk->index;

	if (index->function_count)
		qsort(index->functions, index->function_count, sizeof(*index->functions), by_address);
	sort_variables(index);
	hash_names(index);
	free(walk->levels);
	address_ranges_release(&walk->ranges);
}

static struct unit_index *build(struct unit *unit)
{
	struct walk walk = { .unit = unit, .index = xcalloc(1, sizeof(*walk.index)) };

	walk_unit(&walk);
	finish(&walk);
	return walk.index;
}

static void visit_level(void *data, uint64_t offset)
{
	struct walk *walk = data;
	struct cursor cursor = unit_cursor(walk->unit, offset);

	if (!die_read(walk->unit, &cursor, &walk->die))
		return;
	if (walk->die.tag == DW_TAG_subprogram)
		add_function(walk);
	add_name(walk, walk->die.tag == DW_TAG_subprogram ? NAME_FUNCTION : NAME_VARIABLE);
}

/* NULL: not such a unit. */
static struct unit_index *build_level(struct unit *unit)
{
	struct walk walk = { .unit = unit, .index = xcalloc(1, sizeof(*walk.index)) };
	struct scan scan = { 0 };
	bool plain = scan_level(&scan, unit, visit_level, &walk);

	scan_release(&scan);
	finish(&walk);
	if (plain)
		return walk.index;
	unit_index_destroy(walk.index);
	return NULL;
}

static struct unit_index *build_statics(struct unit *unit)
{
	struct variable_list list = { 0 };
	struct unit_index *index;
	struct scan scan = { 0 };
	bool plain = scan_variables(&scan, unit, &list);

	scan_release(&scan);
	if (!plain) {
		free(list.items);
		return NULL;
	}
	index = xcalloc(1, sizeof(*index));
	index->variables = list.items;
	index->variable_count = list.count;
	sort_variables(index);
	return index;
}

/* Prepared, and of a skeleton the unit that it stands for; NULL: it has no DIEs. */
static struct unit *readable(struct unit *unit)
{
	if (!unit_prepare(unit))
		return NULL;
	if (!unit->split)
		return unit;
	return unit_prepare(unit->split) ? unit->split : NULL;
}

/* What is in the slot, or what is built for it. Two threads may both build it; the first one's stays. Other
 * units are not held up by it. */
static const struct unit_index *get(struct unit *unit, struct unit_index **slot,
				    struct unit_index *(*build_one)(struct unit *unit))
{
	struct unit_index *index = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

	if (index)
		return index;

	struct unit_index *built = build_one(unit);

	if (!unit->in_types) /* few of its bytes are looked at again */
		dwarf_file_done_with(unit->file, unit->offset, unit->end);
	if (!built) /* which then is the whole one */
		built = (struct unit_index *)get(unit, &unit->index, build);
	if (__atomic_compare_exchange_n(slot, &index, built, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return built;
	if (built != unit->index)
		unit_index_destroy(built);
	return index;
}

static const struct unit_index empty;

const struct unit_index *unit_index_get(struct unit *unit)
{
	unit = readable(unit);
	return unit ? get(unit, &unit->index, build) : &empty;
}

const struct unit_index *unit_level_get(struct unit *unit)
{
	unit = readable(unit);
	return unit ? get(unit, &unit->level, build_level) : &empty;
}

const struct unit_index *unit_statics_get(struct unit *unit)
{
	unit = readable(unit);
	return unit ? get(unit, &unit->statics, build_statics) : &empty;
}

void unit_indices_destroy(struct unit *unit)
{
	if (unit->level != unit->index)
		unit_index_destroy(unit->level);
	if (unit->statics != unit->index)
		unit_index_destroy(unit->statics);
	unit_index_destroy(unit->index);
}

const struct function_entry *unit_index_function(const struct unit_index *index, uint64_t address)
{
	size_t low = 0, high = index->function_count;

	/* the first entry that begins after the address */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->functions[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* Nested functions and bad input may overlap: the nearest begin before the address that covers it,
	 * not looking further back than a few. */
	for (size_t i = low, tries = 0; i-- > 0 && tries < 16; tries++) {
		if (address < index->functions[i].high) {
			while (i && index->functions[i - 1].low == index->functions[i].low &&
			       address < index->functions[i - 1].high)
				i--;
			return &index->functions[i];
		}
	}
	return NULL;
}

const struct container *unit_index_container(const struct unit_index *index, uint64_t offset)
{
	size_t low = 0, high = index->container_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->containers[middle].start < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;

	const struct container *container = &index->containers[low - 1];

	for (int climbed = 0; offset >= container->end; climbed++) {
		if (container->parent == NO_CONTAINER || climbed >= MAXIMUM_NESTING)
			return NULL;
		container = &index->containers[container->parent];
	}
	return container;
}
