/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evidence on a value of a union from the calls that get it as an argument: a part of
 * union_evidence.c. Private to annotate/answer. */
#pragma once

#include "annotate/answer/union_findings.h"

/* A call, or a jump to another function, on the way from the load of a value. */
struct union_call {
	const struct state *state; /* before the load */
	uint32_t insn;
	uint64_t written; /* registers that were written since the load */
	/* registers that have the value, and those that have a sum of it and something else */
	uint64_t value, sum;
	uint64_t size; /* bytes of the value */
};

/* Adds what the arguments show. `prototype`: of the called function; NULL: it is not known. */
void union_arguments_find(struct solver *solver, const struct union_call *call,
			  const struct prototype *prototype, struct findings *findings);
