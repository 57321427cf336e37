// SPDX-License-Identifier: GPL-2.0-or-later
/* Variables that nothing says the place of: see lost.h. */
#include "annotate/lost.h"

#include <string.h>

#include "annotate/vocabulary.h"

/* Scopes that speak of more do not help to choose. */
#define RECORDS_MAXIMUM 64

static bool scope_has(const struct scope *scope, uint64_t address)
{
	for (size_t i = 0; i < scope->range_count; i++)
		if (address >= scope->ranges[i].low && address < scope->ranges[i].high)
			return true;
	return false;
}

/* The scope that nothing further in has the address. */
static uint32_t innermost(const struct function *function, uint64_t address)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < function->scope_count; i++)
		if (function->scopes[i].depth > function->scopes[best].depth &&
		    scope_has(&function->scopes[i], address))
			best = i;
	return best;
}

/* Is nothing said of where the variable is, or what its value is, neither here nor before or behind? What has
 * a place elsewhere is not there yet, or no more. */
static bool is_lost(const struct variable *variable, uint64_t address)
{
	bool before = false, behind = false;

	for (size_t i = 0; i < variable->location_count; i++) {
		const struct location *location = &variable->locations[i];

		if (address >= location->low && address < location->high)
			return false;
		before |= location->high <= address;
		behind |= location->low > address;
	}
	return before == behind;
}

/* A record that a variable around an instruction points to. */
struct visible_record {
	const struct type *type; /* canonical */
	uint32_t level; /* 0: of the inlined function that the instruction is of; 1: of its caller ... */
	bool lost;
	bool self; /* of C++: what a member function was called on is no cast of it */
};

/* Each type once, from the inside out. */
struct visible_records {
	struct visible_record items[RECORDS_MAXIMUM];
	size_t count;
};

static void add(struct visible_records *records, const struct variable *variable, uint32_t level, bool lost)
{
	const struct type *pointer = type_strip(variable->type);
	const struct type *type = type_is_pointer(pointer) ? type_target(pointer) : NULL;

	if (!type || !type_is_record(type_strip(type)) || records->count == RECORDS_MAXIMUM)
		return;
	for (size_t i = 0; i < records->count; i++)
		if (place_same_type(records->items[i].type, type))
			return;
	records->items[records->count++] = (struct visible_record){
		.type = type_canonical(type),
		.level = level,
		.lost = lost,
		.self = variable->name && strcmp(variable->name, "this") == 0,
	};
}

static void find_visible(const struct function *function, uint64_t address, struct visible_records *records)
{
	uint32_t scope = innermost(function, address), level = 0;

	records->count = 0;
	for (;;) {
		for (size_t i = 0; i < function->variable_count; i++) {
			const struct variable *variable = &function->variables[i];

			if (variable->scope == scope)
				add(records, variable, level, is_lost(variable, address));
		}
		if (!scope)
			return;
		level += function->scopes[scope].inlined;
		scope = function->scopes[scope].parent;
	}
}

bool lost_pointer(const struct function *function, uint64_t address, bool number, int64_t offset,
		  uint64_t size, struct place *place)
{
	struct visible_records records;
	struct place here;
	bool any = false;

	find_visible(function, address, &records);
	for (size_t i = 0; i < records.count; i++) {
		const struct visible_record *record = &records.items[i];

		if (record->level != records.items[0].level || (record->level && !number))
			break;
		if (place_find(record->type, offset, 0, size, &here) != REASON_NONE ||
		    !place_scalar(here.type, here.offset, size))
			continue;
		if (any || !record->lost)
			return false;
		*place = here;
		any = true;
	}
	return any;
}

const struct type *lost_cast(const struct function *function, uint64_t address, const struct type *whole,
			     int64_t offset, uint64_t size)
{
	struct visible_records records;
	const struct type *found = NULL;

	find_visible(function, address, &records);
	for (size_t i = 0; i < records.count; i++) {
		const struct type *type = records.items[i].type;

		if ((records.items[i].self && function->language == LANGUAGE_CXX) ||
		    place_same_type(type, whole) || !place_unpacks(type, whole, offset, size) ||
		    (found && place_contains(found, 0, type)))
			continue;
		if (found && !place_contains(type, 0, found))
			return NULL;
		found = type;
	}
	return found;
}

bool lost_enclosing(const struct function *function, uint64_t address, const struct type *inner,
		    int64_t offset, uint64_t size, struct place *place)
{
	struct visible_records records;
	enum vocabulary_choice choice = VOCABULARY_NONE;
	size_t next;

	find_visible(function, address, &records);
	for (size_t first = 0; first < records.count && choice == VOCABULARY_NONE; first = next) {
		const struct type *types[RECORDS_MAXIMUM];

		for (next = first;
		     next < records.count && records.items[next].level == records.items[first].level; next++)
			types[next - first] = records.items[next].type;
		choice = vocabulary_among(types, next - first, inner, offset, size, place);
	}
	return choice == VOCABULARY_ONE;
}

/* Is the variable said to be so many bytes behind something, anywhere, or is nothing left of it but its type?
 */
static bool may_be_behind(const struct variable *variable, int64_t distance)
{
	for (size_t i = 0; i < variable->location_count; i++)
		if (variable->locations[i].kind == LOCATION_REGISTER_VALUE &&
		    variable->locations[i].offset == distance)
			return true;
	return !variable->location_count;
}

bool lost_behind(const struct function *function, uint64_t address, const struct type *front, int64_t offset,
		 uint64_t size, struct place *place)
{
	int64_t start = ((int64_t)place_size(front) + 7) / 8 * 8;
	struct place here;
	bool any = false;

	for (size_t i = 0; i < function->variable_count && offset >= start; i++) {
		const struct variable *variable = &function->variables[i];
		const struct type *type = place_pointee(variable->type);

		/* what has the front itself at its start is no other thing behind it */
		if (!type || !type_is_record(type_strip(type)) || place_same_type(type, front) ||
		    place_contains(type, 0, front) || !may_be_behind(variable, start) ||
		    !scope_has(&function->scopes[variable->scope], address) ||
		    place_find(type, offset - start, 0, size, &here) != REASON_NONE ||
		    !place_scalar(here.type, here.offset, size))
			continue;
		if (any && here.type != place->type)
			return false;
		*place = here;
		any = true;
	}
	return any;
}
