/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The effect of instructions on states, and the fixed point. */
#pragma once

#include "annotate/flow/solver.h"

/* ---- transfer.c */
/* Applies an instruction to the state. */
void solver_transfer(struct solver *solver, struct state *state, uint32_t insn);

/* ---- meet.c */
/* Reconciles the tracked value of a register with the declared one (DWARF's). A weak declaration
 * says only that the value points into something. */
struct value solver_combine(struct solver *solver, struct value flow, struct value said, bool weak);
/* Puts a fact about a register into the state. */
void solver_apply_fact(struct solver *solver, struct state *state, uint8_t reg,
		       const struct register_fact *fact);

/* ---- call.c */

/* Returns a function type, or the one that a pointer points to, as a prototype in *storage; NULL if
 * `type` is neither. */
const struct prototype *prototype_of_type(const struct type *type, struct prototype *storage);
/* Applies a call to the state. A tail call (`tail`) only notes its arguments. */
void solver_call(struct solver *solver, struct state *state, uint32_t insn, bool tail);
void solver_return(struct solver *solver, struct state *state);
/* Sets the parameters in the state at the function's entry where only the ABI says where they are.
 */
void solver_arguments(struct solver *solver, struct state *state);
/* Sets the register that has the runtime's record of the running goroutine, in code of Go's own
 * compiler. It is never written there. */
void solver_goroutine(struct solver *solver, struct state *state);
/* Adds the parameters that are passed in memory to the facts; must follow facts_build(). */
void solver_stack_arguments(struct solver *solver);
/* Finds out whether code without a function is a thunk. */
void solver_find_thunk(struct solver *solver);
/* Returns the address that callers pass for a result in memory; UNKNOWN if the function returns no
 * record in memory. */
struct value solver_result_place(const struct solver *solver);

/* ---- flow.c */

struct data_flow;

/* Creates the state with which one thread solves functions, one after the other. Most of its memory
 * is used again for the next function. */
struct data_flow *flow_create(struct solver *solver);
void flow_destroy(struct data_flow *flow);

/*
 * Solves one function, whose code and facts the solver has:
 *
 *   flow_start()   begins. `every`: values that the function does not use are tracked, too.
 *   flow_want()    names a block whose state is asked for.
 *   flow_solve()   finds the fixed point of the wanted blocks and of those that lead to them.
 *   flow_learn()   gathers from the whole function what values are used as. If it returns true,
 *                  more is known now: call flow_solve() again, which then solves all blocks.
 *   flow_finish()  ends the work on the function.
 *
 * If flow_is_too_large() after any of these, the function has met a budget of work or memory: its
 * states are incomplete, and nothing may be answered from them.
 */
void flow_start(struct data_flow *flow, bool every);
void flow_want(struct data_flow *flow, uint32_t block);
void flow_solve(struct data_flow *flow);
bool flow_learn(struct data_flow *flow);
/* True if the function gives away the address of something on its stack for which no variable is
 * declared. Valid after flow_solve(). */
bool flow_gives_away_unnamed(struct data_flow *flow);
void flow_finish(struct data_flow *flow);
bool flow_is_too_large(const struct data_flow *flow);

/* Sees the state before an instruction of a block. Returns false if it has seen enough of the
 * block. */
typedef bool (*flow_visitor)(struct solver *solver, const struct state *state, uint32_t insn,
			     void *data);

/* Calls visit() with the state before each instruction of a block that was wanted. Valid after
 * flow_solve(). */
void flow_visit(struct data_flow *flow, uint32_t block, flow_visitor visit, void *data);
/* Notes the test of a tag, if there is one, of the edge between two blocks that were solved
 * (tags.h). */
void flow_note_edge(struct data_flow *flow, uint32_t from, uint32_t to);
/* The same for all edges of the block that was visited last. */
void flow_note_edges(struct data_flow *flow, uint32_t block);
