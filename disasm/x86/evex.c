// SPDX-License-Identifier: GPL-2.0-or-later
/* EVEX instructions: see evex.h. */
#include "disasm/x86/evex.h"

#include <stddef.h>

#include "disasm/x86/operand.h"

/* 16, 32 or 64 bytes; with rounding control the length's bits mean something else, and the vectors are whole
 */
static uint8_t vector_length(const struct encoding *encoding)
{
	if (encoding->broadcast && !encoding->has_memory)
		return 64;
	return encoding->length_bits > 2 ? 64 : 16 << encoding->length_bits;
}

static uint8_t memory_size(const struct encoding *encoding, const struct evex_row *row)
{
	uint8_t length = vector_length(encoding);
	uint8_t element = row->flags & EVEX_HALF_PRECISION ? 2 : encoding->wide ? 8 : 4;

	switch ((enum evex_tuple)row->tuple) {
	case TUPLE_FULL: return encoding->broadcast ? element : length;
	case TUPLE_FULL_MEM: return length;
	case TUPLE_HALF: return encoding->broadcast ? element : length / 2;
	case TUPLE_QUARTER: return encoding->broadcast ? element : length / 4;
	case TUPLE_EIGHTH: return length / 8;
	case TUPLE_DUP: return length == 16 ? 8 : length;
	case TUPLE_WIDE: return encoding->wide ? 8 : 4;
	case TUPLE_BYTES: return encoding->wide ? 2 : 1;
	case TUPLE_1: return 1;
	case TUPLE_2: return 2;
	case TUPLE_4: return 4;
	case TUPLE_8: return 8;
	case TUPLE_16: return 16;
	case TUPLE_32: return 32;
	case TUPLE_WIDER: return encoding->broadcast ? element : encoding->wide ? length : length / 2;
	}
	return 0;
}

static struct operand *add_operand(struct insn *insn)
{
	struct operand *operand = &insn->operands[insn->operand_count++];

	*operand = (struct operand){ .reg = REG_NONE, .base = REG_NONE, .index = REG_NONE };
	return operand;
}

static void add_register(struct insn *insn, uint8_t reg, uint8_t size, bool read, bool write)
{
	struct operand *operand = add_operand(insn);

	/* a general register that is not tracked (r16 to r31) is no operand of ours */
	if (reg == REG_NONE)
		return;
	operand->kind = OPERAND_REGISTER;
	operand->reg = reg;
	operand->size = size;
	operand->read = read;
	operand->write = write;
}

static void add_memory(const struct encoding *encoding, const struct evex_row *row, struct insn *insn,
		       bool write)
{
	struct operand *operand = add_operand(insn);
	struct encoding scaled = *encoding;
	uint8_t size = memory_size(encoding, row);

	if (scaled.displacement_scaled) {
		scaled.displacement *= size;
		scaled.displacement_scaled = false;
	}
	if (row->flags & EVEX_GATHER)
		scaled.index = ENCODING_NONE;
	memory_operand(&scaled, insn, operand);
	if (row->flags & EVEX_GATHER)
		operand->index = vector_register(encoding->vector_index);
	operand->size = row->flags & EVEX_PACKED ? vector_length(encoding) : size;
	operand->read = !write && !(row->flags & EVEX_NOP);
	operand->write = write;
}

/* ModRM's rm: memory or a register of the row's kind */
static void add_rm(const struct encoding *encoding, const struct evex_row *row, struct insn *insn,
		   uint8_t size, bool write)
{
	if (encoding->has_memory)
		add_memory(encoding, row, insn, write);
	else if (row->flags & EVEX_RM_MASK)
		add_operand(insn);
	else if (row->flags & EVEX_RM_GENERAL)
		/* extracting a byte or a word zero-extends it */
		add_register(insn, general_register(encoding->rm), encoding->wide ? 8 : 4, !write, write);
	else
		add_register(insn, vector_register(encoding->rm), size, !write || encoding->mask, write);
}

static void add_destination(const struct encoding *encoding, const struct evex_row *row, struct insn *insn,
			    uint8_t size)
{
	bool merges = encoding->mask || (row->flags & EVEX_ACCUMULATE);

	if (row->flags & EVEX_STORE)
		add_rm(encoding, row, insn, size, true);
	else if (row->flags & EVEX_MASK)
		add_operand(insn);
	else if (row->flags & EVEX_GENERAL)
		add_register(insn, general_register(encoding->reg), encoding->wide ? 8 : 4, false, true);
	else if (row->flags & EVEX_SHIFT)
		add_register(insn, vector_register(encoding->vvvv), size, merges, true);
	else if (!(row->flags & EVEX_COMPARE))
		add_register(insn, vector_register(encoding->reg), size, merges, true);
}

static void add_sources(const struct encoding *encoding, const struct evex_row *row, struct insn *insn,
			uint8_t size)
{
	bool first_in_reg = row->flags & (EVEX_STORE | EVEX_COMPARE);

	if (row->flags & EVEX_NOP) {
		add_rm(encoding, row, insn, size, false);
		return;
	}
	if (first_in_reg)
		add_register(insn, vector_register(encoding->reg), size, true, false);
	else if (!(row->flags & EVEX_UNARY))
		add_register(insn, vector_register(encoding->vvvv), size, true, false);
	if (!(row->flags & EVEX_STORE))
		add_rm(encoding, row, insn, size, false);
	if (encoding->immediate_size && insn->operand_count < INSN_OPERANDS) {
		struct operand *operand = add_operand(insn);

		operand->kind = OPERAND_IMMEDIATE;
		operand->size = 1;
		operand->read = true;
		operand->value = encoding->immediate;
	}
}

