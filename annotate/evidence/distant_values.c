// SPDX-License-Identifier: GPL-2.0-or-later
/* The values that other functions give to a place: see distant.h. */
#include <elf.h>

#include "annotate/evidence/distant_places.h"
#include "annotate/flow/solver.h"
#include "annotate/types/field.h"

static bool learn_from_fact(const struct solver *solver, const struct distant_place *place,
			    struct value *value)
{
	const struct distant_fact *fact = distant_facts_find(solver->distant, place);

	if (!fact || !distant_fact_is_known(fact))
		return false;
	uint32_t origin = value->origin;

	*value = fact->value;
	value->origin = origin;
	return true;
}

void solver_distant_argument(const struct solver *solver, uint8_t reg, struct value *value)
{
	const struct distant_place place = solver_place_of_argument(solver, reg);

	if (value->kind == VALUE_UNKNOWN)
		learn_from_fact(solver, &place, value);
}

/* True if a value of this type may be a pointer to something that the type does not name. */
static bool may_point(const struct type *type)
{
	const struct type *bare = type ? type_strip(type) : NULL;

	return !bare || type_is_pointer(bare) ||
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
	/* code whose variables were not followed shows only some of a union's pointees */
	if (solver->facts.untracked &&
	    alternatives_of_union(&solver->evidence.alternatives, value->origin))
		return;
	if (solver->distant && solver_place_of_member(solver, field, &place) &&
	    !learn_from_fact(solver, &place, value))
		alternatives_note_distant(solver, value->origin, field);
}
