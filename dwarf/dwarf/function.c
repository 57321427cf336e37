// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions: prototypes, and the concrete function with its scopes, variables and call sites from
 * one walk over its DIEs. */
#include <dwarf.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/location.h"
#include "dwarf/dwarf/object.h"
#include "base/memory.h"

/* ---- prototypes ---- */

#define CHAIN_MAX      8
#define PARAMETERS_MAX 4096

/* The DIEs of a function from the concrete to the most abstract one. */
struct chain {
	struct die dies[CHAIN_MAX];
	size_t count;
};

/* Returns the method of the name in the type unit of its class, or 0. Beside a type unit, gcc
 * repeats the class in the units that use it, as a declaration whose methods have no parameters. */
static uint64_t method_in_type_unit(struct dwarf_files *files, const struct die *method)
{
	const char *wanted = die_string(method, SLOT_LINKAGE_NAME);

	/* the index of a unit costs as much as all else that is read of it */
	if (!wanted || (!files->type_units.count && !method->unit->file->split))
		return 0;

	const struct container *class =
		unit_index_container(unit_index_get(method->unit), method->offset);
	struct die holder;

	if (!class || !die_at(files, unit_reference(method->unit, class->start), &holder) ||
	    !die_has(&holder, SLOT_SIGNATURE) ||
	    !die_at(files, die_target(&holder, SLOT_SIGNATURE), &holder))
		return 0;

	children_each (child, &holder) {
		const char *name = die_string(&child, SLOT_LINKAGE_NAME);

		if (child.tag == DW_TAG_subprogram && name && strcmp(name, wanted) == 0)
			return die_reference(&child);
	}
	return 0;
}

static void read_chain(struct dwarf_files *files, uint64_t reference, struct chain *chain)
{
	chain->count = 0;
	while (reference && chain->count < CHAIN_MAX) {
		struct die *die = &chain->dies[chain->count];

		if (!die_at(files, reference, die) || die->tag != DW_TAG_subprogram)
			return;
		chain->count++;
		reference = die_target(die, SLOT_ORIGIN);
		if (!reference)
			reference = die_target(die, SLOT_SPECIFICATION);
		if (!reference && !die->has_children && die_flag(die, SLOT_DECLARATION))
			reference = method_in_type_unit(files, die);
	}
}

struct parameters {
	struct parameter *items;
	uint64_t *dies;
	size_t count, capacity, die_capacity;
	bool variadic;
	const struct type *result; /* Go: of the first result; NULL: there is none */
};

static void read_parameters(struct dwarf_object *object, const struct die *function,
			    struct parameters *parameters)
{
	children_each (die, function) {
		if (die.tag == DW_TAG_unspecified_parameters)
			parameters->variadic = true;
		if (die.tag != DW_TAG_formal_parameter || parameters->count >= PARAMETERS_MAX)
			continue;
		/* Go's results follow the parameters, and are marked as parameters that are set */
		if (die.unit->language == LANGUAGE_GO && die_flag(&die, SLOT_VARIABLE_PARAMETER)) {
			if (!parameters->result)
				parameters->result = dwarf_type_of(&object->types, &die);
			continue;
		}

		struct die other;
		const struct die *named = die_integrate(object->files, &die, SLOT_NAME, &other);
		const char *name = named ? die_name(named) : NULL;

		array_reserve(parameters->dies, parameters->count, parameters->die_capacity);
		array_reserve(parameters->items, parameters->count, parameters->capacity);
		parameters->dies[parameters->count] = die_reference(&die);
		parameters->items[parameters->count++] = (struct parameter){
			.name = name && *name ? name : NULL,
			.type = dwarf_type_of(&object->types, &die),
			.artificial = die_flag(&die, SLOT_ARTIFICIAL),
		};
	}
}

static bool any_flag(const struct chain *chain, enum attribute_slot slot)
{
	return any_of(i, 0, chain->count, die_flag(&chain->dies[i], slot));
}

