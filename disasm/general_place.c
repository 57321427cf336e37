// SPDX-License-Identifier: GPL-2.0-or-later
/* Operands of general-purpose instructions: see general_place.h. */
#include "disasm/general_place.h"

#include "disasm/operand.h"

uint8_t place_operand_size(const struct encoding *encoding)
{
	return encoding->wide ? 8 : encoding->operand_size_prefix ? 2 : 4;
}

/* push, pop and their like: 64 bits unless a prefix makes it 16; 32 cannot be had */
uint8_t place_stack_size(const struct encoding *encoding)
{
	return encoding->operand_size_prefix && !encoding->wide ? 2 : 8;
}

void place_set_register(struct operand *operand, uint8_t reg, uint8_t size)
{
	/* r16 to r31 are not tracked: an operand that is none */
	if (reg == REG_NONE)
		return;
	operand->kind = OPERAND_REGISTER;
	operand->reg = reg;
	operand->size = size;
}

static void set_byte_register(const struct encoding *encoding, struct operand *operand, uint8_t number)
{
	if (!encoding->rex && number >= 4 && number < 8) {
		place_set_register(operand, general_register(number - 4), 1);
		operand->high_byte = true;
	} else {
		place_set_register(operand, general_register(number), 1);
	}
}

void place_set_immediate(struct operand *operand, int64_t value, uint8_t size)
{
	operand->kind = OPERAND_IMMEDIATE;
	operand->size = size;
	operand->value = value;
}

static void set_memory(const struct encoding *encoding, const struct insn *insn, struct operand *operand,
		       uint8_t size)
{
	memory_operand(encoding, insn, operand);
	operand->size = size;
}

/* Memory at the address that the instruction holds (A0 to A3). */
static void set_offset(const struct encoding *encoding, struct operand *operand, uint8_t size)
{
	operand->kind = OPERAND_MEMORY;
	operand->size = size;
	operand->base = REG_NONE;
	operand->index = REG_NONE;
	operand->scale = 1;
	operand->absolute = true;
	operand->segment = !encoding->segment          ? SEGMENT_NONE
			   : encoding->segment == 0x64 ? SEGMENT_FS
						       : SEGMENT_GS;
	operand->value = encoding->displacement;
}

/* Memory at a register, as the implicit operands of stack and string instructions have it. */
void place_set_based(struct operand *operand, uint8_t base, int64_t displacement, uint8_t size)
{
	*operand = (struct operand){
		.kind = OPERAND_MEMORY,
		.size = size,
		.reg = REG_NONE,
		.base = base,
		.index = REG_NONE,
		.scale = 1,
		.value = displacement,
	};
}

/* A byte, word, ... in ModRM's rm, which is a register of `register_size` bytes if it is one. */
void place_set_rm(const struct encoding *encoding, const struct insn *insn, struct operand *operand,
		  uint8_t size, uint8_t register_size)
{
	if (encoding->has_memory)
		set_memory(encoding, insn, operand, size);
	else if (register_size == 1)
		set_byte_register(encoding, operand, encoding->rm);
	else
		place_set_register(operand, general_register(encoding->rm), register_size);
}

void place_set(const struct encoding *encoding, const struct insn *insn, enum place place,
	       struct operand *operand)
{
	uint8_t size = place_operand_size(encoding);

	operand->base = REG_NONE;
	operand->index = REG_NONE;
	operand->reg = REG_NONE;
	switch (place) {
	case PLACE_NONE: break;
	case PLACE_RM: place_set_rm(encoding, insn, operand, size, size); break;
	case PLACE_RM_BYTE: place_set_rm(encoding, insn, operand, 1, 1); break;
	case PLACE_RM_WORD: place_set_rm(encoding, insn, operand, 2, 2); break;
	case PLACE_RM_DOUBLE: place_set_rm(encoding, insn, operand, 4, 4); break;
	case PLACE_RM_QUAD:
		size = place_stack_size(encoding);
		place_set_rm(encoding, insn, operand, size, size);
		break;
	case PLACE_RM_TARGET: place_set_rm(encoding, insn, operand, 8, 8); break;
	case PLACE_RM_FAR: place_set_rm(encoding, insn, operand, size + 2, size); break;
	case PLACE_RM_PAIR: place_set_rm(encoding, insn, operand, encoding->wide ? 16 : 8, 8); break;
	case PLACE_RM_SELECTOR: place_set_rm(encoding, insn, operand, 2, size); break;
	case PLACE_REG: place_set_register(operand, general_register(encoding->reg), size); break;
	case PLACE_REG_BYTE: set_byte_register(encoding, operand, encoding->reg); break;
	case PLACE_OPCODE:
		place_set_register(operand, general_register(encoding->opcode_register), size);
		break;
	case PLACE_OPCODE_BYTE: set_byte_register(encoding, operand, encoding->opcode_register); break;
	case PLACE_OPCODE_QUAD:
		place_set_register(operand, general_register(encoding->opcode_register),
				   place_stack_size(encoding));
		break;
	case PLACE_ACCUMULATOR: place_set_register(operand, REG_RAX, size); break;
	case PLACE_ACCUMULATOR_BYTE: place_set_register(operand, REG_RAX, 1); break;
	case PLACE_COUNT: place_set_register(operand, REG_RCX, 1); break;
	case PLACE_IMMEDIATE: place_set_immediate(operand, encoding->immediate, size); break;
	case PLACE_ONE: place_set_immediate(operand, 1, size); break;
	case PLACE_ADDRESS: set_memory(encoding, insn, operand, 0); break;
	case PLACE_OFFSET: set_offset(encoding, operand, size); break;
	case PLACE_OFFSET_BYTE: set_offset(encoding, operand, 1); break;
	case PLACE_TARGET:
		place_set_immediate(
			operand, (int64_t)(insn->address + insn->length + (uint64_t)encoding->immediate), 8);
		break;
	}
}
