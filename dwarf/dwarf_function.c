// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A concrete function from one walk over its DIEs. What is found grows in the reader's scratch arrays, and is
 * copied to the function's arena in the end.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_form.h"
#include "dwarf/dwarf_function.h"
#include "dwarf/dwarf_location.h"
#include "profiler/base/memory.h"

#define VARIABLES_MAX   ((size_t)1 << 20)
#define LOCATIONS_MAX   ((size_t)1 << 22)
#define RANGE_TOTAL_MAX ((size_t)1 << 20)

struct function_walk {
	struct debug_object *object;
	struct function_scratch *scratch;
	struct unit *unit;
	struct cursor cursor;
	size_t depth;
	struct die die;
	struct die origin; /* what die names as its abstract origin, if has_origin */
	bool has_origin;
};

void function_scratch_deinit(struct function_scratch *scratch)
{
	free(scratch->scopes);
	free(scratch->variables);
	free(scratch->locations.items);
	free(scratch->range_items);
	address_ranges_deinit(&scratch->ranges);
	free(scratch->levels);
	free(scratch->calls.items);
	free(scratch->rows.items);
	frame_base_list_deinit(&scratch->bases);
	*scratch = (struct function_scratch){ 0 };
}

static void reset(struct function_scratch *scratch)
{
	scratch->scope_count = scratch->variable_count = scratch->range_count = 0;
	scratch->locations.count = scratch->locations.work = scratch->ranges.work = 0;
	scratch->locations.limit = LOCATIONS_MAX;
	scratch->calls.count = 0;
	scratch->rows.count = 0;
}

/* The DIE that says what is common to all instances, followed to the end of the chain. */
static void find_origin(struct function_walk *walk)
{
	const struct die *die = &walk->die;
	uint64_t reference = die_target(die, SLOT_ORIGIN);

	if (!reference)
		reference = die_target(die, SLOT_SPECIFICATION);
	walk->has_origin = false;
	for (int i = 0; reference && i < 8; i++) {
		if (!die_at(walk->object->files, reference, &walk->origin))
			return;
		walk->has_origin = true;
		if (die_has(&walk->origin, SLOT_NAME) && die_has(&walk->origin, SLOT_TYPE))
			return;
		reference = die_target(&walk->origin, SLOT_ORIGIN);
	}
}

static void add_scope_ranges(struct function_scratch *scratch, struct scope_item *item)
{
	item->first_range = scratch->range_count;
	for (size_t i = 0; i < scratch->ranges.count && scratch->range_count < RANGE_TOTAL_MAX; i++) {
		array_reserve(scratch->range_items, scratch->range_count, scratch->range_capacity);
		scratch->range_items[scratch->range_count++] = scratch->ranges.items[i];
	}
	item->scope.range_count = scratch->range_count - item->first_range;
}

static uint32_t add_scope(struct function_walk *walk, uint32_t parent)
{
	struct function_scratch *scratch = walk->scratch;
	struct scope_item item = {
		.scope = {
			.parent = parent,
			.depth = scratch->scope_count ? scratch->scopes[parent].scope.depth + 1 : 0,
			.inlined = walk->die.tag == DW_TAG_inlined_subroutine,
			.source = die_reference(&walk->die),
		},
	};

	if (item.scope.inlined) {
		item.callee = dwarf_prototype(walk->object, die_target(&walk->die, SLOT_ORIGIN));
		item.scope.prototype = item.callee ? &item.callee->prototype : NULL;
		item.scope.name = item.callee ? item.callee->prototype.name : NULL;
	}
	die_ranges(&walk->die, &scratch->ranges);
	add_scope_ranges(scratch, &item);
	array_reserve(scratch->scopes, scratch->scope_count, scratch->scope_capacity);
	scratch->scopes[scratch->scope_count] = item;
	return (uint32_t)scratch->scope_count++;
}

/* Which parameter of its function the DIE is: as the abstract instance counts them, else by its own order. */
static uint32_t parameter_index(const struct function_walk *walk, const struct scope_item *owner)
{
	const struct dwarf_prototype *callee = owner->callee;
	uint64_t self = die_reference(&walk->die);
	uint64_t origin = walk->has_origin ? die_reference(&walk->origin) : 0;
	uint64_t named = die_target(&walk->die, SLOT_ORIGIN);

	for (size_t i = 0; callee && i < callee->prototype.parameter_count; i++) {
		uint64_t die = callee->parameter_dies[i];

		if (die == self || die == origin || die == named)
			return (uint32_t)i;
	}
	return owner->parameter_count;
}

