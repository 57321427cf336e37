// SPDX-License-Identifier: GPL-2.0-or-later
/* Types in scope and unlocated variables: see scope_types.h. */
#include "annotate/facts/scope_types.h"

#include "annotate/policy.h"
#include "annotate/values/value.h"
#include "base/hash.h"
#include "base/memory.h"
#include "annotate/flow/solver.h"
#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"

/* ---- types in scope */

/*
 * The most records that a function has in scope. Among more than these, too many fit to choose one.
 */
#define RECORDS_MAX 512

struct scope_types {
	bool built;
	const struct function *function;
	const struct type **records; /* canonical, each once */
	uint32_t count, capacity;
	/* types of the object by name, which are looked up once: a name that the debug information
	 * does not have is compared with all names that it has */
	struct string_pool names;
	struct hash_map index;     /* of an interned name: one more than its place in `named` */
	const struct type **named; /* NULL: none, or several */
	uint32_t named_count, named_capacity;
};

static const struct type *record_pointed_to(const struct type *type)
{
	const struct type *object = type ? field_pointee(type) : NULL;

	return object && type_is_record(type_strip(object)) ? object : NULL;
}

static void scope_types_add_type(struct scope_types *scope_types, const struct type *type)
{
	const struct type *record = record_pointed_to(type);

	if (!record || scope_types->count >= RECORDS_MAX)
		return;
	for (uint32_t i = 0; i < scope_types->count; i++)
		if (scope_types->records[i] == record)
			return;
	array_add(scope_types->records, scope_types->count, scope_types->capacity) = record;
}

void scope_types_build(struct scope_types *scope_types, const struct function *function)
{
	if (scope_types->built)
		return;
	scope_types->built = true;
	scope_types->function = function;
	for (size_t i = 0; i < function->variable_count; i++)
		scope_types_add_type(scope_types, function->variables[i].type);
	for (size_t i = 0; i < function->scope_count; i++) {
		const struct prototype *prototype = function->scopes[i].prototype;

		if (!prototype)
			continue;
		scope_types_add_type(scope_types, prototype->return_type);
		for (size_t j = 0; j < prototype->parameter_count; j++)
			scope_types_add_type(scope_types, prototype->parameters[j].type);
	}
}

struct scope_types *scope_types_create(void)
{
	return xcalloc(1, sizeof(struct scope_types));
}

void scope_types_clear(struct scope_types *scope_types)
{
	scope_types->built = false;
	scope_types->function = NULL;
	scope_types->count = 0;
}

void scope_types_destroy(struct scope_types *scope_types)
{
	if (!scope_types)
		return;
	free(scope_types->records);
	string_pool_deinit(&scope_types->names);
	hash_map_deinit(&scope_types->index);
	free_all(scope_types->named, scope_types);
}

/* True if a member of the record points to `target`: the accessor then returns that member. */
static bool points_to(const struct type *record, const struct type *target)
{
	size_t count;
	const struct member *members = type_members(type_strip(record), &count);

	if (!count || type_is_vast(record))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct type *object = field_pointee(members[i].type);

		if ((object && field_same_type(object, target)) ||
		    (type_is_record(type_strip(members[i].type)) &&
		     points_to(members[i].type, target)))
			return true;
	}
	return false;
}

static bool scope_types_has_part(const struct type *whole, const struct type *part)
{
	const struct outside_access start = { .inner = part };
	struct candidates list;

	candidates_start(&list, 0, FITS_ANY);
	candidates_around(&list, whole, &start, 0);
	return list.count;
}

/* Whether an inlined function loads a member: not at all, as the last thing that it loads, or with
 * other loads after it. */
enum member_load { LOADED_NEVER, LOADED_LAST, LOADED_EARLIER };

static enum member_load loaded_by_instance(const struct cfg *code, const struct scope *scope,
					   int64_t offset)
{
	enum member_load loaded = LOADED_NEVER;

	for (size_t i = 0; i < scope->range_count; i++) {
		int64_t at = cfg_find(code, scope->ranges[i].low);

		for (; at >= 0 && (size_t)at < code->insn_count; at++) {
			const struct insn *insn = &code->insns[at];
			const struct operand *operand = insn_memory(insn, false);

			if (insn->address < scope->ranges[i].low ||
			    insn->address >= scope->ranges[i].high)
				break;
			if (!operand || !operand->read ||
			    operand->base == code->arch->stack_pointer)
				continue;
			loaded = operand->value == offset && operand->size == 8 ? LOADED_LAST
				 : loaded == LOADED_NEVER                       ? LOADED_NEVER
										: LOADED_EARLIER;
		}
	}
	return loaded;
}

