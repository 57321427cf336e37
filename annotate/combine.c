// SPDX-License-Identifier: GPL-2.0-or-later
/* Where what the debug information says of a value meets what has flowed there. */
#include "annotate/rules/stages.h"

#include "annotate/place.h"

/* `winner` is gone on with; what `loser` said of the same address is kept for where the winner proves too
 * small. */
static struct value prefer(struct value winner, const struct value *loser, uint32_t origin)
{
	int64_t apart;

	if (!winner.stride && !loser->stride &&
	    !__builtin_sub_overflow(loser->offset, winner.offset, &apart) && apart >= INT32_MIN &&
	    apart <= INT32_MAX) {
		winner.other = loser->type;
		winner.moved = (int32_t)apart;
	}
	winner.origin = origin;
	return winner;
}

/* What the same address was said to be, too, is so still. */
static void keep_other(struct value *said, const struct value *flow)
{
	int64_t moved;

	if (!flow->other || __builtin_sub_overflow(flow->offset, said->offset, &moved) ||
	    __builtin_add_overflow(moved, flow->moved, &moved) || moved < INT32_MIN || moved > INT32_MAX)
		return;
	said->other = flow->other;
	said->moved = (int32_t)moved;
}

/* ---- the rules for two pointers to different types: rules/rules.c has reasons and examples */

/* An element of an array stands for itself. */
bool rule_tracked_whole(const struct value *tracked, const struct value *declared)
{
	int64_t within = tracked->offset - declared->offset;

	return !tracked->stride && place_contains(tracked->type, within, declared->type) &&
	       !place_is_element(tracked->type, within, declared->type);
}

bool rule_declared_whole(const struct value *tracked, const struct value *declared)
{
	return place_contains(declared->type, declared->offset - tracked->offset, tracked->type);
}

bool rule_member_of_tracked(const struct value *tracked, const struct value *declared)
{
	int64_t within;

	return !type_is_record(type_strip(declared->type)) && type_is_record(type_strip(tracked->type)) &&
	       !tracked->stride && declared->offset != tracked->offset &&
	       !__builtin_sub_overflow(tracked->offset, declared->offset, &within) && within >= 0 &&
	       (uint64_t)within < place_size(tracked->type);
}

bool rule_any_element(const struct value *tracked, const struct value *declared)
{
	const struct type *scalar = type_strip(declared->type), *element;
	struct place place;
	int64_t at;

	if (!tracked->stride || scalar->kind != TYPE_INTEGER || !type_is_record(type_strip(tracked->type)) ||
	    __builtin_sub_overflow(tracked->offset, declared->offset, &at) ||
	    place_find(tracked->type, at, tracked->stride, scalar->size, &place) != REASON_NONE)
		return false;
	element = place_scalar(place.type, place.offset, scalar->size);
	return element && place_same_type(element, scalar);
}

bool rule_same_size_integer(const struct value *tracked, const struct value *declared)
{
	return !tracked->stride &&
	       place_has_integer(tracked->type, tracked->offset - declared->offset, declared->type);
}

bool rule_kept_record(const struct value *tracked, const struct value *declared)
{
	return !tracked->stride &&
	       place_keeps(tracked->type, tracked->offset - declared->offset, declared->type);
}

/* The verdict of the first rule that applies; RULE_GUARD: none does. */
static enum rule_verdict meet(struct solver *solver, const struct value *tracked,
			      const struct value *declared)
{
	for (unsigned int i = rules_first(STAGE_MEET); i < rules_first(STAGE_MEET + 1); i++)
		if (rule_is_on(i) && rules[i].applies.meet(tracked, declared)) {
			solver->fired |= UINT64_C(1) << i;
			return rules[i].verdict;
		}
	return RULE_GUARD;
}