/* The scope that a parameter belongs to: the function or inlined call around it. */
static struct scope_item *owner_of(struct function_scratch *scratch, uint32_t scope)
{
	struct scope_item *item = &scratch->scopes[scope];

	while (item->scope.depth && !item->scope.inlined)
		item = &scratch->scopes[item->scope.parent];
	return item;
}

/* The number in the low `size` bytes, as a variable of that type has it; what is no signed integer is
 * extended with 0. */
static uint64_t extend_constant(const struct type *type, uint64_t number, uint64_t size)
{
	unsigned int unused = size && size < 8 ? (unsigned int)(64 - 8 * size) : 0;

	return type->flags & TYPE_SIGNED ? (uint64_t)((int64_t)(number << unused) >> unused)
					 : number << unused >> unused;
}

/* DWARF 5, section 7.5.5: the type says whether a constant of a fixed size has a sign. The other forms have
 * one, and are used for unsigned variables, too. */
static void add_constant(struct function_walk *walk, const struct type *type)
{
	struct location_list *list = &walk->scratch->locations;
	struct location location = {
		.high = UINT64_MAX, .kind = LOCATION_CONSTANT, .reg = 0xff, .variable = -1
	};
	const struct die *die = &walk->die;
	const uint8_t *bytes;
	uint64_t number = 0;
	size_t size;

	type = type_strip(type);
	if (die_block(die, SLOT_CONST_VALUE, &bytes, &size) && size <= sizeof(number)) {
		memcpy(&number, bytes, size);
		location.offset = (int64_t)extend_constant(type, number, size);
	} else if (die_unsigned(die, SLOT_CONST_VALUE, &number)) {
		int fixed = form_fixed_size(die->slots[SLOT_CONST_VALUE].form, walk->unit->version,
					    walk->unit->offset_size, walk->unit->address_size);

		number = extend_constant(type, number, fixed > 0 ? (uint64_t)fixed : 0);
		location.offset = (int64_t)extend_constant(type, number, type->size);
	} else {
		location.kind = LOCATION_OTHER; /* a string, or a record of some size */
	}
	array_reserve(list->items, list->count, list->capacity);
	list->items[list->count++] = location;
}

static void add_locations(struct function_scratch *scratch, const struct die *die)
{
	size_t first = scratch->locations.count;

	locations_of_attribute(die, SLOT_LOCATION, &scratch->locations);
	if (scratch->bases.count)
		frame_base_apply(&scratch->bases, &scratch->locations, first);
}

/* A static variable of an inlined function is where its abstract instance says. */
static void add_origin_place(struct function_walk *walk)
{
	struct location_list *list = &walk->scratch->locations;
	struct location location;
	const uint8_t *expression;
	size_t size;

	if (!walk->has_origin || !die_block(&walk->origin, SLOT_LOCATION, &expression, &size) ||
	    !location_is_static(walk->origin.unit, expression, size, &location))
		return;
	array_reserve(list->items, list->count, list->capacity);
	list->items[list->count++] = location;
}

static bool is_static(const struct location_list *list, size_t first)
{
	const struct location *location;

	if (list->count - first != 1) /* none at all: there may be no list yet */
		return false;
	location = &list->items[first];
	return !location->low && location->high == UINT64_MAX &&
	       (location->kind == LOCATION_ADDRESS || location->kind == LOCATION_TLS);
}

static const struct type *type_of_variable(const struct function_walk *walk)
{
	const struct die *described =
		walk->has_origin && !die_has(&walk->die, SLOT_TYPE) ? &walk->origin : &walk->die;
	uint64_t type = die_type_target(described);

	/* nothing is void: where the type was to be found cannot be read */
	return dwarf_type(&walk->object->types, type ? type : REFERENCE_BROKEN);
}

