// SPDX-License-Identifier: GPL-2.0-or-later
/* Operands of general-purpose instructions: see general_place.h. */
#include "disasm/x86/general_place.h"

#include "disasm/x86/operand.h"

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

void place_set_immediate(struct operand *operand, int64_t value, uint8_t size)
{
	operand->kind = OPERAND_IMMEDIATE;
	operand->size = size;
	operand->value = value;
}

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

void place_set_rm(const struct encoding *encoding, const struct insn *insn, struct operand *operand,
		  uint8_t size, uint8_t register_size)
{
	if (encoding->has_memory) {
		memory_operand(encoding, insn, operand);
		operand->size = size;
	} else {
		place_set_register(operand, general_register(encoding->rm), register_size);
	}
}

/* The size of what ModRM's rm is, as memory and as a register; `size` is the operand size. */
static inline void set_rm_sizes(const struct encoding *encoding, enum place place, uint8_t *size,
				uint8_t *register_size)
{
	switch (place) {
	case PLACE_RM_BYTE: *size = *register_size = 1; break;
	case PLACE_RM_WORD: *size = *register_size = 2; break;
	case PLACE_RM_DOUBLE: *size = *register_size = 4; break;
	case PLACE_RM_QUAD: *size = *register_size = place_stack_size(encoding); break;
	case PLACE_RM_TARGET: *size = *register_size = 8; break;
	case PLACE_RM_FAR: *size += 2; break;
	case PLACE_RM_PAIR:
		*size = encoding->wide ? 16 : 8;
		*register_size = 8;
		break;
	case PLACE_RM_SELECTOR: *size = 2; break;
	default: break;
	}
}

static void set_memory(const struct encoding *encoding, struct insn *insn, struct operand *operand,
		       uint8_t size, unsigned int access)
{
	memory_operand(encoding, insn, operand);
	operand->size = size;
	operand->read = access & ACCESS_READ;
	operand->write = (access & ACCESS_WRITE) != 0;
	insn_add_operand(insn, operand);
}

/* Memory at the address that the instruction holds (A0 to A3). */
static void set_offset(const struct encoding *encoding, struct operand *operand, uint8_t size,
		       unsigned int access)
{
	*operand = (struct operand){
		.kind = OPERAND_MEMORY,
		.size = size,
		.read = access & ACCESS_READ,
		.write = (access & ACCESS_WRITE) != 0,
		.reg = REG_NONE,
		.base = REG_NONE,
		.index = REG_NONE,
		.scale = 1,
		.absolute = true,
		.segment = segment_of(encoding),
		.value = encoding->displacement,
	};
}

/* By its number in the encoding */
static inline void set_general(const struct encoding *encoding, struct insn *insn, struct operand *operand,
			       uint8_t number, uint8_t size, unsigned int access)
{
	bool read = access & ACCESS_READ, write = access & ACCESS_WRITE;
	/* without a REX prefix 4 to 7 are ah, ch, dh, bh */
	bool high_byte = size == 1 && !encoding->rex && number >= 4 && number < 8;
	uint8_t reg = general_register(high_byte ? number - 4 : number);

	if (reg == REG_NONE)
		return;
	operand->kind = OPERAND_REGISTER;
	operand->size = size;
	operand->reg = reg;
	operand->high_byte = high_byte;
	operand->read = read;
	operand->write = write;
	if (read)
		insn->read |= REG_BIT(reg);
	if (write)
		insn->written |= REG_BIT(reg);
}

static inline void set_constant(struct operand *operand, int64_t value, uint8_t size)
{
	place_set_immediate(operand, value, size);
	operand->read = true;
}

/* `size` is the operand size. */
static inline void set_place(const struct encoding *encoding, struct insn *insn, unsigned int number,
			     enum place place, uint8_t size, unsigned int access)
{
	struct operand *operand = &insn->operands[number];
	uint8_t reg, reg_size = size;

	operand->base = REG_NONE;
	operand->index = REG_NONE;
	operand->reg = REG_NONE;
	switch (place) {
	case PLACE_REG: reg = encoding->reg; break;
	case PLACE_REG_BYTE: reg = encoding->reg, reg_size = 1; break;
	case PLACE_OPCODE: reg = encoding->opcode_register; break;
	case PLACE_OPCODE_BYTE: reg = encoding->opcode_register, reg_size = 1; break;
	case PLACE_OPCODE_QUAD: reg = encoding->opcode_register, reg_size = place_stack_size(encoding); break;
	case PLACE_ACCUMULATOR: reg = 0; break;
	case PLACE_ACCUMULATOR_BYTE: reg = 0, reg_size = 1; break;
	case PLACE_COUNT: reg = 1, reg_size = 1; break;
	/* a constant is as wide as what it is combined with */
	case PLACE_IMMEDIATE: set_constant(operand, encoding->immediate, insn->operands[0].size); return;
	case PLACE_ONE: set_constant(operand, 1, insn->operands[0].size); return;
	case PLACE_TARGET:
		set_constant(operand, (int64_t)(insn->address + insn->length + (uint64_t)encoding->immediate),
			     8);
		return;
	case PLACE_ADDRESS: set_memory(encoding, insn, operand, 0, access); return;
	case PLACE_OFFSET: set_offset(encoding, operand, size, access); return;
	case PLACE_OFFSET_BYTE: set_offset(encoding, operand, 1, access); return;
	default:
		set_rm_sizes(encoding, place, &size, &reg_size);
		if (encoding->has_memory) {
			set_memory(encoding, insn, operand, size, access);
			return;
		}
		reg = encoding->rm;
		break;
	}
	set_general(encoding, insn, operand, reg, reg_size, access);
}

void places_set(const struct encoding *encoding, const struct general_form_entry *entry, struct insn *insn)
{
	uint8_t size = place_operand_size(encoding);
	/* of pushes the first operand is the stack */
	unsigned int first = entry->places[0] == PLACE_NONE;
	unsigned int access = entry->access >> 2 * first;

	for (unsigned int i = first; i < GENERAL_PLACES && entry->places[i] != PLACE_NONE;
	     i++, access >>= 2) {
		set_place(encoding, insn, i, entry->places[i], size, access);
		insn->operand_count = i + 1;
	}
}
