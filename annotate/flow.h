/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data flow over one function: see flow.c. Private to annotate/. */
#ifndef DTPROF_ANNOTATE_FLOW_H
#define DTPROF_ANNOTATE_FLOW_H

#include "annotate/solver.h"

struct flow;

/* What one thread solves functions with, one after the other: most of its memory is used again. */
struct flow *flow_create(struct solver *solver);
void flow_destroy(struct flow *flow);

/* The solver has another function's code and facts: find the fixed point, and again for as long as what
 * values are used as teaches something. */
void flow_solve(struct flow *flow);
/* The function is done with. */
void flow_finish(struct flow *flow);

/* After flow_solve(): call visit() with the state before each instruction of a block. */
void flow_visit(struct flow *flow, uint32_t block,
		void (*visit)(struct solver *solver, const struct state *state, uint32_t insn, void *data),
		void *data);

#endif