static void add_variable(struct function_walk *walk, uint32_t scope)
{
	struct function_scratch *scratch = walk->scratch;
	struct die *die = &walk->die;
	bool is_parameter = die->tag == DW_TAG_formal_parameter;
	struct scope_item *owner = owner_of(scratch, scope);
	struct variable_item item = { .first_location = scratch->locations.count };

	if (scratch->variable_count >= VARIABLES_MAX)
		return;
	find_origin(walk);
	if (is_parameter) {
		item.variable.parameter_index = parameter_index(walk, owner);
		owner->parameter_count++;
	}
	if (die_has(die, SLOT_LOCATION))
		add_locations(scratch, die);
	else if (die_has(die, SLOT_CONST_VALUE))
		add_constant(walk, type_of_variable(walk));
	else
		add_origin_place(walk);
	item.variable.location_count = scratch->locations.count - item.first_location;
	/* what is nowhere still says what the function speaks of; of parameters the prototype does */
	if (!item.variable.location_count && is_parameter)
		return;

	const struct die *described = walk->has_origin && !die_has(die, SLOT_NAME) ? &walk->origin : die;
	const char *name = die_name(described);

	item.variable.name = name && *name ? name : NULL;
	item.variable.type = type_of_variable(walk);
	item.variable.scope = scope;
	item.variable.source = die_reference(die);
	item.variable.flags = (is_parameter ? VARIABLE_PARAMETER : 0) |
			      (owner->scope.inlined ? VARIABLE_INLINED : 0) |
			      (is_static(&scratch->locations, item.first_location) ? VARIABLE_STATIC : 0) |
			      (die_flag(die, SLOT_ARTIFICIAL) ||
					       (walk->has_origin && die_flag(&walk->origin, SLOT_ARTIFICIAL))
				       ? VARIABLE_ARTIFICIAL
				       : 0);
	array_reserve(scratch->variables, scratch->variable_count, scratch->variable_capacity);
	scratch->variables[scratch->variable_count++] = item;
}

static void push(struct function_walk *walk, uint32_t scope)
{
	struct function_scratch *scratch = walk->scratch;

	walk->depth++;
	array_reserve(scratch->levels, walk->depth, scratch->level_capacity);
	scratch->levels[walk->depth] = scope;
}

static void visit(struct function_walk *walk)
{
	const struct die *die = &walk->die;
	uint32_t scope = walk->scratch->levels[walk->depth];

	switch (die->tag) {
	case DW_TAG_formal_parameter:
	case DW_TAG_variable:
		add_variable(walk, scope);
		die_skip_children(die, &walk->cursor);
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		if (die->has_children)
			push(walk, add_scope(walk, scope));
		break;
	case DW_TAG_GNU_formal_parameter_pack:
		if (die->has_children)
			push(walk, scope);
		break;
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		dwarf_call_site_add(&walk->scratch->calls, walk->object, die, &walk->cursor);
		break;
	default: /* types, labels, imported declarations; functions inside of this one are functions of their
		    own */
		die_skip_children(die, &walk->cursor);
	}
}

static void walk_children(struct function_walk *walk)
{
	walk->depth = 0;
	array_reserve(walk->scratch->levels, walk->depth, walk->scratch->level_capacity);
	walk->scratch->levels[0] = 0;
	while (die_read(walk->unit, &walk->cursor, &walk->die)) {
		if (walk->die.tag) {
			visit(walk);
		} else {
			if (!walk->depth)
				return;
			walk->depth--;
		}
	}
}

/* Variables of inner scopes after those of outer ones; otherwise the order of the DIEs. */
static void sort_variables(struct function_scratch *scratch)
{
	struct variable_item *items = scratch->variables;
	size_t count = scratch->variable_count;
	uint32_t deepest = 0;
	bool sorted = true;

	for (size_t i = 0; i < count; i++) {
		uint32_t depth = scratch->scopes[items[i].variable.scope].scope.depth;

		sorted &= depth >= deepest;
		deepest = depth > deepest ? depth : deepest;
	}
	if (sorted)
		return;

	/* a counting sort, which is stable */
	_cleanup_free_ struct variable_item *copy = xmalloc(count * sizeof(*copy));
	_cleanup_free_ size_t *starts = xcalloc((size_t)deepest + 2, sizeof(*starts));

	memcpy(copy, items, count * sizeof(*copy));
	for (size_t i = 0; i < count; i++)
		starts[scratch->scopes[items[i].variable.scope].scope.depth + 1]++;
	for (size_t depth = 0; depth < deepest; depth++)
		starts[depth + 1] += starts[depth];
	for (size_t i = 0; i < count; i++)
		items[starts[scratch->scopes[copy[i].variable.scope].scope.depth]++] = copy[i];
}