static const struct die *first_with(const struct chain *chain, enum attribute_slot slot)
{
	return array_find(i, chain->dies, chain->count, die_has(&chain->dies[i], slot));
}

/* False for a declaration in C without parameters that is no prototype: it says nothing. False in
 * Fortran, which passes addresses: gfortran gives parameters the types of what is there, as it does
 * those with the attribute VALUE, which are passed themselves. */
static bool parameters_are_known(const struct chain *chain, size_t count)
{
	const struct die *last = &chain->dies[chain->count - 1];

	if (last->unit->language == LANGUAGE_FORTRAN)
		return false;
	return count || last->unit->language != LANGUAGE_C || any_flag(chain, SLOT_PROTOTYPED) ||
	       !any_flag(chain, SLOT_DECLARATION);
}

/* True if the DIE of a function with code gives a location for the parameter. */
static bool has_place(const struct die *function, uint64_t parameter)
{
	children_each (die, function)
		if (die.tag == DW_TAG_formal_parameter &&
		    (die_reference(&die) == parameter ||
		     die_target(&die, SLOT_ORIGIN) == parameter))
			return die_has(&die, SLOT_LOCATION);
	return false;
}

/* Returns the index of the first parameter of a function of Rust that has bytes and no location.
 * Returns their count without one, without code, and in other languages. */
static size_t find_lost_parameter(const struct die *function, const struct parameters *parameters)
{
	size_t i = 0;

	if (function->unit->language != LANGUAGE_RUST ||
	    (!die_has(function, SLOT_LOW_PC) && !die_has(function, SLOT_RANGES)))
		return parameters->count;
	while (i < parameters->count && (!type_size_or(parameters->items[i].type, 0) ||
					 has_place(function, parameters->dies[i])))
		i++;
	return i;
}

/* Reads a prototype, whose parameters the caller frees. */
static struct prototype read_prototype(struct dwarf_object *object, const struct chain *chain,
				       struct parameters *parameters)
{
	const struct die *typed = first_with(chain, SLOT_TYPE),
			 *named = first_with(chain, SLOT_NAME);

	/* the most abstract DIE has the parameters as written; an instance may lack some */
	for (size_t i = chain->count; i-- > 0 && !parameters->count && !parameters->variadic;)
		read_parameters(object, &chain->dies[i], parameters);
	const struct type *result =
		parameters->result
			?: dwarf_type(&object->types, typed ? die_type_target(typed) : 0);
	const struct die *called = first_with(chain, SLOT_CALLING_CONVENTION);
	bool own = called && die_has_own_convention(called);

	return (struct prototype){
		.name = named ? die_name(named) : NULL,
		/* where a record is returned is not known, either */
		.return_type = own && type_is_record(type_strip(result)) ? NULL : result,
		.parameters = parameters->items,
		.parameter_count = parameters->count,
		.variadic = parameters->variadic,
		.no_return = any_flag(chain, SLOT_NO_RETURN),
		.prototyped = !own && parameters_are_known(chain, parameters->count),
		.lost_parameter = find_lost_parameter(&chain->dies[0], parameters),
	};
}

/* Copies what was read to the table's arena, under the lock. */
static struct dwarf_prototype *copy_prototype(struct dwarf_object *object,
					      const struct prototype *prototype,
					      const struct parameters *parameters)
{
	struct arena *arena = &object->types.table->arena;
	struct dwarf_prototype *result = arena_alloc(arena, sizeof(*result));

	result->parameter_dies =
		arena_copy(arena, parameters->dies, parameters->count * sizeof(*parameters->dies));
	result->prototype = *prototype;
	result->prototype.parameters = arena_copy(arena, parameters->items,
						  parameters->count * sizeof(*parameters->items));
	return result;
}