/* The same for all inlined instances of a function. */
static enum member_load loaded_by_all(const struct function *function, const struct cfg *code,
				      const struct prototype *prototype, int64_t offset)
{
	enum member_load all = LOADED_NEVER;

	for (size_t i = 0; i < function->scope_count && all != LOADED_EARLIER; i++) {
		enum member_load loaded =
			function->scopes[i].prototype == prototype
				? loaded_by_instance(code, &function->scopes[i], offset)
				: LOADED_NEVER;

		if (loaded != LOADED_NEVER)
			all = loaded;
	}
	return all;
}

/* True if a function with this parameter and result may return the pointee of a void pointer in
 * `record`: the result is neither around nor in the record, and no member points to it. */
static bool may_be_private(const struct type *record, const struct type *from,
			   const struct type *to)
{
	return field_same_type(from, record) && !field_same_type(to, record) &&
	       !scope_types_has_part(to, record) && !scope_types_has_part(record, to) &&
	       !points_to(record, to);
}

/* Sets *found to `record`. False if *found is another record already. */
static bool scope_types_agree_on(const struct type **found, const struct type *record)
{
	if (*found && !field_same_type(*found, record))
		return false;
	*found = record;
	return true;
}

const struct type *scope_types_of_private(const struct function *function, const struct cfg *code,
					  const struct inline_cast *casts, size_t cast_count,
					  const struct type *record, int64_t offset)
{
	const struct type *found = NULL, *unit = NULL;

	for (size_t i = 0; i < function->scope_count; i++) {
		const struct prototype *prototype = function->scopes[i].prototype;
		const struct type *to =
			prototype ? record_pointed_to(prototype->return_type) : NULL;
		const struct type *from = to && prototype->parameter_count == 1
						  ? record_pointed_to(prototype->parameters[0].type)
						  : NULL;

		if (from && may_be_private(record, from, to) &&
		    loaded_by_all(function, code, prototype, offset) == LOADED_LAST &&
		    !scope_types_agree_on(&found, to))
			return NULL;
	}
	for (size_t i = 0; i < cast_count && !found; i++)
		/* A function that the compiler inlined without being told to, or one that keeps
		 * something in a variable, may do more than fetch the member. */
		if (casts[i].declared && casts[i].fetches &&
		    may_be_private(record, casts[i].from, casts[i].to) &&
		    loaded_by_all(function, code, casts[i].prototype, offset) != LOADED_EARLIER &&
		    !scope_types_agree_on(&unit, casts[i].to))
			return NULL;
	return found ? found : unit;
}

/* ---- unlocated variables */

/* The most types that are collected. Among more than these, too many fit to choose one. */
#define VISIBLE_MAX 64

static uint32_t innermost_scope(const struct function *function, uint64_t address)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < function->scope_count; i++)
		if (function->scopes[i].depth > function->scopes[best].depth &&
		    scope_has(&function->scopes[i], address))
			best = i;
	return best;
}

/* True if a variable of the scope points to the record; with `unlocated`, only those count that
 * have no location, and parameters that only the prototype of an inlined function has. A pointer
 * that a located variable has is in the register of that one. */
static bool points_in_scope(const struct function *function, uint32_t scope,
			    const struct type *record, bool unlocated)
{
	const struct prototype *inlined = unlocated && function->scopes[scope].inlined
						  ? function->scopes[scope].prototype
						  : NULL;
	bool found = inlined && any_of(i, 0, inlined->parameter_count,
				       record_pointed_to(inlined->parameters[i].type) == record);

	array_each (const struct variable, variable, function->variables,
		    function->variable_count) {
		if (variable->scope != scope || record_pointed_to(variable->type) != record)
			continue;
		if (unlocated && variable->location_count)
			return false;
		found = true;
	}
	return found;
}

/* Leaves the candidates to whose types variables of the scope point, if there are some. */
static bool scope_types_narrow(const struct function *function, uint32_t scope, bool unlocated,
			       struct candidates *list)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < list->count; i++)
		if (points_in_scope(function, scope, list->items[i].field.type, unlocated))
			list->items[kept++] = list->items[i];
	list->count = kept ? kept : list->count;
	return kept;
}

