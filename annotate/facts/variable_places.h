/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places of variables on the stack. */
#ifndef DTPROF_ANNOTATE_FACTS_VARIABLE_PLACES_H
#define DTPROF_ANNOTATE_FACTS_VARIABLE_PLACES_H

#include "annotate/flow/solver.h"

/* Adds to the facts the places on the stack of variables whose locations do not
 * give them. Must follow facts_build(). */
void variable_places_find(struct solver *solver);
/* Finds the place, in bytes from the CFA, that a memory operand of the instruction addresses, by
 * the frame information. False: it is not known. */
bool solver_frame_place(const struct solver *solver, const struct insn *insn,
			const struct operand *operand, int64_t *place);

#endif
