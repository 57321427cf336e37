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