const struct dwarf_prototype *dwarf_prototype(struct dwarf_object *object, uint64_t reference)
{
	struct dwarf_prototype *found =
		reference ? concurrent_map_find(&object->prototypes, reference) : NULL;

	if (found || !reference)
		return found;

	struct chain chain;

	read_chain(object->files, reference, &chain);
	if (!chain.count)
		return NULL;

	/* the instances share the most abstract DIE, from which most of the prototype comes */
	struct parameters parameters = { 0 };
	struct prototype prototype = read_prototype(object, &chain, &parameters);

	/* it was read without the lock: if another thread was first, its result stays */
	type_table_lock(object->types.table);
	found = concurrent_map_find(&object->prototypes, reference);
	if (!found) {
		found = copy_prototype(object, &prototype, &parameters);
		concurrent_map_insert(&object->prototypes, reference, found);
	}
	type_table_unlock(object->types.table);
	free_all(parameters.items, parameters.dies);
	return found;
}

/* ---- functions ---- */

struct found_call_site {
	struct call_site site;
	size_t number; /* in the order of the DIEs */
};

struct call_site_builder {
	struct found_call_site *items;
	size_t count, capacity;
};

struct scope_item {
	struct scope scope;
	size_t first_range;
	uint32_t parameter_count;             /* so far */
	const struct dwarf_prototype *callee; /* of the function or of the inlined call */
};

struct variable_item {
	struct variable variable;
	size_t first_location;
	size_t first_arrival, arrival_count;
};

struct function_scratch {
	struct scope_item *scopes;
	size_t scope_count, scope_capacity;
	struct variable_item *variables;
	size_t variable_count, variable_capacity;
	struct location_list locations;
	struct address_ranges ranges;
	struct address_range *range_items;
	size_t range_count, range_capacity;
	uint32_t *levels; /* scope by depth of the walk */
	size_t level_capacity;
	struct call_site_builder calls;
	struct frame_rows rows;
	struct frame_base_list bases; /* if the function has more than one */
};

/* ---- call sites (DWARF 5, section 3.4; before that gcc's DW_TAG_GNU_call_site) ---- */

#define CALL_SITES_MAX ((size_t)1 << 20)

/* Adds a call site. *cursor is at the end of the DIE, and is moved past its children. */
static void add_call_site(struct call_site_builder *builder, struct dwarf_object *object,
			  const struct die *die, struct cursor *cursor)
{
	bool gnu = die->tag == DW_TAG_GNU_call_site;
	struct call_site site = { 0 };
	uint64_t origin = die_target(die, gnu ? SLOT_ORIGIN : SLOT_CALL_ORIGIN);

	die_skip_children(die, cursor);
	if (!die_address(die, gnu ? SLOT_LOW_PC : SLOT_CALL_RETURN_PC, &site.return_address) ||
	    builder->count >= CALL_SITES_MAX)
		return;
	if (origin) {
		const struct dwarf_prototype *callee = dwarf_prototype(object, origin);

		site.callee = callee ? &callee->prototype : NULL;
	}
	array_reserve(builder->items, builder->count, builder->capacity);
	builder->items[builder->count] = (struct found_call_site){ site, builder->count };
	builder->count++;
}

COMPARISON(by_address, struct found_call_site, ASCENDING(site.return_address) ASCENDING(number))

static void finish_call_sites(struct call_site_builder *builder, struct function *function)
{
	struct call_site *sites = arena_alloc(&function->arena, builder->count * sizeof(*sites));

	sort_unless_sorted(builder->items, builder->count, sizeof(*builder->items), by_address);
	for (size_t i = 0; i < builder->count; i++)
		sites[i] = builder->items[i].site;
	function->call_sites = sites;
	function->call_site_count = builder->count;
}

/*
 * ---- a concrete function ----
 *
 * Lists grow in the reader's scratch arrays while the DIEs are walked, and are copied to the
 * function's arena in the end.
 */

/* The most of a function. A location takes about 200 bytes until the function is solved, and
 * variables may share a list of them, so that a small file can describe any number. */
#define VARIABLES_MAX   ((size_t)1 << 19)
#define LOCATIONS_MAX   ((size_t)1 << 19)
#define RANGE_TOTAL_MAX ((size_t)1 << 19)

