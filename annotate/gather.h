/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a function's values are used as, seen in one pass over its blocks once they are solved. Private to
 * annotate/. */
#ifndef DTPROF_ANNOTATE_GATHER_H
#define DTPROF_ANNOTATE_GATHER_H

#include "annotate/solver.h"

/* The inputs of joins that came to nothing, where `from` reaches the entry of block `to`, of the general
 * registers that are `wanted` there. */
void gather_edge(struct solver *solver, const struct state *from, uint32_t to, uint64_t wanted);
/* What the addresses of an instruction's memory operands tell, in the state before it; a flow_visitor. */
bool gather_operands(struct solver *solver, const struct state *state, uint32_t insn, void *unused);
/* Draw the conclusions. True if any value is now known that was not. */
bool gather_conclude(struct solver *solver);

#endif
