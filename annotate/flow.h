/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data flow over one function: see flow.c. Private to annotate/. */
#ifndef DTPROF_ANNOTATE_FLOW_H
#define DTPROF_ANNOTATE_FLOW_H

#include "annotate/solver.h"

struct flow;

/* What one thread solves functions with, one after the other: most of its memory is used again. */
struct flow *flow_create(struct solver *solver);
void flow_destroy(struct flow *flow);

/*
 * The solver has another function's code and facts:
 *
 *     flow_start()   once; `every`: all values are looked at, also those that the function does not use;
 *     flow_want()    the blocks whose states are asked for;
 *     flow_solve()   finds the fixed point for those, and what leads to them;
 *     flow_learn()   where that is not enough: looks at what values are used as, all over the function. If it
 *                    returns true, more is known: flow_solve() again, which now solves all blocks.
 */
void flow_start(struct flow *flow, bool every);
void flow_want(struct flow *flow, uint32_t block);
void flow_solve(struct flow *flow);
bool flow_learn(struct flow *flow);
/* After flow_solve(): does the function give away the address of something on its stack that no variable is
 * declared for? */
bool flow_gives_away_unnamed(struct flow *flow);
/* The function is done with. */
void flow_finish(struct flow *flow);

/* Sees the state before an instruction of a block. False: it has seen enough of this block. */
typedef bool (*flow_visitor)(struct solver *solver, const struct state *state, uint32_t insn, void *data);

/* After flow_solve(): call visit() with the state before each instruction of a block that was wanted. */
void flow_visit(struct flow *flow, uint32_t block, flow_visitor visit, void *data);

#endif
