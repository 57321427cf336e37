// SPDX-License-Identifier: GPL-2.0-or-later
/* The indices of units, from a walk over all DIEs or from quick passes. */
#include "dwarf/dwarf/index.h"

#include <dwarf.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/location.h"
#include "dwarf/types/function.h"
#include "base/hash.h"
#include "base/memory.h"

/* ---- lists of variables ---- */

static void variable_list_add(struct variable_list *list, const struct variable_entry *variable)
{
	array_add(list->items, list->count, list->capacity) = *variable;
	list->thread_local_count += variable->thread_local_;
}

void variable_list_append(struct variable_list *list, const struct variable_list *others)
{
	for (size_t i = 0; i < others->count; i++)
		variable_list_add(list, &others->items[i]);
}

COMPARISON(by_variable_address, struct variable_entry,
	   ASCENDING(thread_local_) ASCENDING(address) ASCENDING(die))

void variable_list_sort(struct variable_list *list)
{
	array_sort(list->items, list->count, by_variable_address);
}

/* True for an expression. A location list is not one place. */
static bool is_expression(unsigned int form)
{
	return form == DW_FORM_exprloc || form == DW_FORM_block || form == DW_FORM_block1 ||
	       form == DW_FORM_block2 || form == DW_FORM_block4;
}

/* Chooses variables with fixed places, also in functions. Types of C contain none. */
static void choose_variables(struct pass_step *step)
{
	const struct die_layout *layout = step->layout;

	step->wanted = layout->tag == DW_TAG_variable && layout_has(layout, SLOT_LOCATION) &&
		       is_expression(layout_form(layout, SLOT_LOCATION));
	step->within = layout->tag == DW_TAG_subprogram || layout->tag == DW_TAG_lexical_block ||
		       layout->tag == DW_TAG_inlined_subroutine;
}

/* The most pieces of a variable that are taken. */
#define PIECES_MAX 64

/* Adds the fixed places of the variable that the DIE describes. */
static void add_variable(const struct die *die, struct variable_list *variables)
{
	struct location places[PIECES_MAX];
	struct location_list list = { .items = places,
				      .capacity = PIECES_MAX,
				      .limit = PIECES_MAX };
	const uint8_t *expression;
	size_t size;

	if (!die_block(die, SLOT_LOCATION, &expression, &size))
		return;
	location_static_places(die->unit, expression, size, &list);
	for (size_t i = 0; i < list.count; i++)
		variable_list_add(variables,
				  &(struct variable_entry){
					  .address = (uint64_t)places[i].offset,
					  .die = die_reference(die),
					  .piece_offset = places[i].piece_offset,
					  .piece_size = places[i].piece_size,
					  .thread_local_ = places[i].kind == LOCATION_TLS,
				  });
}

bool scan_variables(struct pass *pass, const struct unit *unit, struct variable_list *variables)
{
	struct pass_die at;
	struct die die;

	if (!pass_start(pass, unit, choose_variables))
		return false;
	while (pass_next(pass, &at))
		if (pass_read(&pass->unit, &at, &die))
			add_variable(&die, variables);
	return true;
}

/* ---- adding to an index ---- */

struct index_builder {
	struct unit *unit; /* prepared */
	struct unit_index *index;
	size_t function_capacity, name_capacity, dropped_capacity;
	struct address_ranges ranges;
	const struct die *die; /* the DIE that is added */
};

/* Bytes of a name that its hash depends on. Thousands of DIEs may have one long name. */
#define HASHED_MAX 1024

uint32_t name_hash(const char *name)
{
	return (uint32_t)hash_bytes(name, strnlen(name, HASHED_MAX));
}

/* Adds a name of the DIE of this reference. */
static void index_add_name(struct index_builder *builder, const char *name, enum name_kind kind,
			   uint64_t reference)
{
	struct unit_index *index = builder->index;

	if (!name || !*name)
		return;
	array_add(index->names, index->name_count, builder->name_capacity) = (struct name_entry){
		.hash = name_hash(name),
		.kind = (uint8_t)kind,
		.die = reference,
	};
}

