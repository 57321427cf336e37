/* SPDX-License-Identifier: GPL-2.0-or-later */

#ifndef DTPROF_DWARF_DWARF_EXPRESSION_H
#define DTPROF_DWARF_DWARF_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/types/function.h"
#include "dwarf/unwind/unwind.h"

/*
 * What a location expression computes, without values: "register + constant", "frame base + constant", "what
 * is stored there" and so on, and what arithmetic makes of these. What does not keep to such a form is
 * SYMBOLIC_OTHER. Private to dwarf/.
 */

enum symbolic_kind {
	SYMBOLIC_OTHER,
	SYMBOLIC_CONSTANT,     /* offset */
	SYMBOLIC_ADDRESS,      /* a relocated address: offset */
	SYMBOLIC_TLS,          /* offset in the TLS block */
	SYMBOLIC_REGISTER,     /* reg + offset */
	SYMBOLIC_FRAME,        /* frame base + offset */
	SYMBOLIC_CFA,          /* CFA + offset */
	SYMBOLIC_MEMORY,       /* *(reg + offset) + offset2 */
	SYMBOLIC_FRAME_MEMORY, /* *(frame base + offset) + offset2 */
	SYMBOLIC_ENTRY,        /* reg at entry + offset */
	SYMBOLIC_UPPER,        /* reg << 32 */
	SYMBOLIC_NARROW,       /* the low half of reg, extended: an index that is an int */
	SYMBOLIC_MULTIPLE,     /* reg * scale */
	SYMBOLIC_SUM,          /* reg + reg2 * scale + offset */
	SYMBOLIC_QUOTIENT,     /* reg / offset */
	SYMBOLIC_SCALED,       /* computed from reg alone */
};

struct symbolic_value {
	uint8_t kind;
	uint8_t reg;
	uint8_t reg2;
	uint8_t scale;
	int64_t offset;
	int64_t offset2;
};

/*
 * A location expression (DWARF 5, section 2.5), run operation by operation on symbols
 * (dwarf/dwarf/expression.h). It is run straight on, branches are not taken, so the work is bounded by its
 * length. Private to dwarf/.
 */

#define EXPRESSION_STACK 32

struct expression {
	const struct unit *unit;
	struct cursor cursor; /* at the next operation */
	struct symbolic_value stack[EXPRESSION_STACK];
	size_t depth;
	/* the stack overflowed, underflowed, or an operation is not known: nothing is known any more */
	bool lost;
	/* the location so far, if it is not the stack's top */
	bool direct; /* DW_OP_regN, implicit_value, implicit_pointer: `location` holds it */
	bool stack_value;
	bool any; /* an operation since the last piece */
	struct location location;
};

/* Forget what was computed: at the begin, and behind a piece. */
static inline void expression_start_over(struct expression *expression)
{
	expression->depth = 0;
	expression->lost = expression->direct = expression->stack_value = expression->any = false;
}

/*
 * One operation, whose number is read already (DWARF 5, section 7.7.1; the GNU ones: gcc's dwarf2.def);
 * pieces are the caller's. False: where it ends is not known.
 */
bool expression_run_operation(struct expression *expression, unsigned int operation);

/* The location that the operations so far describe; ranges and pieces are left zero. */
struct location expression_location(const struct expression *expression);

/* The value of a DWARF expression of call frame information, with the registers of a frame. Private to
 * dwarf/. */

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
