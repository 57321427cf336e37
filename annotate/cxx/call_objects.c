// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects whose addresses calls get: see call_objects.h. */
#include "annotate/cxx/call_objects.h"

#include "annotate/access.h"
#include "annotate/facts/selves.h"
#include "annotate/flow/solver.h"
#include "annotate/policy.h"
#include "annotate/types/field.h"
#include "base/memory.h"

/* At most this many blocks before the instruction's own are searched, and as many after it. */
#define CHAIN_MAX 8

/* ---- noting */

COMPARISON(call_objects_compare_calls, struct call_object, ASCENDING(insn) ASCENDING(fact.offset))

void call_objects_begin(struct call_objects *objects)
{
	objects->count = 0;
}

void call_objects_end(struct call_objects *objects)
{
	array_sort(objects->items, objects->count, call_objects_compare_calls);
}

enum call_role call_objects_role(const struct prototype *callee, const struct type *object)
{
	const struct type *class = type_strip(object);

	if (!callee->parameter_count || !callee->parameters[0].artificial || !callee->name)
		return CALL_USES;
	if (callee->name[0] == '~')
		return CALL_ENDS;
	return selves_is_constructor(callee->name, class) ? CALL_MAKES : CALL_USES;
}

static void call_objects_add_object(struct solver *solver, const struct value *value,
				    const struct type *object, enum call_role role, bool passed)
{
	struct call_objects *objects = &solver->evidence.call_objects;
	uint64_t size = field_size(object);

	if (!solver->pass.gather || !solver->function || value->kind != VALUE_FRAME ||
	    value->frame != FRAME_CFA || value->stride || !type_is_record(type_strip(object)) ||
	    size < 2 || size > INT32_MAX ||
	    value->offset + (int64_t)size > arch_frame_end(solver->arch))
		return;
	array_add(objects->items, objects->count, objects->capacity) = (struct call_object){
		.insn = solver->pass.current,
		.role = (uint8_t)role,
		.passed = passed,
		.fact = { .high = UINT64_MAX,
			  .offset = value->offset,
			  .size = size,
			  .base_reg = REG_NONE,
			  .variable = NO_VARIABLE,
			  .type = type_canonical(object),
			  .how = HOW_INFERRED },
	};
}

void call_objects_note(struct solver *solver, const struct value *value, const struct type *object,
		       enum call_role role)
{
	if (language_has(solver->function, FACT_TEMPORARIES))
		call_objects_add_object(solver, value, object, role, false);
}

void call_objects_note_passed(struct solver *solver, const struct value *value,
			      const struct type *object, bool result)
{
	call_objects_add_object(solver, value, object, result ? CALL_MAKES : CALL_ENDS, true);
}

/* ---- finding */

/* True if one of the instructions [low, high) is a call after which memory for arguments may have
 * changed. */
static bool has_call(const struct solver *solver, uint32_t low, uint32_t high)
{
	return any_of(i, low, high,
		      solver->code->insns[i].operation == OP_CALL &&
			      !solver->tables.calls[i].own_convention);
}

static bool call_objects_has_byte(const struct call_object *object, int64_t at)
{
	return at >= object->fact.offset && at < object->fact.offset + (int64_t)object->fact.size;
}

static bool call_objects_has_part(const struct stack_fact *whole, const struct stack_fact *part)
{
	return (whole->offset == part->offset && field_same_type(whole->type, part->type)) ||
	       field_contains(whole->type, part->offset - whole->offset, part->type);
}

/* Returns the object with the byte among those that the call at `index` gets, the whole
 * before its parts; NULL: none, or two that differ. */
static const struct call_object *at_call(const struct call_objects *objects, uint32_t index,
					 int64_t at)
{
	uint32_t insn = objects->items[index].insn;
	const struct call_object *found = NULL;

	while (index > 0 && objects->items[index - 1].insn == insn)
		index--;
	for (; index < objects->count && objects->items[index].insn == insn; index++) {
		const struct call_object *object = &objects->items[index];

		if (!call_objects_has_byte(object, at) ||
		    (found && call_objects_has_part(&found->fact, &object->fact)))
			continue;
		if (found && !call_objects_has_part(&object->fact, &found->fact))
			return NULL;
		found = object;
	}
	return found;
}

/* Returns the index of the first object of a call at `insn` or after it. */
static uint32_t first_from(const struct call_objects *objects, uint32_t insn)
{
	return (uint32_t)partition_point(0, objects->count, i, objects->items[i].insn < insn);
}

/* Returns the last object with the byte that a call in instructions [low, high) gets; NULL: none.
 */
static const struct call_object *last_in(const struct call_objects *objects, uint32_t low,
					 uint32_t high, int64_t at)
{
	for (uint32_t i = first_from(objects, high); i-- > 0 && objects->items[i].insn >= low;)
		if (call_objects_has_byte(&objects->items[i], at))
			return at_call(objects, i, at);
	return NULL;
}

static const struct call_object *first_in(const struct call_objects *objects, uint32_t low,
					  uint32_t high, int64_t at)
{
	for (uint32_t i = first_from(objects, low);
	     i < objects->count && objects->items[i].insn < high; i++)
		if (call_objects_has_byte(&objects->items[i], at))
			return at_call(objects, i, at);
	return NULL;
}

/* Returns the object with the byte that the last call before `insn` gets, or the first one at it or
 * after it, through blocks that each have only one way in or out; NULL: none. */
static const struct call_object *call_objects_near(const struct solver *solver, uint32_t insn,
						   bool after, int64_t at)
{
	const struct cfg *code = solver->code;
	const struct call_objects *objects = &solver->evidence.call_objects;
	const struct basic_block *block = &code->blocks[cfg_block_of(code, insn)];
	const unsigned int ends =
		after ? BLOCK_RETURNS | BLOCK_UNKNOWN_SUCCESSORS : BLOCK_LEADER | BLOCK_ORPHAN;
	uint32_t low = after ? insn : block->first;
	uint32_t high = after ? block->first + block->count : insn;
	bool called = false;

	for (int i = 0; i <= CHAIN_MAX; i++) {
		const struct call_object *found =
			(after ? first_in : last_in)(objects, low, high, at);

		if (found && found->passed &&
		    (called || (after ? has_call(solver, low, found->insn)
				      : has_call(solver, found->insn + 1, high))))
			return NULL;
		called |= has_call(solver, low, high);
		if (found || (after ? block->successor_count : block->predecessor_count) != 1 ||
		    block->flags & ends)
			return found;
		block = &code->blocks[code->edges[after ? block->successor_first
							: block->predecessor_first]];
		low = block->first;
		high = low + block->count;
	}
	return NULL;
}

const struct stack_fact *call_objects_find(const struct solver *solver, uint32_t insn,
					   uint8_t frame, int64_t at, int64_t *offset)
{
	if (!solver->evidence.call_objects.count || frame != FRAME_CFA)
		return NULL;
	const struct call_object *made = call_objects_near(solver, insn, false, at),
				 *given = call_objects_near(solver, insn, true, at);

	if (made && made->role == CALL_ENDS)
		made = NULL;
	if (given && given->role == CALL_MAKES)
		given = NULL;
	if (made && given && !call_objects_has_part(&made->fact, &given->fact) &&
	    !call_objects_has_part(&given->fact, &made->fact))
		return NULL;
	if (!made || (given && !call_objects_has_part(&made->fact, &given->fact)))
		made = given;
	if (!made)
		return NULL;
	*offset = at - made->fact.offset;
	return &made->fact;
}