static void index_add_names(struct index_builder *builder, enum name_kind kind)
{
	const struct die *die = builder->die;
	const char *name = die_name(die), *linkage = die_string(die, SLOT_LINKAGE_NAME);
	const struct die *declared;
	struct die other;

	/* a definition outside of its class or namespace has its name in the declaration */
	if (!name && die_has(die, SLOT_SPECIFICATION) &&
	    (declared = die_integrate(builder->unit->file->files, die, SLOT_NAME, &other))) {
		name = die_name(declared);
		linkage = linkage ?: die_string(declared, SLOT_LINKAGE_NAME);
	}
	index_add_name(builder, name, kind, die_reference(die));
	index_add_name(builder, linkage, kind, die_reference(die));
}

static void index_add_function(struct index_builder *builder)
{
	struct unit_index *index = builder->index;
	uint64_t reference = die_reference(builder->die), low, size = 0;

	/* gcc -flto -gsplit-dwarf loses the references to the units of the sources: such a function
	 * has neither a name nor types here; its symbol leads to them */
	if (die_has(builder->die, SLOT_ORIGIN) && !die_target(builder->die, SLOT_ORIGIN))
		return;

	if (!die_ranges(builder->die, &builder->ranges)) {
		if (die_address(builder->die, SLOT_LOW_PC, &low) && !low &&
		    die_unsigned(builder->die, SLOT_HIGH_PC, &size) && size)
			array_add(index->dropped, index->dropped_count, builder->dropped_capacity) =
				(struct function_entry){ .size = size, .die = reference };
		return;
	}

	for (size_t i = 0; i < builder->ranges.count; i++)
		size += builder->ranges.items[i].high - builder->ranges.items[i].low;
	for (size_t i = 0; i < builder->ranges.count; i++) {
		array_add(index->functions, index->function_count, builder->function_capacity) =
			(struct function_entry){
				.low = builder->ranges.items[i].low,
				.high = builder->ranges.items[i].high,
				.entry = builder->ranges.items[0].low,
				.size = size,
				.die = reference,
			};
	}
}

COMPARISON(by_function_address, struct function_entry, ASCENDING(low) ASCENDING(die))

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

/* Sorts the index, which then belongs to the caller. */
static struct unit_index *index_finish(struct index_builder *builder)
{
	struct unit_index *index = builder->index;

	array_sort(index->functions, index->function_count, by_function_address);
	array_fit(index->functions, index->function_count, builder->function_capacity);
	array_fit(index->dropped, index->dropped_count, builder->dropped_capacity);
	array_fit(index->names, index->name_count, builder->name_capacity);
	variable_list_sort(&index->variables);
	hash_names(index);
	address_ranges_deinit(&builder->ranges);
	return index;
}

/* ---- all DIEs of a unit ---- */

struct level {
	uint32_t container; /* around the DIEs of this level */
	bool in_function;
};

struct index_walk {
	struct index_builder builder;
	struct die die;
	size_t container_capacity;
	struct level *levels;
	size_t depth, level_capacity;
};

static uint32_t add_container(struct index_walk *walk)
{
	struct unit_index *index = walk->builder.index;
	const char *name = die_name(&walk->die);

	array_add(index->containers, index->container_count, walk->container_capacity) =
		(struct container){
			.start = walk->die.offset,
			.end = walk->builder.unit->end,
			.parent = walk->levels[walk->depth].container,
			.tag = walk->die.tag,
			.name = name && *name ? name : NULL,
		};
	return (uint32_t)index->container_count - 1;
}

static void index_push(struct index_walk *walk, uint32_t container, bool in_function)
{
	walk->depth++;
	array_reserve(walk->levels, walk->depth, walk->level_capacity);
	walk->levels[walk->depth] =
		(struct level){ .container = container, .in_function = in_function };
}

static void index_pop(struct index_walk *walk, uint64_t end)
{
	uint32_t container = walk->levels[walk->depth].container;

	walk->depth--;
	if (container != walk->levels[walk->depth].container)
		walk->builder.index->containers[container].end = end;
}