void scope_types_enclosing(const struct scope_types *scope_types, uint64_t address,
			   const struct outside_access *access, struct candidates *list)
{
	const struct function *function = scope_types->function;
	struct field_ref field;

	for (uint32_t i = 0; i < scope_types->count; i++)
		candidates_around(list, scope_types->records[i], access, 0);
	if (list->more || candidates_choose(list, &field) != CHOICE_SEVERAL)
		return;
	const uint32_t innermost = innermost_scope(function, address);

	/* a variable without a place comes first: it may have the register of the pointer that was
	 * cast to it */
	for (int unlocated = 1; unlocated >= 0; unlocated--)
		for (uint32_t scope = innermost; scope; scope = function->scopes[scope].parent)
			if (scope_types_narrow(function, scope, unlocated, list))
				return;
}

bool scope_types_have_both(const struct scope_types *scope_types, const struct type *head,
			   const struct type *part, int64_t distance)
{
	return any_of(i, 0, scope_types->count,
		      field_contains(scope_types->records[i], 0, head) &&
			      field_contains(scope_types->records[i], distance, part));
}

/* True if the variable has neither a place nor a value at any address. One that has a place at
 * other addresses is not alive here: 9 of 16 answers with such variables in 15 programs were wrong.
 */
static bool is_unlocated(const struct variable *variable)
{
	return !variable->location_count;
}

/* True if the variable is alive at the address, as far as is known, but in no known register or
 * memory: it has no location at all, or one that cannot be followed. True as well for a record that
 * is loaded member by member while one member is still only in the memory that it comes from. */
static bool is_nowhere_at(const struct variable *variable, uint64_t address)
{
	bool any = false;

	array_each (const struct location, location, variable->locations,
		    variable->location_count) {
		if (address < location->low || address >= location->high)
			continue;
		if (location->kind == LOCATION_ENTRY_VALUE || location->kind == LOCATION_OTHER ||
		    (location->piece_size && location->kind == LOCATION_MEMORY))
			return true;
		any = true;
	}
	return !any && !variable->location_count;
}

/* A record to which a variable in scope points. */
struct visible_record {
	const struct type *type; /* canonical */
	/* 0: a variable of the inlined function that the instruction is of; 1: of its caller ... */
	uint32_t level;
	bool unlocated;
	bool passed; /* the variable is a parameter */
	bool self;   /* `this` of a C++ member function: a cast does not lead to it */
};

/* Records in scope, each type once, from the innermost scope outward. */
struct visible_records {
	struct visible_record items[VISIBLE_MAX];
	size_t count;
};

/* True if the debug information says where the variable is at the address, or its value. */
static bool is_placed_at(const struct variable *variable, uint64_t address)
{
	return any_of(i, 0, variable->location_count,
		      address >= variable->locations[i].low &&
			      address < variable->locations[i].high &&
			      variable->locations[i].kind != LOCATION_OTHER);
}

/* The variables that find_visible() looks at. */
enum visible_variables {
	VISIBLE_POINTERS,
	VISIBLE_VALUES,  /* also those that are records, and parameters without a location */
	VISIBLE_UNPLACED /* pointers whose value is in no known place at the address */
};

/* Adds the record to which a variable points, or with `values` the record that it is. A record to
 * which another variable in scope points that has a place is not unlocated. */
static void add_visible(struct visible_records *records, const struct variable *variable,
			uint64_t address, uint32_t level, enum visible_variables which)
{
	const bool values = which == VISIBLE_VALUES;
	const bool unlocated = which == VISIBLE_POINTERS ? is_unlocated(variable)
							 : is_nowhere_at(variable, address);
	const struct type *pointer = type_strip(variable->type);
	const struct type *type = type_is_pointer(pointer) ? type_target(pointer)
				  : values                 ? variable->type
							   : NULL;

	if (!type || !type_is_record(type_strip(type)) || records->count == VISIBLE_MAX)
		return;
	for (size_t i = 0; i < records->count; i++)
		if (field_same_type(records->items[i].type, type)) {
			records->items[i].unlocated &= unlocated;
			return;
		}
	records->items[records->count++] = (struct visible_record){
		.type = type_canonical(type),
		.level = level,
		.unlocated = unlocated,
		.passed = variable->flags & VARIABLE_PARAMETER,
		.self = variable->name && strcmp(variable->name, "this") == 0,
	};
}

