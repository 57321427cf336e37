// SPDX-License-Identifier: GPL-2.0-or-later
/* The records that a function speaks of: see vocabulary.h. */
#include "annotate/vocabulary.h"

#include <stdlib.h>

#include "profiler/base/memory.h"

/* Functions that speak of more do not help to choose. */
#define RECORDS_MAXIMUM 512
/* Places of one record in another (list_head in task_struct) */
#define PLACES_MAXIMUM 32
#define DEPTH_LIMIT    8

struct vocabulary {
	bool built;
	const struct type **records; /* canonical, each once */
	uint32_t count, capacity;
};

static const struct type *record_behind(const struct type *type)
{
	const struct type *object = type ? place_pointee(type) : NULL;

	return object && type_is_record(type_strip(object)) ? object : NULL;
}

static void add(struct vocabulary *vocabulary, const struct type *type)
{
	const struct type *record = record_behind(type);

	if (!record || vocabulary->count >= RECORDS_MAXIMUM)
		return;
	for (uint32_t i = 0; i < vocabulary->count; i++)
		if (vocabulary->records[i] == record)
			return;
	array_reserve(vocabulary->records, vocabulary->count, vocabulary->capacity);
	vocabulary->records[vocabulary->count++] = record;
}

void vocabulary_build(struct vocabulary *vocabulary, const struct function *function)
{
	if (vocabulary->built)
		return;
	vocabulary->built = true;
	for (size_t i = 0; i < function->variable_count; i++)
		add(vocabulary, function->variables[i].type);
	for (size_t i = 0; i < function->scope_count; i++) {
		const struct prototype *prototype = function->scopes[i].prototype;

		if (!prototype)
			continue;
		add(vocabulary, prototype->return_type);
		for (size_t j = 0; j < prototype->parameter_count; j++)
			add(vocabulary, prototype->parameters[j].type);
	}
}

struct vocabulary *vocabulary_create(void)
{
	return xcalloc(1, sizeof(struct vocabulary));
}

void vocabulary_clear(struct vocabulary *vocabulary)
{
	vocabulary->built = false;
	vocabulary->count = 0;
}

void vocabulary_destroy(struct vocabulary *vocabulary)
{
	if (!vocabulary)
		return;
	free(vocabulary->records);
	free(vocabulary);
}

struct places {
	int64_t offsets[PLACES_MAXIMUM];
	unsigned int count;
	bool too_many;
};

/* Where `outer` has an `inner`, at any depth; elements of arrays but the first are left out. `bases`: only
 * where it is derived from one. */
static void find_places(const struct type *outer, int64_t start, const struct type *inner, unsigned int depth,
			bool bases, struct places *places)
{
	size_t count;
	const struct member *members = type_members(type_strip(outer), &count);

	for (size_t i = 0; i < count && depth < DEPTH_LIMIT; i++) {
		const struct type *type = members[i].type;
		int64_t at = start + members[i].offset;

		if (!type_is_record(type_strip(type)) || place_size(type) < place_size(inner) ||
		    (bases && !members[i].is_base))
			continue;
		if (!place_same_type(type, inner)) {
			find_places(type, at, inner, depth + 1, bases, places);
		} else if (places->count < PLACES_MAXIMUM) {
			places->offsets[places->count++] = at;
		} else {
			places->too_many = true;
		}
	}
}

/* Is one of the two a part of the other, just there? *smaller then has the one that is. */
static bool agree(struct place a, struct place b, struct place *smaller)
{
	if (place_same_type(a.type, b.type) ? a.offset == b.offset
					    : place_contains(b.type, b.offset - a.offset, a.type)) {
		*smaller = a;
		return true;
	}
	*smaller = b;
	return place_contains(a.type, a.offset - b.offset, b.type);
}

/* The place in `record`, if it has an `inner` in such a way that there is one at all, and a scalar of that
 * size there. */
static bool find_in(const struct type *record, const struct type *inner, int64_t offset, uint64_t size,
		    bool bases, struct place *place, bool *ambiguous)
{
	struct places places = { 0 };
	bool any = false;

	if (place_size(record) > place_size(inner))
		find_places(record, 0, inner, 0, bases, &places);
	*ambiguous = places.too_many;
	for (unsigned int i = 0; i < places.count; i++) {
		struct place here;
		int64_t at = places.offsets[i] + offset;

		if (at < 0 || place_find(record, at, 0, size, &here) != REASON_NONE ||
		    (any && here.offset == place->offset))
			continue;
		*ambiguous |= any;
		*place = here;
		any = true;
	}
	return any && (*ambiguous || place_scalar(place->type, place->offset, size));
}

/* One more record that would do; false: it disagrees with those before. */
static bool choose(const struct type *record, const struct type *inner, int64_t offset, uint64_t size,
		   bool bases, struct place *place, enum vocabulary_choice *choice)
{
	struct place here;
	bool ambiguous;

	if (!find_in(record, inner, offset, size, bases, &here, &ambiguous))
		return true;
	if (ambiguous || (*choice == VOCABULARY_ONE && !agree(*place, here, &here))) {
		*choice = VOCABULARY_SEVERAL;
		return false;
	}
	*choice = VOCABULARY_ONE;
	*place = here;
	return true;
}

enum vocabulary_choice vocabulary_among(const struct type *const *records, size_t count,
					const struct type *inner, int64_t offset, uint64_t size,
					struct place *place)
{
	enum vocabulary_choice choice = VOCABULARY_NONE;