struct function_walk {
	struct dwarf_object *object;
	struct function_scratch *scratch;
	struct unit *unit;
	struct cursor cursor;
	size_t depth;
	struct die die;
	struct die origin; /* the abstract origin of `die`, if has_origin */
	bool has_origin;
};

struct function_scratch *function_scratch_create(void)
{
	return xcalloc(1, sizeof(struct function_scratch));
}

void function_scratch_destroy(struct function_scratch *scratch)
{
	free_all(scratch->scopes, scratch->variables, scratch->locations.items,
		 scratch->locations.arrivals.items, scratch->locations.passed.items,
		 scratch->range_items);
	address_ranges_deinit(&scratch->ranges);
	free_all(scratch->levels, scratch->calls.items, scratch->rows.items);
	frame_base_list_deinit(&scratch->bases);
	free(scratch);
}

static void reset(struct function_scratch *scratch)
{
	scratch->scope_count = scratch->variable_count = scratch->range_count = 0;
	scratch->locations.count = scratch->locations.work = scratch->ranges.work = 0;
	scratch->locations.arrivals.count = scratch->locations.passed.count = 0;
	scratch->locations.limit = LOCATIONS_MAX;
	scratch->locations.with_arrivals = true;
	scratch->calls.count = 0;
	scratch->rows.count = 0;
}

/* Follows the chain of abstract origins to the first DIE that has a name and a type, or else to its
 * end. Such a DIE has what all instances share. */
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
	for (size_t i = 0; i < scratch->ranges.count && scratch->range_count < RANGE_TOTAL_MAX; i++)
		array_add(scratch->range_items, scratch->range_count, scratch->range_capacity) =
			scratch->ranges.items[i];
	item->scope.range_count = scratch->range_count - item->first_range;
}

/* Returns a line of the source; 0 if the DIE does not say which. */
static uint32_t source_line(const struct die *die, enum attribute_slot slot)
{
	uint64_t line;

	return die_unsigned(die, slot, &line) && line <= UINT32_MAX ? (uint32_t)line : 0;
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
		item.scope.line = source_line(&walk->die, SLOT_CALL_LINE);
		item.callee = dwarf_prototype(walk->object, die_target(&walk->die, SLOT_ORIGIN));
		item.scope.prototype = item.callee ? &item.callee->prototype : NULL;
		item.scope.name = item.callee ? item.callee->prototype.name : NULL;
	}
	die_ranges(&walk->die, &scratch->ranges);
	add_scope_ranges(scratch, &item);
	array_add(scratch->scopes, scratch->scope_count, scratch->scope_capacity) = item;
	return (uint32_t)scratch->scope_count - 1;
}

/* Returns the parameter's position in the abstract instance, else among those read so far. */
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

/* Returns the scope that a parameter belongs to: the function or inlined call around it. */
static struct scope_item *owner_of(struct function_scratch *scratch, uint32_t scope)
{
	struct scope_item *item = &scratch->scopes[scope];

	while (item->scope.depth && !item->scope.inlined)
		item = &scratch->scopes[item->scope.parent];
	return item;
}

/* Adds that the variable has no place, but is a number, or (LOCATION_OTHER) a string or a record.
 */
static void add_constant(struct function_walk *walk)
{
	struct location_list *list = &walk->scratch->locations;
	const uint8_t *bytes;
	uint64_t number;
	size_t size;
	bool is_number = (die_block(&walk->die, SLOT_CONST_VALUE, &bytes, &size) &&
			  size <= sizeof(number)) ||
			 die_unsigned(&walk->die, SLOT_CONST_VALUE, &number);

	array_add(list->items, list->count, list->capacity) =
		(struct location){ .high = UINT64_MAX,
				   .kind = is_number ? LOCATION_CONSTANT : LOCATION_OTHER,
				   .reg = 0xff };
}

