/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last access that an instruction makes in a loop, and loops that only wait.
 *
 * A loop over a part of an array compares its pointer or index with the end of the part. A sample
 * has that end in a register, so it tells which memory its thread will use next, up to the last
 * element.
 */
#ifndef DTPROF_RESOLVE_LOOP_END_H
#define DTPROF_RESOLVE_LOOP_END_H

#include "disasm/insn.h"
#include "dwarf/elf/image.h"

/* In the last iteration the address is that of the operand, with another value of one register. */
struct loop_end {
	bool of_index; /* the index has the other value, else the base */
	uint8_t limit; /* register with that value, which the loop does not change; REG_NONE: 0 */
	int64_t displacement; /* in place of the operand's */
};

/* Finds the last access of the instruction at `access`, whose memory operand is `memory`, in the
 * innermost loop around it. The registers are those of a sample at `sampled`. Returns false unless
 * the sample is in that loop, the loop has one exit and no calls, and the address grows by a
 * constant from one iteration to the next. */
bool loop_end_find(struct decoder *decoder, const struct elf_image *image, uint64_t access,
		   const struct operand *memory, uint64_t sampled, struct loop_end *end);

/* Returns whether the load at `access` is in a loop that only waits for memory to change: it calls
 * nothing, writes nothing but the stack, and loads from the same addresses each time. */
bool loop_polls(struct decoder *decoder, const struct elf_image *image, uint64_t access);

#endif
