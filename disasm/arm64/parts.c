// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of instructions: see parts.h. */
#include "disasm/arm64/parts.h"

struct operand general(unsigned int number, unsigned int size)
{
	return number == NUMBER_31 ? immediate(0, size) : general_or_sp(number, size);
}

struct operand general_or_sp(unsigned int number, unsigned int size)
{
	return (struct operand){ .kind = OPERAND_REGISTER,
				 .reg = (uint8_t)number,
				 .size = (uint8_t)size };
}

struct operand vector(unsigned int number, unsigned int size)
{
	return (struct operand){ .kind = OPERAND_REGISTER,
				 .reg = (uint8_t)(REG_V0 + number),
				 .size = (uint8_t)size };
}

struct operand immediate(int64_t value, unsigned int size)
{
	return (struct operand){ .kind = OPERAND_IMMEDIATE, .value = value, .size = (uint8_t)size };
}

struct operand memory(unsigned int base, int64_t displacement, unsigned int size)
{
	return (struct operand){ .kind = OPERAND_MEMORY,
				 .base = (uint8_t)base,
				 .index = REG_NONE,
				 .scale = 1,
				 .value = displacement,
				 .size = (uint8_t)size };
}

struct operand absolute(uint64_t address, unsigned int size)
{
	struct operand operand = memory(REG_NONE, (int64_t)address, size);

	operand.absolute = operand.pc_relative = true;
	return operand;
}

void set_index(struct operand *operand, unsigned int index, unsigned int option, unsigned int shift)
{
	unsigned int size = 1U << (option & 3);

	if (index == NUMBER_31)
		return;
	operand->index = (uint8_t)index;
	operand->scale = (uint8_t)(1U << shift);
	operand->index_size = size < 8 ? (uint8_t)size : 0;
	operand->index_signed = size < 8 && option & 4;
}

static void note_operand(struct insn *insn, const struct operand *operand)
{
	if (operand->kind == OPERAND_REGISTER) {
		insn->read |= operand->read ? REG_BIT(operand->reg) : 0;
		insn->written |= operand->write ? REG_BIT(operand->reg) : 0;
	} else if (operand->kind == OPERAND_MEMORY) {
		insn->read |= operand_registers(operand);
	}
}

/* True for operations that use the old value of their destination if they have two operands. */
static bool reads_destination(enum operation operation, bool three)
{
	switch (operation) {
	case OP_BINARY_FIRST ... OP_BINARY_LAST:
	case OP_ROTATE_RIGHT: return !three;
	case OP_ADD_CARRY:
	case OP_SUB_BORROW:
	case OP_NEGATE:
	case OP_COMPLEMENT:
	case OP_SWAP_BYTES:
	case OP_CONDITIONAL:
	case OP_VECTOR_HIGH: return true;
	default: return false;
	}
}

static struct insn *new_part(struct parts *parts, enum operation operation)
{
	struct insn *insn =
		&parts->items[parts->count < PARTS_MAX ? parts->count++ : PARTS_MAX - 1];

	*insn = (struct insn){ .operation = (uint8_t)operation, .condition = CONDITION_NONE };
	return insn;
}

static void take_operand(struct insn *insn, struct operand operand)
{
	if (operand.kind == OPERAND_NONE)
		return;
	insn->operands[insn->operand_count++] = operand;
	note_operand(insn, &operand);
}

struct insn *add_part(struct parts *parts, enum operation operation, struct operand to,
		      struct operand a, struct operand b)
{
	struct insn *insn = new_part(parts, operation);

	a.read = operation != OP_LEA;
	b.read = true;
	if (to.kind == OPERAND_IMMEDIATE) {
		/* the zero register: only what memory is read is left of it */
		insn->operation = a.kind == OPERAND_MEMORY && a.read ? OP_OTHER : OP_NOP;
		if (insn->operation == OP_OTHER)
			take_operand(insn, a);
		return insn;
	}
	to.write = true;
	to.read = reads_destination(operation, b.kind != OPERAND_NONE);
	take_operand(insn, to);
	take_operand(insn, a);
	take_operand(insn, b);
	return insn;
}

struct insn *add_test(struct parts *parts, enum operation operation, struct operand a,
		      struct operand b)
{
	struct insn *insn = new_part(parts, operation);

	a.read = b.read = true;
	take_operand(insn, a);
	take_operand(insn, b);
	insn->flags |= FLAG_WRITES_FLAGS;
	return insn;
}

struct insn *add_other(struct parts *parts, struct operand to, uint64_t read)
{
	struct insn *insn = new_part(parts, OP_OTHER);

	if (to.kind == OPERAND_REGISTER) {
		to.write = true;
		take_operand(insn, to);
	}
	insn->read |= read;
	return insn;
}

uint8_t condition_of(unsigned int number)
{
	/* VS and VC have the numbers of x86's overflow */
	static const uint8_t conditions[16] = {
		CONDITION_EQUAL,          CONDITION_NOT_EQUAL,    CONDITION_ABOVE_EQUAL,
		CONDITION_BELOW,          CONDITION_SIGN,         CONDITION_SIGN ^ 1,
		CONDITION_OVERFLOW,       CONDITION_OVERFLOW ^ 1, CONDITION_ABOVE,
		CONDITION_BELOW_EQUAL,    CONDITION_LESS ^ 1,     CONDITION_LESS,
		CONDITION_LESS_EQUAL ^ 1, CONDITION_LESS_EQUAL,   CONDITION_NONE,
		CONDITION_NONE,
	};

	return conditions[number & 15];
}
