/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that is jumped to or called in the place of one instruction: retpolines for jumps and calls through a
 * register, return thunks for returns (gcc's and clang's -mindirect-branch=thunk-extern,
 * -mretpoline-external-thunk, -mfunction-return=thunk-extern; the Linux kernel's arch/x86/lib/retpoline.S).
 */
#ifndef DTPROF_ANNOTATE_THUNK_H
#define DTPROF_ANNOTATE_THUNK_H

#include <stddef.h>

#include "dwarf/elf/image.h"

struct thunk {
	uint64_t address;
	uint8_t reg; /* jumped or called through; REG_NONE: a return */
};

/* The return thunk, and retpolines of 15 registers, for calls, for jumps and for both */
#define THUNKS_MAXIMUM 46

struct thunks {
	struct thunk items[THUNKS_MAXIMUM]; /* sorted by address */
	size_t count;
};

/* By the names of the image's symbols. */
void thunks_find(struct thunks *thunks, const struct elf_image *image);
/* The one that starts at `address`; NULL: none. */
const struct thunk *thunks_at(const struct thunks *thunks, uint64_t address);

#endif
