/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers that a call keeps although the calling convention lets it change them.
 *
 * A compiler knows the code of the functions of its own unit, and keeps values across a call in
 * registers that the callee does not change (gcc's -fipa-ra). The debug information does not say
 * so, but the code after the call shows it: it reads a register that it has not written.
 */
#ifndef DTPROF_ANNOTATE_FACTS_KEPT_H
#define DTPROF_ANNOTATE_FACTS_KEPT_H

#include "disasm/liveness.h"

struct prototype;
struct solver;

/* The registers that the blocks of a function read. Zero-initialized is empty; the memory is used
 * again for the next function. Free with liveness_deinit(). */
struct kept {
	struct liveness read;
	uint64_t round; /* first_round of struct solver for the function whose blocks these are */
};

/* Returns those of the `clobbered` registers that the call `insn` of the
 * function at `target` must have kept, as a mask. 0: none, or `target` is 0 (the call is indirect).
 * Registers of results are among them only if the `prototype` returns nothing; it may be NULL. */
uint64_t kept_by_call(struct solver *solver, uint32_t insn, uint64_t target,
		      const struct prototype *prototype, uint64_t clobbered);

#endif
