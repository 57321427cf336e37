/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decoders of x86-64, and the operands that they build.
 *
 * decode.c asks them in this order: fast.c, if it is one of the commonest instructions; Zydis
 * (translate.c); unknown.c, if it is younger than Zydis. Each fills *insn, whose address, length
 * and flags are set before.
 */
#ifndef DTPROF_DISASM_X86_DECODERS_H
#define DTPROF_DISASM_X86_DECODERS_H

#include <Zydis/Zydis.h>

#include "base/arch/x86_64.h"
#include "disasm/insn.h"
#include "disasm/x86/encoding.h"

/* ---- decoders that need the encoding alone */

/*
 * Decodes the commonest general instructions by a table of opcodes: moves, arithmetic, compares,
 * branches, calls and the stack. They are more than nine tenths of what compilers write, and this
 * takes a small part of the time that Zydis needs. It also decodes REX2 (APX), which Zydis 4 does
 * not know. tests/disasm/test_fast.c compares it with Zydis.
 *
 * Returns false if it is not one of these instructions, and then *insn may have been changed. None
 * of them takes time of its own.
 */
bool fast_decode(const struct encoding *encoding, struct insn *insn);

/* Decodes an instruction by Zydis, whose details say which operation it is, what its operands
 * access, and what it does to registers that it does not name. Returns false if Zydis does not know
 * it, and then *insn is unchanged. */
bool translate(const ZydisDecoder *decoder, const uint8_t *bytes, const struct encoding *encoding,
	       struct insn *insn);

/* Decodes some instructions that are younger than Zydis 4.0, in which memory operands are usual.
 * Returns false if it is not one of these instructions, and then *insn is unchanged. */
bool newer_decode(const struct encoding *encoding, struct insn *insn);

/* Describes an instruction of which only the form is known. `encoding` is NULL if not even that is
 * known: then the length is 1. `written` has every register that an instruction of this form could
 * write: new instructions of VEX and EVEX write the registers that they name, in all maps that are
 * in use; others might write any. */
void unknown_decode(const struct encoding *encoding, struct insn *insn);

/* ---- operands */

extern const uint8_t general_registers[32];

/* Returns the general register of a number; REG_NONE for r16 to r31 (APX) and ENCODING_NONE. */
static inline uint8_t general_register(uint8_t number)
{
	return general_registers[number & 31];
}

static inline uint8_t vector_register(uint8_t number)
{
	return REG_XMM0 + (number & 31);
}

static inline uint8_t segment_of(const struct encoding *encoding)
{
	return !encoding->segment          ? SEGMENT_NONE
	       : encoding->segment == 0x64 ? SEGMENT_FS
					   : SEGMENT_GS;
}

static const struct operand no_operand = { .reg = REG_NONE, .base = REG_NONE, .index = REG_NONE };

static inline uint8_t operand_size(const struct encoding *encoding)
{
	return encoding->wide ? 8 : encoding->operand_size_prefix ? 2 : 4;
}

/* Returns the operand size of push, pop and their like: 8 bytes, or 2 with a prefix. */
static inline uint8_t stack_size(const struct encoding *encoding)
{
	return encoding->operand_size_prefix && !encoding->wide ? 2 : 8;
}

/* Returns an operand for a register that an instruction does not name. */
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

/* Returns an operand for memory that stack and string instructions do not name. */
static inline struct operand implicit_memory(uint8_t base, int64_t displacement, uint8_t size,
					     bool write)
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

static inline bool operands_are_same_register(const struct operand *operand,
					      const struct operand *other)
{
	return operand->kind == OPERAND_REGISTER && other->kind == OPERAND_REGISTER &&
	       operand->reg == other->reg && operand->high_byte == other->high_byte;
}

/* Makes the memory operand that ModRM names, without size and access. One whose address has an
 * unknown part (a base in r16 to r31, a scaled displacement of an unknown instruction) has no base
 * and is not absolute. */
void memory_operand(const struct encoding *encoding, const struct insn *insn,
		    struct operand *operand);

/* Adds the registers of a memory operand's address to `read`. */
static inline void insn_add_address(struct insn *insn, const struct operand *operand)
{
	if (operand->base != REG_NONE)
		insn->read |= REG_BIT(operand->base);
	if (operand->index != REG_NONE)
		insn->read |= REG_BIT(operand->index);
}

/* Adds the registers of all operands to `read` and `written`. */
void insn_add_operands(struct insn *insn);

#endif