/* Adds those of the parameters of an inlined function that have no location: only its prototype
 * has them. */
static void add_parameters(struct visible_records *records, const struct scope *scope,
			   uint64_t address, uint32_t level)
{
	const struct prototype *prototype = scope->inlined ? scope->prototype : NULL;

	for (size_t i = 0; prototype && i < prototype->parameter_count; i++) {
		const struct variable variable = { .type = prototype->parameters[i].type };

		add_visible(records, &variable, address, level, VISIBLE_VALUES);
	}
}

/* Lists the records to which variables in scope point. */
static void find_visible(const struct function *function, uint64_t address,
			 enum visible_variables which, struct visible_records *records)
{
	uint32_t scope = innermost_scope(function, address), level = 0;

	records->count = 0;
	for (;;) {
		array_each (const struct variable, variable, function->variables,
			    function->variable_count)
			if (variable->scope == scope &&
			    !(which != VISIBLE_POINTERS && is_placed_at(variable, address)))
				add_visible(records, variable, address, level, which);
		if (which == VISIBLE_VALUES)
			add_parameters(records, &function->scopes[scope], address, level);
		if (!scope)
			return;
		level += function->scopes[scope].inlined;
		scope = function->scopes[scope].parent;
	}
}

void unlocated_pointer(const struct function *function, uint64_t address,
		       enum unlocated_address from, int64_t offset, struct candidates *list)
{
	struct visible_records records;

	find_visible(function, address,
		     from == UNLOCATED_SUM    ? VISIBLE_UNPLACED
		     : from == UNLOCATED_CAST ? VISIBLE_VALUES
					      : VISIBLE_POINTERS,
		     &records);
	array_each (const struct visible_record, record, records.items, records.count) {
		/* before what a register points to is a header, whose address the code computes */
		int64_t size = (int64_t)field_size(record->type);
		int64_t at = offset < 0 ? offset + size : offset;

		if (record->level != records.items[0].level ||
		    (record->level && from != UNLOCATED_NUMBER))
			break;
		if (offset < 0 && record->passed)
			continue;
		/* past the end of a record is perhaps a further one of an array */
		if (size && at >= size)
			candidates_contest(list, record->type, at % size, 0);
		else if (record->unlocated)
			candidates_add(list, record->type, at, 0, 0);
		else
			candidates_contest(list, record->type, at, 0);
	}
}

void unlocated_in_block(const struct function *function, uint64_t address, int64_t offset,
			struct candidates *list)
{
	array_each (const struct variable, variable, function->variables,
		    function->variable_count) {
		const struct scope *scope = &function->scopes[variable->scope];
		const struct type *record = record_pointed_to(variable->type);

		if (record && scope_has(scope, address) &&
		    !any_of(i, 0, variable->location_count,
			    address >= variable->locations[i].low &&
				    address < variable->locations[i].high))
			candidates_add(list, record, offset, 0, UINT8_MAX - (uint8_t)scope->depth);
	}
}

/* True if the variable is in no known place at the address, or is in one up to this instruction. */
static bool may_be_alive(const struct variable *variable, uint64_t address)
{
	return is_nowhere_at(variable, address) ||
	       any_of(i, 0, variable->location_count, variable->locations[i].high == address);
}

void unlocated_holder(const struct function *function, uint64_t address, int64_t offset,
		      const struct type *target, struct candidates *list)
{
	array_each (const struct variable, variable, function->variables,
		    function->variable_count) {
		const struct type *record = record_pointed_to(variable->type);
		const struct type *held = record ? field_scalar(record, offset, 8) : NULL;
		const struct type *object = held ? field_pointee(held) : NULL;

		if (object && field_same_type(object, target) &&
		    scope_has(&function->scopes[variable->scope], address) &&
		    may_be_alive(variable, address))
			candidates_add(list, record, offset, 0, 0);
	}
}

size_t unlocated_pointees(const struct function *function, uint64_t address,
			  const struct type **pointees, size_t limit)
{
	struct visible_records records;
	size_t count = 0;

	find_visible(function, address, VISIBLE_POINTERS, &records);
	for (size_t i = 0; i < records.count && !records.items[i].level && count < limit; i++)
		if (records.items[i].unlocated)
			pointees[count++] = records.items[i].type;
	return count;
}

