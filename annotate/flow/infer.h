/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * Inference: what unknown values must have been, judged by their later use.
 *
 * Each point of a function that makes a value of which nothing is known (a load, a call's result, a
 * join) is an origin. The value keeps its origin through copies, spills and additions of constants.
 * When a copy is used as a `struct foo *` (passed as one, stored as one, named by a variable), the
 * origin is known to have been one.
 *
 *     void *p = allocate(24);     the call's result is an origin
 *     p[1] = key;                 nothing is known of p yet
 *     node_insert(p);             takes a struct node *: so the store above was to struct node +8
 *
 * One pass over the solved function gathers uses (gather_edge(), gather_operands()).
 * gather_conclude() infers each origin whose uses agree, and the function is solved again with
 * that. What follows from it is marked HOW_INFERRED.
 */
/* clang-format on */
#pragma once

#include "annotate/types/field.h"
#include "annotate/values/value.h"
#include "disasm/insn.h"
#include "dwarf/types/type.h"
#include "base/hash.h"

struct solver;
struct state;

/* ---- gathering */

/* Notes the inputs of joins whose result is unknown, for the edge from state `from` to block `to`
 * and the general registers `wanted` there. */
void gather_edge(struct solver *solver, const struct state *from, uint32_t to, uint64_t wanted);
/* Notes what the addresses of an instruction's memory operands show, from the state before it. A
 * flow_visitor. */
bool gather_operands(struct solver *solver, const struct state *state, uint32_t insn, void *unused);
/* Draws the conclusions and forgets what was gathered. True if anything new is known. */
bool gather_conclude(struct solver *solver);
