/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which blocks of a function are to be solved: what holds at an instruction depends on the blocks that lead
 * to it, and on no others. Private to annotate/.
 */
#ifndef DTPROF_ANNOTATE_SLICE_H
#define DTPROF_ANNOTATE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/code.h"

struct slice {
	const struct code *code; /* borrowed, as `landings` */
	const uint32_t
		*landings; /* by instruction: the block that an exception goes on at, or 0; NULL: none */
	uint8_t *holds;    /* by block */
	uint32_t *pending; /* blocks whose predecessors are not in the slice yet */
	uint32_t pending_count;
	uint32_t held; /* how many it holds */
	bool has_hub;  /* the blocks that end in unknown jumps are in it, too */
	/* where there are landings: by block, the last instruction + 1 that goes on there; by instruction,
	 * the one before it + 1 */
	uint32_t *last_thrower;
	uint32_t *thrower_before;
	size_t block_capacity;
	size_t insn_capacity; /* of thrower_before */
};

/* Nothing of this function. Zero-initialized is ready for this; memory is used again. */
void slice_start(struct slice *slice, const struct code *code, const uint32_t *landings);
/* The same function again. */
void slice_clear(struct slice *slice);
/* This block, and all that lead to it. */
void slice_add(struct slice *slice, uint32_t block);
void slice_add_all(struct slice *slice);
void slice_release(struct slice *slice);

static inline bool slice_is_whole(const struct slice *slice)
{
	return slice->held == slice->code->block_count;
}

#endif