static void add_locations(struct function_scratch *scratch, const struct die *die)
{
	size_t first = scratch->locations.count;

	locations_of_attribute(die, SLOT_LOCATION, &scratch->locations);
	if (scratch->bases.count)
		frame_base_apply(&scratch->bases, &scratch->locations, first);
}

/* Adds the place of a static variable of an inlined function, which the abstract instance has. */
static void add_origin_place(struct function_walk *walk)
{
	const uint8_t *expression;
	size_t size;

	if (walk->has_origin && die_block(&walk->origin, SLOT_LOCATION, &expression, &size))
		location_static_places(walk->origin.unit, expression, size,
				       &walk->scratch->locations);
}

static const struct type *type_of_variable(const struct function_walk *walk)
{
	const struct die *described =
		walk->has_origin && !die_has(&walk->die, SLOT_TYPE) ? &walk->origin : &walk->die;
	uint64_t type = die_type_target(described);

	/* no variable is void, so a missing type is one that cannot be read */
	return dwarf_type(&walk->object->types, type ?: REFERENCE_BROKEN);
}

/* Completes the words that were read of a variable, or drops them if it is no pointer that is
 * passed to an inlined function. */
static void add_passed_words(const struct function_walk *walk, uint32_t scope, bool is_passed,
			     size_t first)
{
	struct passed_list *passed = &walk->scratch->locations.passed;
	const struct type *type =
		is_passed && passed->count > first ? type_of_variable(walk) : NULL;

	if (!type || !type_is_pointer(type_strip(type)))
		passed->count = first;
	for (size_t i = first; i < passed->count; i++) {
		passed->items[i].type = type;
		passed->items[i].scope = scope;
	}
}

static void function_add_variable(struct function_walk *walk, uint32_t scope)
{
	struct function_scratch *scratch = walk->scratch;
	struct die *die = &walk->die;
	bool is_parameter = die->tag == DW_TAG_formal_parameter;
	struct scope_item *owner = owner_of(scratch, scope);
	size_t first_passed = scratch->locations.passed.count;
	struct variable_item item = { .first_location = scratch->locations.count,
				      .first_arrival = scratch->locations.arrivals.count };

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
		add_constant(walk);
	else
		add_origin_place(walk);
	item.variable.location_count = scratch->locations.count - item.first_location;
	/* a variable without a location has a type in scope; parameters are in the prototype */
	item.arrival_count = scratch->locations.arrivals.count - item.first_arrival;
	add_passed_words(walk, scope, is_parameter && owner->scope.inlined, first_passed);
	if (!item.variable.location_count && is_parameter)
		return;

	const struct die *described =
		walk->has_origin && !die_has(die, SLOT_NAME) ? &walk->origin : die;
	const char *name = die_name(described);

	item.variable.name = name && *name ? name : NULL;
	item.variable.type = type_of_variable(walk);
	item.variable.scope = scope;
	item.variable.line = source_line(
		walk->has_origin && !die_has(die, SLOT_DECLARED_LINE) ? &walk->origin : die,
		SLOT_DECLARED_LINE);
	item.variable.flags =
		(is_parameter ? VARIABLE_PARAMETER : 0) |
		(die_flag(die, SLOT_ARTIFICIAL) ||
				 (walk->has_origin && die_flag(&walk->origin, SLOT_ARTIFICIAL))
			 ? VARIABLE_ARTIFICIAL
			 : 0);
	/* a frame that LLVM keeps on the stack of the coroutine's caller outlives the call that
	 * made it */
	if (item.variable.flags & VARIABLE_ARTIFICIAL && owner->scope.inlined &&
	    item.variable.name && strcmp(item.variable.name, "__coro_frame") == 0)
		item.variable.scope = owner->scope.parent;
	array_add(scratch->variables, scratch->variable_count, scratch->variable_capacity) = item;
}

static void function_push(struct function_walk *walk, uint32_t scope)
{
	struct function_scratch *scratch = walk->scratch;

	walk->depth++;
	array_reserve(scratch->levels, walk->depth, scratch->level_capacity);
	scratch->levels[walk->depth] = scope;
}

