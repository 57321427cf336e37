/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers that a call keeps although the calling convention lets it change them.
 *
 * A compiler knows the code of the functions of its own unit, and keeps values in the registers
 * that they do not change (gcc's -fipa-ra). Nothing says so, but the code after the call does: it
 * reads a register that it has not written.
 */
#ifndef DTPROF_ANNOTATE_KEPT_H
#define DTPROF_ANNOTATE_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct solver;

/* The general registers that a block reads before it writes them, that it neither reads nor writes,
 * and that are read from its start on before they are written. */
struct kept_block {
	uint32_t reads;
	uint32_t untouched;
	uint32_t entry;
};

/* The registers that a function reads. Zero-initialized is empty; later functions use its memory
 * again. */
struct kept {
	struct kept_block *blocks;
	size_t capacity;
	uint64_t round; /* struct solver's first one of the function whose blocks these are */
};

/* Returns the registers among `clobbered` that a direct call must have kept. */
uint64_t kept_by_call(struct solver *solver, uint32_t insn, uint64_t target, uint64_t clobbered);
void kept_deinit(struct kept *kept);

#endif
