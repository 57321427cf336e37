// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Computations in vector registers of arm64 (ARM C4.1.96): see parts.h. Only the moves that
 * compilers copy pointers with have an effect of their own; for others it is known which registers
 * they use.
 */
#include "disasm/arm64/parts.h"

static uint64_t read_vectors(const struct parts *parts)
{
	return REG_BIT(REG_V0 + field_d(parts)) | REG_BIT(REG_V0 + field_n(parts)) |
	       REG_BIT(REG_V0 + field_m(parts));
}

/* Moves and conversions between general and vector registers (ARM C4.1.96.37 and before). */
static void between_registers(struct parts *parts)
{
	unsigned int opcode = field(parts, 16, 3), mode = field(parts, 19, 2), d = field_d(parts);
	unsigned int n = field_n(parts), size = bit(parts, 31) ? 8 : 4;
	bool fixed = !bit(parts, 21), moves = opcode >= 6 && !fixed;

	if (moves && mode == 0) {
		unsigned int bytes = field(parts, 22, 2) == 3 ? 2 : size;

		if (opcode == 7)
			add_part(parts, OP_MOVE_ZERO, vector(d, 16), general(n, bytes), NO_OPERAND);
		else
			add_part(parts, bytes < 4 ? OP_MOVE_ZERO : OP_MOVE, general(d, size),
				 vector(n, bytes), NO_OPERAND);
	} else if (moves && mode == 1 && size == 8) { /* the upper half */
		if (opcode == 7)
			add_part(parts, OP_VECTOR_HIGH, vector(d, 16), general(n, 8), NO_OPERAND);
		else
			add_part(parts, OP_STORE_HIGH, general(d, 8), vector(n, 16), NO_OPERAND);
	} else if (opcode == 2 || opcode == 3 || opcode == 7) {
		add_other(parts, vector(d, 16), n == NUMBER_31 ? 0 : REG_BIT(n))->flags |=
			FLAG_FLOAT;
	} else {
		add_other(parts, general(d, size), REG_BIT(REG_V0 + n))->flags |= FLAG_FLOAT;
	}
}

/* Scalar floating point. */
static void scalar(struct parts *parts)
{
	unsigned int d = field_d(parts), n = field_n(parts), low = field(parts, 10, 2);
	unsigned int type = field(parts, 22, 2), size = type == 0 ? 4 : type == 1 ? 8 : 2;
	struct insn *insn;

	if (bit(parts, 24)) { /* fmadd and others */
		add_other(parts, vector(d, 16),
			  read_vectors(parts) | REG_BIT(REG_V0 + field(parts, 10, 5)))
			->flags |= FLAG_FLOAT;
		return;
	}
	if (!bit(parts, 21) || !field(parts, 10, 6)) {
		between_registers(parts);
		return;
	}
	if (low == 1 || field(parts, 10, 4) == 8) { /* fccmp, fcmp */
		insn = add_other(parts, NO_OPERAND,
				 REG_BIT(REG_V0 + n) | REG_BIT(REG_V0 + field_m(parts)));
		insn->flags |= FLAG_WRITES_FLAGS | FLAG_FLOAT;
		return;
	}
	if (field(parts, 10, 5) == 0x10 && field(parts, 15, 6) == 0) { /* fmov */
		add_part(parts, OP_MOVE_ZERO, vector(d, 16), vector(n, size), NO_OPERAND);
		return;
	}
	insn = add_other(parts, vector(d, 16), read_vectors(parts));
	insn->flags |= FLAG_FLOAT;
	if (low == 2 && field(parts, 12, 4) == 1)
		insn->own_time = OWN_TIME_DIVISION;
	if (field(parts, 10, 5) == 0x10 && field(parts, 15, 6) == 3)
		insn->own_time = OWN_TIME_SQUARE_ROOT;
}

/* dup, ins, umov, smov: moves of one element. */
static void copy_element(struct parts *parts)
{
	unsigned int d = field_d(parts), n = field_n(parts), number = field_m(parts);
	unsigned int operation = field(parts, 11, 4);
	bool wide = (number & 0xf) == 8, high = number >> 4; /* an element of eight bytes */
	struct operand to = vector(d, 16), from = vector(n, 16);

	if (bit(parts, 29)) { /* ins of an element */
		if (wide && high && operation == 0)
			add_part(parts, OP_VECTOR_HIGH, to, from, NO_OPERAND);
		else
			add_other(parts, to, read_vectors(parts));
	} else if (operation == 0 || operation == 1) { /* dup */
		struct operand value = operation ? general(n, 8) : from;

		if (wide && bit(parts, 30) && !(operation == 0 && high))
			add_part(parts, OP_VECTOR_UNPACK, to, value, value);
		else
			add_other(parts, to,
				  operation ? n == NUMBER_31 ? 0 : REG_BIT(n)
					    : REG_BIT(REG_V0 + n));
	} else if (operation == 3) { /* ins of a general register */
		if (wide && high)
			add_part(parts, OP_VECTOR_HIGH, to, general(n, 8), NO_OPERAND);
		else
			add_other(parts, to, REG_BIT(to.reg) | (n == NUMBER_31 ? 0 : REG_BIT(n)));
	} else { /* umov, smov */
		struct operand result = general(d, bit(parts, 30) ? 8 : 4);

		if (operation == 7 && wide && !high)
			add_part(parts, OP_MOVE, result, vector(n, 8), NO_OPERAND);
		else if (operation == 7 && wide)
			add_part(parts, OP_STORE_HIGH, result, from, NO_OPERAND);
		else
			add_other(parts, result, REG_BIT(from.reg));
	}
}

