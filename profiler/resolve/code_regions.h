/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The regions of a function: its innermost loops, and the code that is in no loop; how an address
 * changes from one iteration to the next; and the least time that an iteration takes.
 *
 *   for (i = 0; i < k; i++)          a region; `nb` + 64 * i is a stream of step 64
 *           if (nb[i].dist > max) ...
 *   for (e = head; e; e = e->next)   a region; `e` is a chase through what `e->next` loads
 *
 * Loops are natural loops of the control-flow graph: a back edge to a block that dominates its
 * source.
 */
#ifndef DTPROF_RESOLVE_CODE_REGIONS_H
#define DTPROF_RESOLVE_CODE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/cfg.h"

#define REGION_NONE UINT32_MAX /* not in a loop */

struct code_loop {
	uint32_t header; /* block */
	uint32_t blocks; /* how many blocks it has, with those of inner loops */
};

struct code_regions {
	const struct cfg *code;
	struct code_loop *loops;
	size_t loop_count;
	uint32_t *loop_of; /* the innermost loop of each block, or REGION_NONE */
	uint8_t *member;   /* loop * block_count + block: the loop has the block */
	uint32_t *idom;    /* immediate dominator of each block; UINT32_MAX: not reached */
};

/*
 * Finds the loops of a function. `code` must outlive the regions. Functions with too many blocks
 * have no loops.
 */
void code_regions_init(struct code_regions *regions, const struct cfg *code);
void code_regions_deinit(struct code_regions *regions);

/* How a value changes from one iteration of a loop to the next. */
enum value_walk {
	VALUE_SAME,
	VALUE_INDUCTION, /* by the same number of bytes each time */
	VALUE_LOADED,    /* it is loaded from an address that does not depend on it */
	VALUE_CHASED,    /* it is loaded through itself */
	VALUE_OTHER,
};

struct address_walk {
	enum value_walk kind;
	int64_t step;    /* VALUE_INDUCTION: bytes; 0: not known */
	uint32_t load;   /* VALUE_CHASED: the instruction that loads the next one */
	uint32_t origin; /* the instruction that sets the value last, or UINT32_MAX: equal for equal
			    values */
};

/* Returns how the address of the operand of instruction `insn` changes in the loop. */
struct address_walk code_region_walk(const struct code_regions *regions, uint32_t loop,
				     uint32_t insn, const struct operand *memory);

/*
 * Returns the cycles that an iteration of the loop takes at least if all loads hit L1: by the chain
 * of dependent instructions from one iteration to the next, and by the number of instructions. Only
 * blocks that each iteration runs count.
 */
double code_region_cycles(const struct code_regions *regions, uint32_t loop);

/* Returns whether the loop calls a function. */
bool code_region_calls(const struct code_regions *regions, uint32_t loop);

#endif
