// SPDX-License-Identifier: GPL-2.0-or-later
/* Variables in stack memory: which one a place belongs to, and which the function gives away. */
#include "annotate/solver.h"

#include "annotate/place.h"

/* Of several things that are in a place in turn, the nearest is meant if all others are so many times
 * farther. */
#define NEARER 4

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

/* The same of what a pointer says: all that a class has may be its base's. */
static bool has_part(const struct stack_fact *whole, int64_t offset, const struct stack_fact *part)
{
	return place_contains(whole->type, offset, part->type) || holds_variable(whole, offset, part);
}

/* Is one of the two all that the other is, or a part of it? */
static bool goes_with(const struct stack_fact *a, int64_t a_offset, const struct stack_fact *b,
		      int64_t b_offset)
{
	return (a_offset == b_offset && place_same_type(a->type, b->type)) ||
	       has_part(a, a_offset - b_offset, b) || has_part(b, b_offset - a_offset, a);
}

/* Which of a list's facts may have a byte of the stack. */
struct candidates {
	/* the best of those that are there; NULL: none is */
	const struct stack_fact *valid;
	int64_t valid_offset;
	/* else one that is there at other addresses; NULL: none, or they differ */
	const struct stack_fact *outside;
	int64_t outside_offset;
};

static struct candidates find(const struct solver *solver, const struct state *state,
			      const struct stack_fact *facts, const struct stack_index *index,
			      uint64_t address, uint64_t next_address, uint8_t frame, int64_t at)
{
	struct candidates found = { 0 };
	struct stack_candidates candidates = stack_index_at(index, frame == FRAME_CFA, at);
	bool ambiguous = false;
	uint32_t number;

	while (stack_candidates_next(&candidates, &number)) {
		const struct stack_fact *fact = &facts[number];
		uint8_t fact_frame;
		int64_t base;

		if (!stack_base(fact, state, &fact_frame, &base) || fact_frame != frame ||
		    !holds(fact, at - base))
			continue;
		int64_t within = at - base - fact->offset + fact->piece_offset;
		bool valid = (address >= fact->low && address < fact->high) ||
			     (next_address >= fact->low && next_address < fact->high);

		if (valid && facts_in_scope(&solver->facts, fact->variable, address)) {
			if (!found.valid || prefers(fact, within, found.valid, found.valid_offset)) {
				found.valid = fact;
				found.valid_offset = within;
			}
		} else if (!found.valid) {
			/* a place that only one variable ever has is that variable's a little before and
			 * after, too */
			if (found.outside && (!place_same_type(found.outside->type, fact->type) ||
					      found.outside_offset != within))
				ambiguous = true;
			found.outside = fact;
			found.outside_offset = within;
		}
	}
	if (ambiguous || !rule_is_on(RULE_OUTSIDE_RANGE))
		found.outside = NULL;
	return found;
}

static struct candidates find_variable(const struct solver *solver, const struct state *state,
				       uint64_t address, uint64_t next_address, uint8_t frame, int64_t at)
{
	return find(solver, state, solver->facts.stack, &solver->facts.stack_index, address, next_address,
		    frame, at);
}

/* The nearest account, in code, of what is in a place on the stack. */
struct nearest {
	const struct stack_fact *object; /* NULL: none */
	int64_t offset;
	uint64_t distance;
	uint64_t second; /* distance of the nearest account of anything else */
};

/* One more account: of the same object as the nearest, or of another. */
static void add_account(struct nearest *nearest, const struct stack_fact *fact, int64_t offset,
			uint64_t distance)
{
	if (nearest->object && goes_with(nearest->object, nearest->offset, fact, offset)) {
		if (distance < nearest->distance)
			nearest->distance = distance;
		if (!has_part(fact, offset - nearest->offset, nearest->object))
			return;
	} else if (distance >= nearest->distance) {
		nearest->second = distance < nearest->second ? distance : nearest->second;
		return;
	} else {
		nearest->second = nearest->distance;
		nearest->distance = distance;
	}
	nearest->object = fact;
	nearest->offset = offset;
}