static bool is_vector(const struct operand *operand)
{
	return operand->kind == OPERAND_REGISTER && reg_is_vector(operand->reg);
}

/* movss, movsd: {d, s, t} between registers, where t gives the low element, else {d, memory} or {memory, s}
 */
static void decode_scalar_move(const struct encoding *encoding, const struct evex_row *row, struct insn *insn)
{
	bool store = row->flags & EVEX_STORE;

	if (!encoding->has_memory) {
		/* the store form names the same three registers the other way round */
		uint8_t destination = store ? encoding->rm : encoding->reg;
		uint8_t source = store ? encoding->reg : encoding->rm;

		add_register(insn, vector_register(destination), 16, encoding->mask, true);
		add_register(insn, vector_register(encoding->vvvv), 16, true, false);
		add_register(insn, vector_register(source), memory_size(encoding, row), true, false);
		return;
	}
	if (store) {
		add_memory(encoding, row, insn, true);
		add_register(insn, vector_register(encoding->reg), memory_size(encoding, row), true, false);
	} else {
		add_register(insn, vector_register(encoding->reg), 16, encoding->mask, true);
		add_memory(encoding, row, insn, false);
	}
	if (!encoding->mask)
		insn->operation = store ? OP_MOVE : OP_MOVE_ZERO;
}

/* Plain moves of whole or low parts, and the few others that are an operation of ours. */
static void set_operation(const struct encoding *encoding, const struct evex_row *row, struct insn *insn)
{
	struct operand *operands = insn->operands;

	if (row->flags & EVEX_NOP)
		insn->operation = OP_NOP;
	for (unsigned int i = 0; i < insn->operand_count; i++)
		if (operands[i].kind == OPERAND_NONE)
			return;
	if (encoding->mask || encoding->broadcast)
		return;
	if (row->flags & (EVEX_MOVE | EVEX_MOVE_ZERO)) {
		insn->operation = row->flags & EVEX_MOVE ? OP_MOVE : OP_MOVE_ZERO;
		/* the part that is moved, where it is not the whole vector */
		if (row->tuple != TUPLE_FULL_MEM && is_vector(&operands[1]))
			operands[1].size = memory_size(encoding, row);
	} else if (row->flags & EVEX_HIGH) {
		insn->operation = row->flags & EVEX_STORE ? OP_STORE_HIGH
				  : encoding->has_memory  ? OP_VECTOR_HIGH
							  : OP_VECTOR_UNPACK; /* movlhps */
	} else if ((row->flags & EVEX_UNPACK) && vector_length(encoding) == 16) {
		insn->operation = OP_VECTOR_UNPACK;
	} else if ((row->flags & EVEX_XOR) && is_vector(&operands[2]) && operands[1].reg == operands[2].reg) {
		insn->operation = OP_ZERO;
		insn->operand_count = 1;
	}
}

static bool decode_by_row(const struct encoding *encoding, const struct evex_row *row, struct insn *insn)
{
	struct evex_row adjusted;

	if (!row)
		return false;
	/* shifts of the whole vector by bytes have no elements: group 14 /3 and /7 */
	if (encoding->map == MAP_0F && encoding->opcode == 0x73 && (encoding->reg & 3) == 3) {
		adjusted = *row;
		adjusted.tuple = TUPLE_FULL_MEM;
		row = &adjusted;
	}
	insn->operation = OP_OTHER;
	if (row->flags & EVEX_SCALAR) {
		decode_scalar_move(encoding, row, insn);
	} else {
		add_destination(encoding, row, insn, vector_length(encoding));
		add_sources(encoding, row, insn, vector_length(encoding));
		set_operation(encoding, row, insn);
	}
	if (row->flags & EVEX_COMPARE)
		insn->flags |= FLAG_WRITES_FLAGS;
	insn_add_operands(insn);
	return true;
}

bool evex_decode(const struct encoding *encoding, struct insn *insn)
{
	return encoding->kind == ENCODING_EVEX && decode_by_row(encoding, evex_find(encoding), insn);
}

/* Opcodes whose VEX form is their EVEX form without masks and with shorter vectors, and which capstone 4 does
 * not know. */
static const struct {
	uint8_t map;
	uint8_t first;
	uint8_t last;
} newer_vex[] = {
	{ MAP_0F38, 0x50, 0x53 }, /* vpdpbusd ... vpdpwssds, vpdpbssd ... */
	{ MAP_0F38, 0x5a, 0x5a }, /* vbroadcasti128 */
	{ MAP_0F38, 0xb4, 0xb5 }, /* vpmadd52luq, vpmadd52huq */
	{ MAP_0F38, 0xcf, 0xcf }, /* vgf2p8mulb */
	{ MAP_0F38, 0xd2, 0xd3 }, /* vpdpwsud ... */
	{ MAP_0F38, 0xdc, 0xdf }, /* vaesenc ... vaesdeclast */
	{ MAP_0F3A, 0x44, 0x44 }, /* vpclmulqdq */
	{ MAP_0F3A, 0xce, 0xcf }, /* vgf2p8affineqb, vgf2p8affineinvqb */
};

bool newer_vex_decode(const struct encoding *encoding, struct insn *insn)
{
	if (encoding->kind != ENCODING_VEX)
		return false;
	for (size_t i = 0; i < sizeof(newer_vex) / sizeof(*newer_vex); i++)
		if (encoding->map == newer_vex[i].map && encoding->opcode >= newer_vex[i].first &&
		    encoding->opcode <= newer_vex[i].last)
			return decode_by_row(encoding, evex_find(encoding), insn);
	return false;
}