const struct type *unlocated_after_head(const struct function *function, uint64_t address,
					const struct type *head, int64_t offset, uint64_t size)
{
	const struct visible_record *found = NULL;
	struct visible_records records;

	find_visible(function, address, VISIBLE_VALUES, &records);
	for (size_t i = 0; i < records.count && !records.items[i].level; i++) {
		if (!field_is_head(head, records.items[i].type) ||
		    !fit_at(records.items[i].type, offset, size).whole)
			continue;
		if (found)
			return NULL;
		found = &records.items[i];
	}
	return found && found->unlocated ? found->type : NULL;
}

const struct type *unlocated_cast(const struct function *function, uint64_t address,
				  const struct type *whole, int64_t offset, uint64_t size)
{
	struct visible_records records;
	const struct type *found = NULL;

	find_visible(function, address, VISIBLE_POINTERS, &records);
	for (size_t i = 0; i < records.count; i++) {
		const struct type *type = records.items[i].type;

		if ((records.items[i].self && language_has(function, FACT_SELVES)) ||
		    field_same_type(type, whole) || !field_unpacks(type, whole, offset, size) ||
		    (found && field_contains(found, 0, type)))
			continue;
		if (found && !field_contains(type, 0, found))
			return NULL;
		found = type;
	}
	return found;
}

/* True if some location gives the variable's value as a register plus `distance`, or if only its
 * type is left. */
static bool may_be_after(const struct variable *variable, int64_t distance)
{
	return !variable->location_count ||
	       any_of(i, 0, variable->location_count,
		      variable->locations[i].kind == LOCATION_REGISTER_VALUE &&
			      variable->locations[i].offset == distance);
}

/* True if a variable that points to a `front` is in the register of `location` in a part of the
 * location's range. */
static bool has_front(const struct function *function, const struct location *location,
		      const struct type *front)
{
	array_each (const struct variable, variable, function->variables,
		    function->variable_count) {
		const struct type *type = field_pointee(variable->type);

		if (!type || !field_same_type(type, front))
			continue;
		array_each (const struct location, place, variable->locations,
			    variable->location_count) {
			if (place->kind == LOCATION_REGISTER && place->reg == location->reg &&
			    place->low < location->high && location->low < place->high)
				return true;
		}
	}
	return false;
}

/* True if some location gives the variable's value as a register that points to a `front`, plus
 * `distance`. */
static bool is_after(const struct function *function, const struct variable *variable,
		     const struct type *front, int64_t distance)
{
	array_each (const struct location, location, variable->locations,
		    variable->location_count) {
		if (location->kind == LOCATION_REGISTER_VALUE && location->offset == distance &&
		    has_front(function, location, front))
			return true;
	}
	return false;
}

void unlocated_after(const struct function *function, uint64_t address, const struct type *front,
		     int64_t offset, bool in_scope, struct candidates *list)
{
	struct flexible_array tails[FLEXIBLE_ARRAYS_MAX];
	size_t count = flexible_arrays_of(front, tails);
	/* bytes for the record may begin in the padding at the end of the other one */
	int64_t start = count && tails[0].size == 1 ? tails[0].offset
						    : ((int64_t)field_size(front) + 7) / 8 * 8;

	for (size_t i = 0; i < function->variable_count && offset >= start; i++) {
		const struct variable *variable = &function->variables[i];
		const struct type *type = record_pointed_to(variable->type);

		/* Skip types that begin with `front`: they overlap it. */
		if (!type || field_same_type(type, front) || field_contains(type, 0, front))
			continue;
		if (in_scope && may_be_after(variable, start) &&
		    scope_has(&function->scopes[variable->scope], address))
			candidates_add(list, type, offset - start, 0, 0);
		if (is_after(function, variable, front, start))
			candidates_add(list, type, offset - start, 0, 1);
	}
}

const struct type *solver_type_named(const struct solver *solver, const char *name)
{
	struct scope_types *known = solver->caches.scope_types;
	const struct type *found[2];
	uint32_t *place;
	bool created;

	if (!name)
		return NULL;
	name = string_pool_intern(&known->names, name);
	place = hash_map_insert(&known->index, (uint64_t)(uintptr_t)name, &created);
	if (created) {
		size_t count = debug_reader_types_named(solver->reader, name, found, 2);

		array_add(known->named, known->named_count, known->named_capacity) =
			count == 1 ? type_canonical(found[0]) : NULL;
		*place = known->named_count;
	}
	return known->named[*place - 1];
}
