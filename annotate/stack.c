// SPDX-License-Identifier: GPL-2.0-or-later
/* Variables in stack memory: which one a place belongs to, and which the function gives away. */
#include "annotate/solver.h"

#include "annotate/place.h"

static bool holds(const struct stack_fact *fact, int64_t at)
{
	return at >= fact->offset && at < fact->offset + (int64_t)fact->size;
}

/* Where the fact's base is in this state: false if that is not known. */
static bool stack_base(const struct stack_fact *fact, const struct state *state, uint8_t *frame,
		       int64_t *base)
{
	*frame = FRAME_CFA;
	*base = 0;
	if (fact->base_reg == REG_NONE)
		return true;
	const struct value *value = &state->values[fact->base_reg];

	if (value->kind != VALUE_FRAME || value->stride || value->frame > FRAME_LAST_OTHER)
		return false;
	*frame = value->frame;
	*base = value->offset;
	return true;
}

/* Has `whole` a member like `part`, `offset` bytes in: is one variable kept in a part of another? */
static bool holds_variable(const struct stack_fact *whole, int64_t offset, const struct stack_fact *part)
{
	const struct type *member;

	if (whole->size <= part->size)
		return false;
	if (place_contains(whole->type, offset, part->type))
		return true;
	member = place_scalar(whole->type, offset, part->size);
	return member && (place_same_type(member, part->type) ||
			  (type_is_pointer(type_strip(member)) && type_is_pointer(type_strip(part->type))));
}

/* Of two variables that have the same byte: the whole before its part, the inner scope's before the outer's.
 */
static bool prefers(const struct stack_fact *fact, int64_t offset, const struct stack_fact *best,
		    int64_t best_offset)
{
	if (holds_variable(fact, offset - best_offset, best))
		return true;
	if (holds_variable(best, best_offset - offset, fact))
		return false;
	return fact->depth > best->depth || (fact->depth == best->depth && fact->size > best->size);
}

const struct stack_fact *solver_stack_variable(struct solver *solver, const struct state *state,
					       uint64_t address, uint64_t next_address, uint8_t frame,
					       int64_t at, int64_t *offset)
{
	const struct stack_fact *best = NULL, *outside = NULL;
	int64_t best_offset = 0, outside_offset = 0;
	bool ambiguous = false;

	struct stack_candidates candidates =
		stack_index_at(&solver->facts.stack_index, frame == FRAME_CFA, at);
	uint32_t number;

	while (stack_candidates_next(&candidates, &number)) {
		const struct stack_fact *fact = &solver->facts.stack[number];
		uint8_t fact_frame;
		int64_t base;

		if (!stack_base(fact, state, &fact_frame, &base) || fact_frame != frame ||
		    !holds(fact, at - base))
			continue;
		int64_t within = at - base - fact->offset + fact->piece_offset;
		bool valid = (address >= fact->low && address < fact->high) ||
			     (next_address >= fact->low && next_address < fact->high);

		if (valid && facts_in_scope(&solver->facts, fact->variable, address)) {
			if (!best || prefers(fact, within, best, best_offset)) {
				best = fact;
				best_offset = within;
			}
		} else {
			/* a place that only one variable ever has is that variable's a little before and
			 * after, too */
			if (outside &&
			    (!place_same_type(outside->type, fact->type) || outside_offset != within))
				ambiguous = true;
			outside = fact;
			outside_offset = within;
		}
	}
	if (best) {
		*offset = best_offset;
		return best;
	}
	if (outside && !ambiguous) {
		*offset = outside_offset;
		return outside;
	}
	return NULL;
}

void solver_escape(struct solver *solver, const struct state *state, const struct value *value,
		   uint64_t address)
{
	if (value->kind != VALUE_FRAME || value->frame > FRAME_LAST_OTHER)
		return;
	int64_t offset = 0;
	struct escape escape = { .frame = value->frame, .low = value->offset, .high = INT64_MAX };
	const struct stack_fact *variable =
		solver_stack_variable(solver, state, address, address, value->frame, value->offset, &offset);

	if (variable) {
		escape.low = value->offset - offset;
		escape.high = escape.low + (int64_t)variable->size;
	}
	for (uint32_t i = 0; i < solver->escape_count; i++) {
		struct escape *old = &solver->escapes[i];

		if (old->frame == escape.frame && old->low <= escape.low && old->high >= escape.high)
			return;
	}
	array_reserve(solver->escapes, solver->escape_count, solver->escape_capacity);
	solver->escapes[solver->escape_count++] = escape;
}
