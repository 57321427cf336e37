// SPDX-License-Identifier: GPL-2.0-or-later
/* Where paths meet: what holds on both of them. */
#include "annotate/solver.h"

#include <string.h>

/* `a` is what this very join gave before, and `b` is no more than that: mostly so, where blocks are walked
 * again. */
static bool is_joined_already(const struct solver *solver, const struct value *a, const struct value *b,
			      uint64_t key)
{
	const struct origin *origin = &solver->origins.items[a->origin];

	if (!a->origin || origin->key != key || a->kind != b->kind || (b->conflict && !a->conflict))
		return false;
	if (a->kind == VALUE_UNKNOWN) {
		struct value plain = value_unknown(a->origin);

		plain.conflict = a->conflict;
		return value_equal(a, &plain) && a->origin != b->origin &&
		       origin->inferred.kind != VALUE_POINTER;
	}
	return a->kind == VALUE_NUMBER && a->stride == 1 && !a->type && !a->moved;
}

/* Globals meet as what they are: two of them not as a stride from one to the other, and with a pointer. */
static struct value join_global(struct solver *solver, struct value a, struct value b, uint32_t phi)
{
	struct value pointer;
	bool globals = a.kind == VALUE_ADDRESS && b.kind == VALUE_ADDRESS;

	if ((globals || (a.kind == VALUE_ADDRESS && b.kind == VALUE_POINTER)) &&
	    solver_global(solver, a.offset, &pointer)) {
		struct value other;

		if (!globals ||
		    (solver_global(solver, b.offset, &other) &&
		     (other.type != pointer.type || other.offset - pointer.offset != b.offset - a.offset))) {
			pointer.stride = a.stride;
			a = pointer;
		}
	}
	if (b.kind == VALUE_ADDRESS && a.kind == VALUE_POINTER && solver_global(solver, b.offset, &pointer)) {
		pointer.stride = b.stride;
		b = pointer;
	}
	return value_join(&a, &b, phi);
}

/* Pointers to records from several places: without variables, it is what is done with this one that tells
 * what it is, besides that. */
static void follow(struct solver *solver, struct value *joined, uint64_t key)
{
	if (joined->kind == VALUE_POINTER && !joined->origin && !joined->stride &&
	    solver_has_no_variables(solver) && type_is_record(type_strip(joined->type)))
		joined->origin = origins_id(&solver->origins, origin_key_joined(key));
}

/* Is it clear at once that *b changes nothing of *a? Nothing was known here before: nothing is now. */
static bool adds_nothing(const struct solver *solver, const struct value *a, const struct value *b,
			 uint64_t key)
{
	return b->kind == VALUE_BOTTOM ||
	       (a->kind == VALUE_UNKNOWN && a->conflict && origins_is(&solver->origins, a, key)) ||
	       is_joined_already(solver, a, b, key);
}

/* What two that differ have in common. */
static struct value join_values(struct solver *solver, const struct value *a, const struct value *b,
				uint64_t key)
{
	uint32_t phi = origins_id(&solver->origins, key);
	struct value joined = a->kind == VALUE_ADDRESS || b->kind == VALUE_ADDRESS
				      ? join_global(solver, *a, *b, phi)
				      : value_join(a, b, phi);

	follow(solver, &joined, key);
	/* what was found out of this join before, when less was known of what meets here, holds still: an
	 * element that is known on one path, and on the other its list's node alone */
	const struct value *before = &solver->origins.items[phi].inferred;

	if (before->kind == VALUE_POINTER &&
	    ((joined.kind == VALUE_UNKNOWN && joined.origin == phi) ||
	     (joined.kind == VALUE_POINTER && !joined.stride &&
	      place_contains(before->type, before->offset - joined.offset, joined.type) &&
	      !place_is_view(before->type, before->offset - joined.offset, joined.type))))
		return *before;
	return joined;
}

/* Join *other, which differs, into *value; true if that changed it. */
static __attribute__((noinline)) bool join_different(struct solver *solver, struct value *value,
						     const struct value *other, uint64_t key, bool settle)
{
	if (adds_nothing(solver, value, other, key))
		return false;
	struct value joined = value->kind == VALUE_BOTTOM ? *other : join_values(solver, value, other, key);

	if (value_equal(&joined, value))
		return false;
	if (settle) {
		joined = value_unknown(origins_id(&solver->origins, key));
		joined.conflict = true;
		if (value_equal(&joined, value))
			return false;
	}
	*value = joined;
	return true;
}

/* Both sides' slots are sorted: they are gone through side by side. */
static bool join_slots(struct solver *solver, struct state *into, const struct state *from, uint32_t block)
{
	const struct slot *theirs = from->slots, *end = theirs + from->slot_count;
	uint32_t kept = 0;
	bool changed = false;

	/* mostly both sides have the same */
	if (!into->slot_count ||
	    (into->slot_count == from->slot_count &&
	     memcmp(into->slots, from->slots, into->slot_count * sizeof(*into->slots)) == 0))
		return false;
	for (uint32_t i = 0; i < into->slot_count; i++) {
		struct slot *slot = &into->slots[i];

		while (theirs < end && !slot_is_same(theirs, slot) && slot_is_before(theirs, slot))
			theirs++;
		if (theirs == end || !slot_is_same(theirs, slot)) {
			changed = true;
			continue;
		}
		if (!value_equal(&slot->value, &theirs->value))
			changed |= join_different(solver, &slot->value, &theirs->value,
						  origin_key_slot(block, slot->frame, slot->offset), false);
		theirs++;
		if (kept != i)
			into->slots[kept] = *slot;
		kept++;
	}
	into->slot_count = kept;
	return changed;
}

static inline bool join_value(struct solver *solver, struct value *value, const struct value *other,
			      uint32_t block, unsigned int index, bool settle)
{
	return !value_equal(value, other) &&
	       join_different(solver, value, other, origin_key_join(block, index), settle);
}

/* Join `from` into the entry of `block`; true if that changed it. */
bool solver_join(struct solver *solver, struct state *into, const struct state *from, uint32_t block,
		 uint64_t wanted, bool settle)
{
	bool changed = false;

	if (!into->reached) {
		state_copy(into, from);
		for (uint64_t left = ~wanted & (REG_BIT(REG_GENERAL_COUNT) - 1); left; left &= left - 1)
			into->values[__builtin_ctzll(left)] = value_unknown(0);
		return true;
	}
	if (into->vectors & ~from->vectors) {
		into->vectors &= from->vectors;
		changed = true;
	}
	for (uint64_t left = wanted & (REG_BIT(REG_GENERAL_COUNT) - 1); left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(left);

		changed |= join_value(solver, &into->values[i], &from->values[i], block, i, settle);
	}
	for (uint32_t left = into->vectors; left; left &= left - 1) {
		unsigned int lane = (unsigned int)__builtin_ctz(left);

		for (unsigned int half = REG_XMM0; half <= REG_COUNT; half += REG_COUNT - REG_XMM0)
			changed |=
				join_value(solver, &into->lanes[half + lane - REG_XMM0],
					   &from->lanes[half + lane - REG_XMM0], block, half + lane, settle);
	}
	return join_slots(solver, into, from, block) || changed;
}