/* What is said is an integer or void*: the declared type has a name for a spill, no more. */
static void combine_scalar(struct value *flow, const struct value *said)
{
	if ((flow->kind == VALUE_UNKNOWN || flow->kind == VALUE_NUMBER) && !flow->type)
		flow->type = said->type;
	if (flow->kind == VALUE_BOTTOM)
		*flow = *said;
}

struct value solver_combine(struct solver *solver, struct value flow, struct value said, bool weak)
{
	if (said.kind != VALUE_POINTER) {
		combine_scalar(&flow, &said);
		return flow;
	}
	switch (flow.kind) {
	case VALUE_FRAME: return flow.stride ? said : flow;
	case VALUE_ADDRESS: {
		struct value global;

		return solver_global(solver, flow.offset, &global) ? flow : said;
	}
	case VALUE_POINTER:
		if (place_same_type(flow.type, said.type)) {
			solver_note_walk(solver, said.type, flow.offset - said.offset);
			/* the flow may know that an index is in it, or that this is p[-1]: keep what agrees
			 */
			if (flow.offset != said.offset && flow.how != HOW_INFERRED && weak)
				return flow;
			keep_other(&said, &flow);
			said.origin = flow.origin;
			return said;
		}
		if (solver->gather && !weak)
			origins_use(&solver->origins, &flow, said.type, said.offset);
		switch (meet(solver, &flow, &said)) {
		case RULE_KEEPS: return flow;
		case RULE_TAKES: return said;
		default: break;
		}
		return weak ? prefer(flow, &said, flow.origin) : prefer(said, &flow, flow.origin);
	case VALUE_UNKNOWN:
		if (solver->gather && !weak)
			origins_use(&solver->origins, &flow, said.type, said.offset);
		if (flow.offset == said.offset && !flow.stride)
			said.origin = flow.origin;
		return said;
	case VALUE_NUMBER:
		/* an index that was counted up here is no pointer some bytes into an object: rustc says that
		   a reference to a member is index + offset where it is base + index + offset */
		return said.offset && flow.stride != 1 ? flow : said;
	default: return said;
	}
}

static void set_fact(struct state *state, uint8_t reg, struct value value)
{
	if (reg_is_vector(reg))
		state_set_vector(state, reg, value, state_value(state, STATE_HIGH(reg)));
	else
		state->values[reg] = value;
}

/* What has flowed here is what the variable is: most of the time. Then solver_combine() comes to this. */
static bool agree(const struct value *flow, const struct value *said)
{
	return flow->kind == VALUE_POINTER && flow->offset == said->offset &&
	       (flow->type == said->type || place_same_type(flow->type, said->type));
}

/* The two are not just the same. */
static __attribute__((noinline)) void apply_different(struct solver *solver, struct state *state, uint8_t reg,
						      const struct register_fact *fact)
{
	const struct value flow = state_value(state, reg);

	/* nothing was written there yet */
	if (fact->not_at_entry && flow.origin &&
	    solver->origins.items[flow.origin].key == origin_key_entry(reg))
		return;
	/* a table of words that a variable reads as records: no mistake about the register */
	bool cast = flow.kind == VALUE_POINTER && fact->value.kind == VALUE_POINTER &&
		    !type_is_record(type_strip(flow.type)) && type_is_record(type_strip(fact->value.type));
	bool weak = fact->weak || (fact->everywhere && !cast);

	set_fact(state, reg, solver_combine(solver, flow, fact->value, weak));
}

void solver_apply_fact(struct solver *solver, struct state *state, uint8_t reg,
		       const struct register_fact *fact)
{
	struct value *value = reg_is_general(reg) ? &state->values[reg] : NULL;

	if (value && fact->value.kind != VALUE_POINTER) {
		combine_scalar(value, &fact->value);
	} else if (value && agree(value, &fact->value)) {
		/* what else the flow knows, its `other` and its origin, is kept */
		value->type = fact->value.type;
		value->stride = fact->value.stride;
		value->how = fact->value.how;
	} else {
		apply_different(solver, state, reg, fact);
	}
}