/*
 * What pointers say is on the stack, here or else nearest; the whole before its parts. What goes with
 * `variable`, `variable_offset` bytes into which the place is (NULL: nothing does), is left out: of that only
 * the distance, in *agreeing. `self`: only of what is_self.
 */
static struct nearest find_nearest(const struct solver *solver, const struct state *state, uint64_t address,
				   uint8_t frame, int64_t at, const struct stack_fact *variable,
				   int64_t variable_offset, bool self, uint64_t *agreeing)
{
	const struct facts *facts = &solver->facts;
	struct stack_candidates candidates = stack_index_at(&facts->pointed_index, frame == FRAME_CFA, at);
	struct nearest nearest = { .distance = UINT64_MAX, .second = UINT64_MAX };
	uint32_t number;

	*agreeing = UINT64_MAX;
	while (stack_candidates_next(&candidates, &number)) {
		const struct stack_fact *fact = &facts->pointed[number];
		uint8_t fact_frame;
		int64_t base;

		if ((self && !fact->is_self) || !stack_base(fact, state, &fact_frame, &base) ||
		    fact_frame != frame || !holds(fact, at - base))
			continue;
		int64_t within = at - base - fact->offset;
		uint64_t distance = facts_distance(facts, fact, address);

		if (!variable || !goes_with(variable, variable_offset, fact, within))
			add_account(&nearest, fact, within, distance);
		else if (distance < *agreeing)
			*agreeing = distance;
	}
	if (nearest.distance > nearest.second / NEARER)
		nearest.object = NULL;
	return nearest;
}

const struct stack_fact *solver_stack_variable(struct solver *solver, const struct state *state,
					       uint64_t address, uint64_t next_address, uint8_t frame,
					       int64_t at, int64_t *offset)
{
	struct candidates found = find_variable(solver, state, address, next_address, frame, at);

	*offset = found.valid ? found.valid_offset : found.outside_offset;
	return found.valid ? found.valid : found.outside;
}

/*
 * Is it `object` that is there, although the place is said to be the variable's at all addresses of its
 * scope? Before that is alive, and after it, the compiler has there what has no name. Of variables of the
 * whole function, what is nearest in code tells.
 */
static bool is_before_variable(const struct stack_fact *variable, const struct nearest *object,
			       uint64_t agreeing)
{
	if (variable->low || variable->high != UINT64_MAX || object->object->depth <= variable->depth)
		return false;
	return !object->distance ||
	       (variable->depth <= 1 && agreeing != UINT64_MAX && object->distance < agreeing);
}

const struct stack_fact *solver_stack_object(struct solver *solver, const struct state *state,
					     uint64_t address, uint64_t next_address, uint8_t frame,
					     int64_t at, int64_t *offset)
{
	struct candidates declared = find_variable(solver, state, address, next_address, frame, at);
	const struct stack_fact *variable = declared.valid ? declared.valid : declared.outside;
	uint64_t agreeing;

	*offset = declared.valid ? declared.valid_offset : declared.outside_offset;
	if (!solver->facts.pointed_count || !rule_is_on(RULE_POINTED_OBJECT))
		return variable;

	bool sure = declared.valid && declared.valid->how != HOW_INFERRED;
	struct nearest nearest =
		find_nearest(solver, state, address, frame, at, variable, *offset, sure, &agreeing);

	if (!nearest.object || (sure && !is_before_variable(variable, &nearest, agreeing)) ||
	    (variable && !sure && agreeing <= nearest.distance) ||
	    (variable && !declared.valid &&
	     facts_distance(&solver->facts, variable, address) <= nearest.distance))
		return variable;
	*offset = nearest.offset;
	return nearest.object;
}

void solver_escape_stack(struct solver *solver, const struct state *state, const struct value *value,
			 uint64_t address)
{
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