static void function_visit(struct function_walk *walk)
{
	const struct die *die = &walk->die;
	uint32_t scope = walk->scratch->levels[walk->depth];

	switch (die->tag) {
	case DW_TAG_formal_parameter:
	case DW_TAG_variable:
		function_add_variable(walk, scope);
		die_skip_children(die, &walk->cursor);
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		if (die->has_children)
			function_push(walk, add_scope(walk, scope));
		break;
	case DW_TAG_GNU_formal_parameter_pack:
		if (die->has_children)
			function_push(walk, scope);
		break;
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		add_call_site(&walk->scratch->calls, walk->object, die, &walk->cursor);
		break;
	/* types, labels, imported declarations; nested functions, which are read by themselves */
	default: die_skip_children(die, &walk->cursor);
	}
}

static void walk_function(struct function_walk *walk)
{
	walk->depth = 0;
	array_reserve(walk->scratch->levels, walk->depth, walk->scratch->level_capacity);
	walk->scratch->levels[0] = 0;
	while (die_read(walk->unit, &walk->cursor, &walk->die)) {
		if (walk->die.tag) {
			function_visit(walk);
		} else {
			if (!walk->depth)
				return;
			walk->depth--;
		}
	}
}

/* Sorts variables of inner scopes after those of outer ones, and else by their DIEs. */
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

