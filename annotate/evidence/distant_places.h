/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places of values that other functions may know, and what they say (distant.h). */
#ifndef DTPROF_ANNOTATE_EVIDENCE_DISTANT_PLACES_H
#define DTPROF_ANNOTATE_EVIDENCE_DISTANT_PLACES_H

#include "annotate/flow/solver.h"

/* Finds the place of a field, as this unit's functions see it. False if the function has no
 * variables, or if the field is not in a record. */
bool solver_place_of_member(const struct solver *solver, const struct field_ref *field,
			    struct distant_place *place);
/* Finds the place that an origin's value comes from. False: it comes from none. */
bool solver_place_of_origin(struct solver *solver, uint32_t id, struct distant_place *place);
/* Returns the distant fact of a member; NULL: it is not among the facts, or none are known yet. */
const struct distant_fact *solver_distant_fact(const struct solver *solver,
					       const struct field_ref *field);
/* Adds the places from which the value of an origin may come. Valid after the last pass that
 * gathers uses. */
void solver_distant_places(struct solver *solver, uint32_t origin, struct distant_places *places);

/* ---- facts of other functions, distant.h */

/* Replace an unknown value by what other functions say of its place: the argument in a register at
 * the entry; what is loaded from a field. */
void solver_distant_argument(const struct solver *solver, uint8_t reg, struct value *value);
void solver_distant_member(struct solver *solver, const struct field_ref *field,
			   struct value *value);

#endif
