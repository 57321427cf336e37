/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operands built from the fields of an encoding; shared by those who fill a struct insn. */
#ifndef DTPROF_DISASM_OPERAND_H
#define DTPROF_DISASM_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/x86/encoding.h"
#include "disasm/insn.h"

#define GENERAL_MASK ((UINT64_C(1) << REG_GENERAL_COUNT) - 1)
#define VECTOR_MASK  (UINT64_C(0xffffffff) << REG_XMM0)

extern const uint8_t general_registers[32];

/* A general register as the encoding numbers it; REG_NONE for r16 to r31 (APX), and for ENCODING_NONE. */
static inline uint8_t general_register(uint8_t number)
{
	return general_registers[number & 31];
}

/* A vector register as the encoding numbers it, 0 to 31. */
static inline uint8_t vector_register(uint8_t number)
{
	return REG_XMM0 + (number & 31);
}

static inline enum segment segment_of(const struct encoding *encoding)
{
	return !encoding->segment ? SEGMENT_NONE : encoding->segment == 0x64 ? SEGMENT_FS : SEGMENT_GS;
}

static const struct operand no_operand = { .reg = REG_NONE, .base = REG_NONE, .index = REG_NONE };

static inline uint8_t operand_size(const struct encoding *encoding)
{
	return encoding->wide ? 8 : encoding->operand_size_prefix ? 2 : 4;
}

/* push, pop and their like: 64 bits unless a prefix makes it 16; 32 cannot be had */
static inline uint8_t stack_size(const struct encoding *encoding)
{
	return encoding->operand_size_prefix && !encoding->wide ? 2 : 8;
}

/* A register that an instruction does not name, written or read. */
static inline struct operand register_operand(uint8_t reg, uint8_t size, bool read)
{
	return (struct operand){
		.kind = OPERAND_REGISTER,
		.size = size,
		.read = read,
		.write = !read,
		.reg = reg,
		.base = REG_NONE,
		.index = REG_NONE,
	};
}

/* Memory that an instruction does not name: what a stack or a string instruction accesses. */
static inline struct operand implicit_memory(uint8_t base, int64_t displacement, uint8_t size, bool write)
{
	return (struct operand){
		.kind = OPERAND_MEMORY,
		.size = size,
		.read = !write,
		.write = write,
		.reg = REG_NONE,
		.base = base,
		.index = REG_NONE,
		.scale = 1,
		.value = displacement,
	};
}

static inline bool operands_are_same_register(const struct operand *operand, const struct operand *other)
{
	return operand->kind == OPERAND_REGISTER && other->kind == OPERAND_REGISTER &&
	       operand->reg == other->reg && operand->high_byte == other->high_byte;
}

/*
 * The memory operand that ModRM gives, size and access left 0. One whose address has a part that cannot be
 * told (a base in r16 to r31, a scaled displacement of an instruction that is not known) has no base and is
 * not absolute.
 */
void memory_operand(const struct encoding *encoding, const struct insn *insn, struct operand *operand);

/* Add to `read` and `written` what an operand says, or all of them. */
static inline void insn_add_operand(struct insn *insn, const struct operand *operand)
{
	if (operand->kind == OPERAND_REGISTER) {
		insn->read |= (uint64_t)operand->read << operand->reg;
		insn->written |= (uint64_t)operand->write << operand->reg;
	} else if (operand->kind == OPERAND_MEMORY) {
		if (operand->base != REG_NONE)
			insn->read |= REG_BIT(operand->base);
		if (operand->index != REG_NONE)
			insn->read |= REG_BIT(operand->index);
	}
}

void insn_add_operands(struct insn *insn);

#endif
