/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The value of a DWARF expression of call frame information, with the registers of a frame. Private to
 * dwarf/. */
#ifndef DTPROF_DWARF_FRAME_EXPRESSION_H
#define DTPROF_DWARF_FRAME_EXPRESSION_H

#include "dwarf/unwind.h"

struct frame_expression {
	const uint8_t *bytes;
	size_t size;
	const uint64_t *cfa; /* what is on the stack at first; NULL: nothing */
	uint64_t bias;       /* what is added to addresses (DW_OP_addr) */
	const struct unwind_frame *frame;
	const struct unwind_memory *memory;
};

/* False: it cannot be had, is no such expression, or takes too many steps. */
bool frame_expression_value(const struct frame_expression *expression, uint64_t *value);

#endif