	/* down to a derived class, which is what base classes are for; else out to what has one as a member
	 */
	for (int bases = 1; bases >= 0 && choice == VOCABULARY_NONE; bases--)
		for (size_t i = 0; i < count; i++)
			if (!choose(records[i], inner, offset, size, bases, place, &choice))
				break;
	return choice;
}

enum vocabulary_choice vocabulary_enclosing(const struct vocabulary *vocabulary, const struct type *inner,
					    int64_t offset, uint64_t size, struct place *place)
{
	return vocabulary_among(vocabulary->records, vocabulary->count, inner, offset, size, place);
}

bool vocabulary_around(const struct vocabulary *vocabulary, const struct type *inner, int64_t at,
		       int64_t offset, uint64_t size, struct place *place)
{
	bool any = false;

	for (uint32_t i = 0; i < vocabulary->count; i++) {
		const struct type *record = vocabulary->records[i];
		struct place here = { record, offset };

		if (!place_contains(record, at, inner) || !place_scalar(record, offset, size))
			continue;
		if (any && !agree(*place, here, &here))
			return false;
		*place = here;
		any = true;
	}
	return any;
}

bool vocabulary_cast(const struct inline_cast *casts, size_t count, const struct type *inner, int64_t offset,
		     uint64_t size, struct place *place)
{
	enum vocabulary_choice choice = VOCABULARY_NONE;

	for (size_t i = 0; i < count; i++)
		if (place_same_type(casts[i].from, inner) &&
		    !choose(casts[i].to, inner, offset, size, false, place, &choice))
			break;
	return choice == VOCABULARY_ONE;
}

/* Is there a member that points to such a record? Then that is what is returned. */
static bool points_to(const struct type *record, const struct type *target)
{
	size_t count;
	const struct member *members = type_members(type_strip(record), &count);

	for (size_t i = 0; i < count; i++) {
		const struct type *object = place_pointee(members[i].type);

		if ((object && place_same_type(object, target)) ||
		    (type_is_record(type_strip(members[i].type)) && points_to(members[i].type, target)))
			return true;
	}
	return false;
}

static bool has_part(const struct type *whole, const struct type *part)
{
	struct places places = { 0 };

	find_places(whole, 0, part, 0, false, &places);
	return places.count;
}

/* What an instance of an inlined function tells of the member: it loads it last, loads it and goes on from
 * there, neither. */
enum telling { TELLS_NOTHING, TELLS_RESULT, TELLS_MORE };

static enum telling tell(const struct code *code, const struct scope *scope, int64_t offset)
{
	enum telling telling = TELLS_NOTHING;

	for (size_t i = 0; i < scope->range_count; i++) {
		int64_t at = code_find(code, scope->ranges[i].low);

		for (; at >= 0 && (size_t)at < code->insn_count; at++) {
			const struct insn *insn = &code->insns[at];
			const struct operand *operand = insn_memory(insn, false);

			if (insn->address < scope->ranges[i].low || insn->address >= scope->ranges[i].high)
				break;
			if (!operand || !operand->read || operand->base == REG_RSP)
				continue;
			telling = operand->value == offset && operand->size == 8 ? TELLS_RESULT
				  : telling == TELLS_NOTHING                     ? TELLS_NOTHING
										 : TELLS_MORE;
		}
	}
	return telling;
}

/* What all instances of an inlined function here tell. */
static enum telling tell_all(const struct function *function, const struct code *code,
			     const struct prototype *prototype, int64_t offset)
{
	enum telling all = TELLS_NOTHING;

	for (size_t i = 0; i < function->scope_count && all != TELLS_MORE; i++) {
		enum telling telling = function->scopes[i].prototype == prototype
					       ? tell(code, &function->scopes[i], offset)
					       : TELLS_NOTHING;

		if (telling != TELLS_NOTHING)
			all = telling;
	}
	return all;
}

/* Does a function with this parameter and this result give what a void pointer in `record` leads to? Not if
 * the result is around or in the record, or a member points to it. */
static bool may_be_private(const struct type *record, const struct type *from, const struct type *to)
{
	return place_same_type(from, record) && !place_same_type(to, record) && !has_part(to, record) &&
	       !has_part(record, to) && !points_to(record, to);
}

/* *found is what several agree on; false: they do not. */
static bool agree_on(const struct type **found, const struct type *record)
{
	if (*found && !place_same_type(*found, record))
		return false;
	*found = record;
	return true;
}

const struct type *vocabulary_of_private(const struct function *function, const struct code *code,
					 const struct inline_cast *casts, size_t cast_count,
					 const struct type *record, int64_t offset)
{
	const struct type *found = NULL, *unit = NULL;

	for (size_t i = 0; i < function->scope_count; i++) {
		const struct prototype *prototype = function->scopes[i].prototype;
		const struct type *to = prototype ? record_behind(prototype->return_type) : NULL;
		const struct type *from = to && prototype->parameter_count == 1
						  ? record_behind(prototype->parameters[0].type)
						  : NULL;

		if (from && may_be_private(record, from, to) &&
		    tell_all(function, code, prototype, offset) == TELLS_RESULT && !agree_on(&found, to))
			return NULL;
	}
	for (size_t i = 0; i < cast_count && !found; i++)
		/* what the compiler alone inlined may do more than to get from here to there */
		if (casts[i].declared && may_be_private(record, casts[i].from, casts[i].to) &&
		    tell_all(function, code, casts[i].prototype, offset) != TELLS_MORE &&
		    !agree_on(&unit, casts[i].to))
			return NULL;
	return found ? found : unit;
}