/* A move of a constant to all elements, or a shift by a constant. */
static void with_immediate(struct parts *parts)
{
	bool is_move = !field(parts, 19, 4);
	unsigned int value = field(parts, 16, 3) << 5 | field(parts, 5, 5);
	unsigned int mode = field(parts, 12, 4);

	/* movi: bits 29 and 12 to 15 say what becomes of the constant; 0 stays 0 in these */
	if (is_move && !value && (mode == 0xe || (!bit(parts, 29) && !(mode & 1) && mode < 0xc)))
		add_part(parts, OP_ZERO, vector(field_d(parts), 16), NO_OPERAND, NO_OPERAND);
	else
		add_other(parts, vector(field_d(parts), 16),
			  is_move && !(mode & 1) ? 0 : read_vectors(parts));
}

/* Vectors of all registers. */
static void vectors(struct parts *parts)
{
	unsigned int d = field_d(parts), n = field_n(parts), m = field_m(parts);
	unsigned int whole = bit(parts, 30) ? 16 : 8;

	if (field(parts, 21, 3) == 5 && field(parts, 10, 6) == 7 && !bit(parts, 29) && n == m) {
		/* orr of a register with itself: mov */
		add_part(parts, whole == 16 ? OP_MOVE : OP_MOVE_ZERO, vector(d, 16),
			 vector(n, whole), NO_OPERAND);
	} else if (field(parts, 21, 3) == 1 && field(parts, 10, 6) == 7 && bit(parts, 29) &&
		   n == m) {
		/* eor of a register with itself */
		add_part(parts, OP_ZERO, vector(d, 16), NO_OPERAND, NO_OPERAND);
	} else if (!bit(parts, 29) && field(parts, 21, 3) == 6 && field(parts, 10, 6) == 0xe &&
		   whole == 16) {
		/* zip1 of elements of eight bytes */
		add_part(parts, OP_VECTOR_UNPACK, vector(d, 16), vector(n, 16), vector(m, 16));
	} else {
		struct insn *insn = add_other(parts, vector(d, 16), read_vectors(parts));

		/* tbl and tbx: a table of up to four registers */
		if (!bit(parts, 29) && !field(parts, 21, 3) && !bit(parts, 15) &&
		    !field(parts, 10, 2))
			for (unsigned int i = 1; i <= field(parts, 13, 2); i++)
				insn->read |= REG_BIT(REG_V0 + (n + i) % 32);
	}
}

void decode_vector(struct parts *parts)
{
	bool is_vector = !bit(parts, 28), is_copy = field(parts, 21, 3) == 0 && !bit(parts, 24);

	if (!is_vector && !bit(parts, 30)) {
		scalar(parts);
	} else if (is_vector && is_copy && bit(parts, 10) && !bit(parts, 15)) {
		copy_element(parts);
	} else if (!is_vector && is_copy && bit(parts, 10) && !bit(parts, 29) &&
		   !field(parts, 11, 5)) {
		/* mov of one element to a whole register */
		bool wide = (field_m(parts) & 0xf) == 8, high = field_m(parts) >> 4;

		if (wide && !high)
			add_part(parts, OP_MOVE_ZERO, vector(field_d(parts), 16),
				 vector(field_n(parts), 8), NO_OPERAND);
		else
			add_other(parts, vector(field_d(parts), 16), read_vectors(parts));
	} else if (is_vector && bit(parts, 24) && !bit(parts, 23) && bit(parts, 10)) {
		with_immediate(parts);
	} else if (is_vector && !bit(parts, 24)) {
		vectors(parts);
	} else if (!is_vector && field(parts, 10, 12) == 0x876 && !bit(parts, 23)) {
		/* scvtf, ucvtf of a scalar */
		add_part(parts, OP_CONVERT, vector(field_d(parts), 16),
			 vector(field_n(parts), bit(parts, 22) ? 8 : 4), NO_OPERAND);
	} else {
		add_other(parts, vector(field_d(parts), 16), read_vectors(parts));
	}
}