bool name_kind_of_tag(unsigned int tag, uint8_t *kind)
{
	switch (tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type: *kind = NAME_RECORD; return true;
	case DW_TAG_enumeration_type: *kind = NAME_ENUM; return true;
	case DW_TAG_typedef:
	case DW_TAG_base_type: *kind = NAME_TYPEDEF; return true;
	case DW_TAG_subprogram: *kind = NAME_FUNCTION; return true;
	case DW_TAG_variable: *kind = NAME_VARIABLE; return true;
	}
	return false;
}

static void add_to_index(struct index_walk *walk, enum name_kind kind)
{
	const struct die *die = &walk->die;
	bool is_variable = kind == NAME_VARIABLE;

	if (kind == NAME_FUNCTION)
		index_add_function(&walk->builder);
	if (is_variable)
		add_variable(die, &walk->builder.index->variables);
	if ((is_variable && walk->levels[walk->depth].in_function) ||
	    ((kind == NAME_RECORD || kind == NAME_ENUM) && die_flag(die, SLOT_DECLARATION)))
		return;
	index_add_names(&walk->builder, kind);
}

/* True if nothing inside a DIE of this tag is looked up by name or address. */
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

/* True if a module is part of the names in it. Headers of C and C++ may be in modules of clang. */
static bool module_is_scope(const struct unit *unit)
{
	return unit->language != LANGUAGE_C && unit->language != LANGUAGE_CXX &&
	       unit->language != LANGUAGE_OBJECTIVE_C;
}

static void walk_unit(struct index_walk *walk)
{
	struct unit *unit = walk->builder.unit;
	struct cursor cursor = unit_cursor(unit, unit->first_die);
	struct die *die = &walk->die;
	uint8_t kind;

	walk->builder.die = die;
	array_reserve(walk->levels, walk->depth, walk->level_capacity);
	walk->levels[0] = (struct level){ .container = NO_CONTAINER };
	while (die_read(unit, &cursor, die)) {
		if (!die->tag) {
			if (!walk->depth)
				return;
			index_pop(walk, cursor.position);
			continue;
		}

		uint32_t container = walk->levels[walk->depth].container;
		bool in_function = walk->levels[walk->depth].in_function;

		bool is_named = name_kind_of_tag(die->tag, &kind);

		if (is_named)
			add_to_index(walk, kind);
		if (die->has_children &&
		    (die->tag == DW_TAG_namespace ||
		     (die->tag == DW_TAG_module && module_is_scope(unit)) ||
		     (is_named && (kind == NAME_FUNCTION || kind == NAME_RECORD))))
			container = add_container(walk);
		if (!die->has_children)
			continue;
		if (is_closed(walk, die->tag) && die_follow_sibling(die, &cursor)) {
			if (container != walk->levels[walk->depth].container)
				walk->builder.index->containers[container].end = cursor.position;
			continue;
		}
		index_push(walk, container, in_function || die->tag == DW_TAG_subprogram);
	}
}

static struct unit_index *index_build(struct unit *unit)
{
	struct index_walk walk = {
		.builder = { .unit = unit, .index = xcalloc(1, sizeof(*walk.builder.index)) }
	};

	walk_unit(&walk);
	free(walk.levels);
	return index_finish(&walk.builder);
}

/* ---- parts of C units, from quick passes ---- */

static void choose_file_scope(struct pass_step *step)
{
	step->wanted =
		step->layout->tag == DW_TAG_subprogram || step->layout->tag == DW_TAG_variable;
}

static void add_file_scope_die(struct index_builder *builder)
{
	const struct die *die = builder->die;

	if (die->tag == DW_TAG_subprogram)
		index_add_function(builder);
	else
		add_variable(die, &builder->index->variables);
	index_add_names(builder, die->tag == DW_TAG_subprogram ? NAME_FUNCTION : NAME_VARIABLE);
}

/* Build a part of the index; NULL if the unit does not allow a quick pass. */
static struct unit_index *index_build_file_scope(struct unit *unit)
{
	struct index_builder builder = { .unit = unit,
					 .index = xcalloc(1, sizeof(*builder.index)) };
	struct pass pass = { 0 };
	struct die dies[2]; /* one that is added while the name of the other is fetched */
	struct pass_die at;
	bool plain = pass_start(&pass, unit, choose_file_scope);

