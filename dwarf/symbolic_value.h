/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a location expression computes, without values: "register + constant", "frame base + constant", "what
 * is stored there" and so on, and what arithmetic makes of these. What does not keep to such a form is
 * SYMBOLIC_OTHER. Private to dwarf/.
 */
#ifndef DTPROF_DWARF_SYMBOLIC_VALUE_H
#define DTPROF_DWARF_SYMBOLIC_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/function.h"

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

struct symbolic_value symbolic_plus(struct symbolic_value value, int64_t constant);

/* What any arithmetic with `value` alone gives of which no more is known. */
struct symbolic_value symbolic_computed(struct symbolic_value value);

/* DW_OP_plus to DW_OP_ge, by their number, of two operands. */
struct symbolic_value symbolic_binary(unsigned int operation, struct symbolic_value left,
				      struct symbolic_value right);

/* DW_OP_neg, DW_OP_not, DW_OP_abs. */
struct symbolic_value symbolic_unary(unsigned int operation, struct symbolic_value value);

/* What is in memory at the address `value`. */
struct symbolic_value symbolic_load(struct symbolic_value value);

/*
 * Of a variable: that it is at the address `value`, or, where `is_value`, that `value` is its value.
 * LOCATION_OTHER where a struct location has no form for that. Ranges and pieces are left zero.
 */
struct location symbolic_location(const struct symbolic_value *value, bool is_value);

#endif
