// SPDX-License-Identifier: GPL-2.0-or-later
/* The places at which other functions may know a value: see distant.h. */

#include "annotate/flow/solver.h"
#include "annotate/types/field.h"

/* Returns the place of the argument in a register at the entry. */
static struct distant_place place_of_argument(const struct solver *solver, uint8_t reg)
{
	return (struct distant_place){ .kind = DISTANT_ARGUMENT,
				       .reg = reg,
				       .code = solver->code->insns[0].address };
}

bool solver_place_of_member(const struct solver *solver, const struct field_ref *field,
			    struct distant_place *place)
{
	if (!solver->function || solver_has_no_variables(solver) ||
	    !distant_member_place(field, place))
		return false;
	place->code = solver->function->unit_source;
	place->address = solver->code->insns[0].address;
	return true;
}

bool solver_place_of_origin(struct solver *solver, uint32_t id, struct distant_place *place)
{
	const struct origin *origin = &solver->origins.items[id];

	if (origin->holder) {
		const struct field_ref field = { origin->holder, origin->holder_offset };

		return solver_place_of_member(solver, &field, place);
	}
	if (!origin->key || origin->key > REG_GENERAL_COUNT ||
	    !convention_argument(solver->abi->call, (uint8_t)(origin->key - 1)))
		return false;
	*place = place_of_argument(solver, (uint8_t)(origin->key - 1));
	return true;
}

/* The most origins that are looked at for one value. */
#define ORIGIN_MAX 64

/* Adds an origin to the list, unless it is there. */
static void see_origin(uint32_t *seen, size_t *count, uint32_t origin)
{
	if (origin && *count < ORIGIN_MAX && !any_of(i, 0, *count, seen[i] == origin))
		seen[(*count)++] = origin;
}

void solver_distant_places(struct solver *solver, uint32_t origin, struct distant_places *places)
{
	const struct origins *origins = &solver->origins;
	uint32_t seen[ORIGIN_MAX] = { origin };
	size_t count = 1;

	for (size_t i = 0; i < count; i++) {
		struct distant_place place;

		if (solver_place_of_origin(solver, seen[i], &place))
			distant_places_add(places, &place);
		see_origin(seen, &count, origins->items[seen[i]].through);
		array_each (const struct origin_flow, flow, origins->flows, origins->flow_count)
			if (flow->phi == seen[i] && flow->input.kind == VALUE_UNKNOWN)
				see_origin(seen, &count, flow->input.origin);
	}
}

const struct distant_fact *solver_distant_fact(const struct solver *solver,
					       const struct field_ref *field)
{
	struct distant_place place;

	return solver->distant && solver_place_of_member(solver, field, &place)
		       ? distant_facts_find(solver->distant, &place)
		       : NULL;
}

/* ---- the values that other functions give to a place ---- */

/* A fact counts if at least this many functions say it. */
static bool learn_from_fact(const struct solver *solver, const struct distant_place *place,
			    uint32_t witnesses, struct value *value)
{
	const struct distant_fact *fact = distant_facts_find(solver->distant, place);

	if (!fact || !distant_fact_is_known(fact) || fact->witnesses < witnesses)
		return false;
	uint32_t origin = value->origin;

	*value = fact->value;
	value->origin = origin;
	return true;
}

void solver_distant_argument(const struct solver *solver, uint8_t reg, struct value *value)
{
	const struct distant_place place = place_of_argument(solver, reg);

	if (value->kind == VALUE_UNKNOWN)
		learn_from_fact(solver, &place, 0, value);
}

/* One function uses one of a union's pointers; if several agree, it is what the others use, too. */
#define UNION_WITNESSES 2

/* True if a value of this type may be a pointer to something that the type does not name. */
static bool may_point(const struct type *type)
{
	const struct type *bare = type ? type_strip(type) : NULL;

	return !bare || type_is_pointer(bare) || bare->kind == TYPE_UNION ||
	       (bare->kind == TYPE_INTEGER && type_size_or(bare, 0) == 8);
}

void solver_distant_member(struct solver *solver, const struct field_ref *field,
			   struct value *value)
{
	struct distant_place place;

	if (!value->origin || value->kind != VALUE_UNKNOWN || value->offset || value->stride ||
	    !may_point(value->type))
		return;
	solver->origins.items[value->origin].holder = field->type;
	solver->origins.items[value->origin].holder_offset = field->offset;
	bool of_union = alternatives_of_union(&solver->evidence.alternatives, value->origin);

	/* code whose variables were not followed shows only some of a union's pointees */
	if (solver->facts.untracked && of_union)
		return;
	if (solver->distant && solver_place_of_member(solver, field, &place) &&
	    !learn_from_fact(solver, &place, of_union ? UNION_WITNESSES : 0, value))
		alternatives_note_distant(solver, value->origin, field);
}