/* An implicit pointer names the variable by its DIE, or by the DIE of its abstract instance. */
static void resolve_implicit_pointers(struct function_scratch *scratch)
{
	struct hash_map by_die = { 0 };
	bool mapped = false, created;

	for (size_t i = 0; i < scratch->locations.count; i++) {
		struct location *location = &scratch->locations.items[i];

		if (location->kind != LOCATION_IMPLICIT_POINTER)
			continue;
		if (!mapped) {
			for (size_t j = 0; j < scratch->variable_count; j++)
				*hash_map_insert(&by_die, scratch->variables[j].variable.source, &created) =
					(uint32_t)j;
			mapped = true;
		}

		const uint32_t *index = hash_map_find(&by_die, (uint64_t)location->offset2);

		location->variable = index ? (int32_t)*index : -1;
		location->offset2 = 0;
	}
	hash_map_deinit(&by_die);
}

static void copy_scopes(struct function_scratch *scratch, struct function *function)
{
	const struct address_range *ranges =
		arena_copy(&function->arena, scratch->range_items, scratch->range_count * sizeof(*ranges));
	struct scope *scopes = arena_alloc(&function->arena, scratch->scope_count * sizeof(*scopes));

	for (size_t i = 0; i < scratch->scope_count; i++) {
		scopes[i] = scratch->scopes[i].scope;
		scopes[i].ranges = ranges + scratch->scopes[i].first_range;
	}
	function->scopes = scopes;
	function->scope_count = scratch->scope_count;
	function->ranges = scopes[0].ranges;
	function->range_count = scopes[0].range_count;
}

static void copy_variables(struct function_scratch *scratch, struct function *function)
{
	const struct location *locations = arena_copy(&function->arena, scratch->locations.items,
						      scratch->locations.count * sizeof(*locations));
	struct variable *variables =
		arena_alloc(&function->arena, scratch->variable_count * sizeof(*variables));

	for (size_t i = 0; i < scratch->variable_count; i++) {
		variables[i] = scratch->variables[i].variable;
		variables[i].locations = locations + scratch->variables[i].first_location;
	}
	function->variables = variables;
	function->variable_count = scratch->variable_count;
}

static void add_frame_rows(struct debug_object *object, struct function_scratch *scratch,
			   struct function *function)
{
	struct frame_rows *rows = &scratch->rows;

	for (size_t i = 0; i < function->range_count; i++)
		frame_table_rows(&object->frames, function->ranges[i].low, function->ranges[i].high, rows);
	function->frame_rows = frame_rows_copy(rows, &function->arena);
	function->frame_row_count = rows->count;
}

struct function *dwarf_function_build(struct debug_object *object, struct function_scratch *scratch,
				      uint64_t reference)
{
	struct function_walk walk = { .object = object, .scratch = scratch };

	if (!die_at(object->files, reference, &walk.die) || walk.die.tag != DW_TAG_subprogram)
		return NULL;

	struct function *function = xcalloc(1, sizeof(*function));
	struct unit *unit = walk.die.unit;
	const struct dwarf_prototype *prototype = dwarf_prototype(object, reference);

	reset(scratch);
	frame_base_read(&walk.die, &scratch->locations, function, &scratch->bases);
	add_scope(&walk, 0);
	scratch->scopes[0].callee = prototype;
	walk.unit = unit;
	walk.cursor = die_children(&walk.die);
	function->source = reference;
	function->unit_name = unit->name;
	function->unit_source = unit_reference(unit, unit->first_die);
	function->language = unit->language;
	function->prototype = &prototype->prototype;
	function->name = prototype->prototype.name;
	if (walk.die.has_children)
		walk_children(&walk);
	sort_variables(scratch);
	resolve_implicit_pointers(scratch);
	copy_scopes(scratch, function);
	copy_variables(scratch, function);
	dwarf_call_sites_finish(&scratch->calls, function);
	add_frame_rows(object, scratch, function);
	return function;
}

void function_destroy(struct function *function)
{
	if (!function)
		return;
	arena_deinit(&function->arena);
	free(function);
}
