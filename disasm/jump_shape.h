/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How an indirect jump uses a jump table, told from the instructions before it. */
#ifndef DTPROF_DISASM_JUMP_SHAPE_H
#define DTPROF_DISASM_JUMP_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/value_trace.h"

/* The use that a jump makes of a table, and the places where the table may be. */
struct shape {
	uint32_t insn;
	struct trace_constants tables;
	bool relative;      /* entries are offsets from the table */
	uint8_t entry_size; /* 4, 8 */
	struct index_bound bound;
	bool partial; /* the jump may also go where no table says */
};

struct shapes {
	struct shape *items;
	size_t count;
	size_t capacity;
};

/* Add what could be told of the jump, an instruction: nothing, one shape, or several. */
void jump_shapes_add(struct value_trace *trace, uint32_t jump, struct shapes *shapes);

#endif