	while (plain && pass_next(&pass, &at)) {
		struct die *read = &dies[builder.die == dies];

		if (!pass_read(unit, &at, read))
			continue;
		die_name_ahead(read);
		if (builder.die)
			add_file_scope_die(&builder);
		builder.die = read;
	}
	if (builder.die)
		add_file_scope_die(&builder);
	pass_deinit(&pass);
	if (plain)
		return index_finish(&builder);
	unit_index_destroy(builder.index);
	return NULL;
}

static struct unit_index *index_build_statics(struct unit *unit)
{
	struct unit_index *index = xcalloc(1, sizeof(*index));
	struct pass pass = { 0 };
	bool plain = scan_variables(&pass, unit, &index->variables);

	pass_deinit(&pass);
	if (plain) {
		variable_list_sort(&index->variables);
		return index;
	}
	unit_index_destroy(index);
	return NULL;
}

#define NESTING_MAX 4096

/* ---- building when asked ---- */

/* Publishes the index. If another thread was first, its index stays and `built` is destroyed. */
static const struct unit_index *keep(struct unit *unit, struct unit_index **slot,
				     struct unit_index *built)
{
	struct unit_index *index = NULL;

	if (__atomic_compare_exchange_n(slot, &index, built, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return built;
	if (built != __atomic_load_n(&unit->index, __ATOMIC_RELAXED))
		unit_index_destroy(built);
	return index;
}

/* Returns the index in the slot, built if need be. Other units' threads do not wait. */
static const struct unit_index *get(struct unit *unit, struct unit_index **slot,
				    struct unit_index *(*build_one)(struct unit *unit))
{
	struct unit_index *index = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

	if (index)
		return index;

	struct unit_index *built = build_one(unit);

	if (!built) /* no quick pass: use the index of all DIEs */
		built = (struct unit_index *)get(unit, &unit->index, index_build);
	return keep(unit, slot, built);
}

static const struct unit_index empty;

const struct unit_index *unit_index_get(struct unit *unit)
{
	unit = unit_with_dies(unit);
	return unit ? get(unit, &unit->index, index_build) : &empty;
}

static struct unit_index *index_read_file_scope(struct unit *unit)
{
	struct unit_index *index = index_build_file_scope(unit);

	dwarf_file_was_read(unit->file, unit->end - unit->offset);
	return index;
}

const struct unit_index *unit_file_scope_get(struct unit *unit)
{
	unit = unit_with_dies(unit);
	return unit ? get(unit, &unit->file_scope, index_read_file_scope) : &empty;
}

const struct unit_index *unit_statics_get(struct unit *unit)
{
	unit = unit_with_dies(unit);
	return unit ? get(unit, &unit->statics, index_build_statics) : &empty;
}

/* ---- looking up ---- */

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

const struct function_entry *unit_index_function(const struct unit_index *index, uint64_t address)
{
	size_t after =
		partition_point(0, index->function_count, i, index->functions[i].low <= address);

	/* Nested functions and bad input may overlap: of the nearest few that begin before the
	 * address, take the first that covers it; of those that begin there, the first one. */
	for (size_t i = after, tries = 0; i-- > 0 && tries < 16; tries++) {
		if (address < index->functions[i].high) {
			uint64_t low = index->functions[i].low;
			size_t first = partition_point(0, i, k, index->functions[k].low < low);

			return &index->functions[address < index->functions[first].high ? first
											: i];
		}
	}
	return NULL;
}

const struct container *unit_index_container(const struct unit_index *index, uint64_t offset)
{
	size_t count =
		partition_point(0, index->container_count, i, index->containers[i].start < offset);

	if (!count)
		return NULL;

	const struct container *container = &index->containers[count - 1];

	for (int climbed = 0; offset >= container->end; climbed++) {
		if (container->parent == NO_CONTAINER || climbed >= NESTING_MAX)
			return NULL;
		container = &index->containers[container->parent];
	}
	return container;
}