static void copy_scopes(struct function_scratch *scratch, struct function *function)
{
	const struct address_range *ranges = arena_copy(&function->arena, scratch->range_items,
							scratch->range_count * sizeof(*ranges));
	struct scope *scopes =
		arena_alloc(&function->arena, scratch->scope_count * sizeof(*scopes));

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
	const struct location *locations =
		arena_copy(&function->arena, scratch->locations.items,
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

static void copy_arrivals(struct function_scratch *scratch, struct function *function)
{
	const struct arrival_list *read = &scratch->locations.arrivals;
	struct arrival *arrivals = arena_alloc(&function->arena, read->count * sizeof(*arrivals));
	size_t count = 0;

	for (size_t i = 0; read->count && i < scratch->variable_count; i++) {
		const struct variable_item *item = &scratch->variables[i];

		for (size_t k = 0; k < item->arrival_count; k++) {
			arrivals[count] = read->items[item->first_arrival + k];
			arrivals[count++].variable = (uint32_t)i;
		}
	}
	function->arrivals = arrivals;
	function->arrival_count = count;
}

COMPARISON(by_word, struct passed_word, ASCENDING(address) ASCENDING(scope) ASCENDING(offset))

static void copy_passed(const struct passed_list *list, struct function *function)
{
	if (!list->count)
		return;
	sort_unless_sorted(list->items, list->count, sizeof(*list->items), by_word);
	function->passed =
		arena_copy(&function->arena, list->items, list->count * sizeof(*list->items));
	function->passed_count = list->count;
}

static void add_frame_rows(struct dwarf_object *object, struct function_scratch *scratch,
			   struct function *function)
{
	struct frame_rows *rows = &scratch->rows;

	for (size_t i = 0; i < function->range_count; i++)
		frame_table_rows(&object->frames, function->ranges[i].low, function->ranges[i].high,
				 rows);
	function->frame_rows = frame_rows_copy(rows, &function->arena);
	function->frame_row_count = rows->count;
}

/* Moves the beginning of a function's code to its symbol, if its DIE has code. gcc for arm64 lets
 * both DIE and line table begin after the no-ops of -fpatchable-function-entry. Returns false if
 * the symbol has no code of the DIE's. */
static bool begin_at_symbol(struct function_scratch *scratch, const struct symbol *place)
{
	array_each (struct address_range, range, scratch->range_items, scratch->range_count) {
		if (range->low - place->address >= place->size)
			continue;
		range->low = place->address;
		return true;
	}
	return false;
}

struct function *dwarf_function_build(struct dwarf_object *object, struct function_scratch *scratch,
				      uint64_t reference, const struct symbol *place)
{
	struct function_walk walk = { .object = object, .scratch = scratch };

	if (!die_at(object->files, reference, &walk.die) || walk.die.tag != DW_TAG_subprogram)
		return NULL;

	struct function *function = xcalloc(1, sizeof(*function));
	struct unit *unit = walk.die.unit, *source = dwarf_source_unit(object, reference);
	struct unit *code = place ? dwarf_unit_at(object, place->address) : NULL;
	const struct dwarf_prototype *prototype = dwarf_prototype(object, reference);

	reset(scratch);
	frame_base_read(&walk.die, &scratch->locations, function, &scratch->bases);
	add_scope(&walk, 0);
	if (place && !scratch->range_count) {
		array_add(scratch->range_items, scratch->range_count, scratch->range_capacity) =
			(struct address_range){ place->address, place->address + place->size };
		scratch->scopes[0].scope.range_count = 1;
		function->arguments_by_abi = true;
	} else if (place && !begin_at_symbol(scratch, place)) {
		function_destroy(function);
		return NULL;
	}
	scratch->scopes[0].callee = prototype;
	walk.unit = unit;
	walk.cursor = die_children(&walk.die);
	function->unit_name = source->name;
	function->unit_source = unit_reference(source, source->first_die);
	/* the declaration of a function that assembler code defines is in another language */
	function->language =
		(code && unit_prepare(code) && !code->linked ? code : source)->language;
	function->no_strict_aliasing = source->no_strict_aliasing;
	function->untracked = unit->untracked;
	function->prototype = &prototype->prototype;
	function->name = prototype->prototype.name;
	if (walk.die.has_children && !function->arguments_by_abi)
		walk_function(&walk);
	sort_variables(scratch);
	copy_scopes(scratch, function);
	copy_variables(scratch, function);
	copy_arrivals(scratch, function);
	copy_passed(&scratch->locations.passed, function);
	finish_call_sites(&scratch->calls, function);
	add_frame_rows(object, scratch, function);
	return function;
}

/* ---- inlined calls at an address (DW_TAG_inlined_subroutine; DWARF 5, section 3.3.8) ---- */

static bool contains_address(const struct die *die, struct address_ranges *ranges, uint64_t address)
{
	if (!die_ranges(die, ranges))
		return false;
	return any_of(i, 0, ranges->count,
		      address >= ranges->items[i].low && address < ranges->items[i].high);
}

static const char *name_of(struct dwarf_files *files, const struct die *die)
{
	struct die other;
	const struct die *linked = die_integrate(files, die, SLOT_LINKAGE_NAME, &other);

	if (linked)
		return die_string(linked, SLOT_LINKAGE_NAME);

	const struct die *named = die_integrate(files, die, SLOT_NAME, &other);

	return named ? die_name(named) : NULL;
}

static struct inlined_call read_call(struct dwarf_files *files, const struct die *die)
{
	struct inlined_call call = { .name = name_of(files, die), .call_file = UINT64_MAX };

	/* a split unit's file numbers are those of another line table */
	if (!die->unit->skeleton && die_unsigned(die, SLOT_CALL_LINE, &call.call_line) &&
	    !die_unsigned(die, SLOT_CALL_FILE, &call.call_file))
		call.call_file = UINT64_MAX;
	return call;
}

size_t dwarf_inlined_calls(struct debug_reader *reader, uint64_t address,
			   struct inlined_call *calls, size_t capacity)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	struct address_ranges *ranges = &dwarf_reader_of(reader)->scratch->ranges;
	const struct function_entry *entry = dwarf_function_entry(object, address);
	size_t count = 0, depth = 0;
	struct cursor cursor;
	struct die die;

	ranges->work = 0;
	if (!entry || !die_at(object->files, entry->die, &die) || !die.has_children)
		return 0;
	cursor = die_children(&die);
	/* `depth` is the number of DIEs around the cursor that hold the address */
	while (count < capacity && die_read(die.unit, &cursor, &die)) {
		bool inlined = die.tag == DW_TAG_inlined_subroutine;

		if (!die.tag) {
			if (!depth--)
				break;
		} else if ((inlined || die.tag == DW_TAG_lexical_block ||
			    die.tag == DW_TAG_try_block || die.tag == DW_TAG_catch_block) &&
			   contains_address(&die, ranges, address)) {
			if (inlined)
				calls[count++] = read_call(object->files, &die);
			if (!die.has_children)
				break;
			depth++;
		} else {
			die_skip_children(&die, &cursor);
		}
	}
	return count;
}

/* ---- outlines ---- */

struct outline_walk {
	struct dwarf_object *object;
	struct arena *arena; /* of ranges */
	struct address_ranges *ranges;
	size_t range_count; /* of all scopes */
	struct inlined_scope *scopes;
	size_t count, capacity;
	uint32_t *parents; /* by depth */
	size_t depth, parent_capacity;
};

static const struct address_range *copy_ranges(struct outline_walk *walk, const struct die *die,
					       size_t *count)
{
	die_ranges(die, walk->ranges);
	*count = walk->ranges->count;
	lower_to(*count, RANGE_TOTAL_MAX - walk->range_count);
	walk->range_count += *count;
	return arena_copy(walk->arena, walk->ranges->items, *count * sizeof(struct address_range));
}

static void add_inlined_scope(struct outline_walk *walk, const struct die *die)
{
	struct inlined_scope *scope = &array_add(walk->scopes, walk->count, walk->capacity);

	*scope = (struct inlined_scope){ .inlined = die->tag == DW_TAG_inlined_subroutine,
					 .parent = walk->parents[walk->depth] };
	scope->ranges = copy_ranges(walk, die, &scope->range_count);
	if (scope->inlined)
		scope->call = read_call(walk->object->files, die);
	if (!die->has_children)
		return;
	walk->depth++;
	array_reserve(walk->parents, walk->depth, walk->parent_capacity);
	walk->parents[walk->depth] = (uint32_t)walk->count - 1;
}

static void walk_inlined_scopes(struct outline_walk *walk, struct unit *unit, struct cursor cursor)
{
	struct die die;

	array_reserve(walk->parents, walk->depth, walk->parent_capacity);
	walk->parents[0] = UINT32_MAX;
	while (die_read(unit, &cursor, &die)) {
		if (!die.tag) {
			if (!walk->depth--)
				break;
		} else if (die.tag == DW_TAG_inlined_subroutine ||
			   die.tag == DW_TAG_lexical_block || die.tag == DW_TAG_try_block ||
			   die.tag == DW_TAG_catch_block) {
			add_inlined_scope(walk, &die);
		} else {
			die_skip_children(&die, &cursor);
		}
	}
}

const struct function_outline *dwarf_function_outline(struct debug_reader *reader, uint64_t address,
						      struct arena *arena)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	const struct function_entry *entry = dwarf_function_entry(object, address);
	struct outline_walk walk = { .object = object,
				     .arena = arena,
				     .ranges = &dwarf_reader_of(reader)->scratch->ranges };
	struct function_outline *outline;
	struct die die;

	if (!entry || !die_at(object->files, entry->die, &die) || die.tag != DW_TAG_subprogram)
		return NULL;
	walk.ranges->work = 0;
	outline = arena_alloc(arena, sizeof(*outline));
	*outline = (struct function_outline){
		.name = dwarf_prototype(object, entry->die)->prototype.name,
		.language = dwarf_source_unit(object, entry->die)->language,
	};
	outline->ranges = copy_ranges(&walk, &die, &outline->range_count);
	if (die.has_children)
		walk_inlined_scopes(&walk, die.unit, die_children(&die));
	outline->scopes = arena_copy(arena, walk.scopes, walk.count * sizeof(*walk.scopes));
	outline->scope_count = walk.count;
	free_all(walk.scopes, walk.parents);
	return outline;
}
