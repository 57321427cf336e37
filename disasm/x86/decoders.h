/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decoders of x86-64, and the operands that they build.
 *
 * decode.c asks them in this order: fast.c, if it is one of the commonest instructions; float.c, if
 * it computes with floating point or vectors without VEX; newer.c with evex.c, if it is younger
 * than capstone 4; capstone (translate.c). If none of them knows it, only its form is known. Each
 * fills *insn, whose address, length and flags are set before.
 */
#pragma once

#include "base/arch/x86_64.h"
#include "disasm/capstone.h"
#include "disasm/insn.h"
#include "disasm/x86/encoding.h"

/* ---- decoders that need the encoding alone */

/*
 * Decodes the commonest general instructions by a table of opcodes: moves, arithmetic, compares,
 * branches, calls and the stack. They are more than nine tenths of what compilers write, and this
 * takes a small part of the time that capstone needs, which formats text as well
 * (Documentation/measurements.md). It also decodes REX2 (APX), which capstone does not know.
 * tests/disasm/test_fast.c compares it with capstone.
 *
 * Returns false if it is not one of these instructions, and then *insn may have been changed. Of
 * them, only those of OP_OTHER and OP_NOP take time of their own.
 */
bool fast_decode(const struct encoding *encoding, struct insn *insn);

/* Decodes SSE and SSE2 by tables of opcodes, with what SSSE3 does to bytes, and the x87. Most
 * programs have few other instructions that fast_decode() does not know, so that capstone, which
 * takes milliseconds to load, is not needed for them. Returns false if it is not one of these
 * instructions. tests/disasm/test_fast.c compares it with capstone. */
bool float_decode(const struct encoding *encoding, struct insn *insn);

/* Decodes instructions that the installed capstone may not know, or takes for older ones (capstone
 * 4 is from 2020), and those that save state in kernels. Returns false if it is not one of these
 * instructions. */
bool newer_decode(const struct encoding *encoding, struct insn *insn);

/* Describes an instruction of which only the form is known. `encoding` is NULL if not even that is
 * known: then the length is 1. `written` has every register that an instruction of this form could
 * write: new instructions of VEX and EVEX write the registers that they name, in all maps that are
 * in use; others might write any. */
void unknown_decode(const struct encoding *encoding, struct insn *insn);

/* Decode AVX-512 from its encoding, by a table of opcodes. Return false if it is not one of these
 * instructions. The second function is for VEX forms that came after AVX-512: VNNI, IFMA, GFNI, and
 * AES and multiplication without carry of 32 bytes. */
bool evex_decode(const struct encoding *encoding, struct insn *insn);
bool newer_vex_decode(const struct encoding *encoding, struct insn *insn);

/*
 * ---- capstone
 *
 * From capstone's details to a struct insn: which operation an instruction number is, what its
 * operands access, and what it does to registers that it does not name.
 *
 * capstone's lists of operands are right; its access flags, sizes and implicit registers are not
 * always. The table in corrections.c says what the manual has in those cases, so that the result
 * does not depend on capstone's version (4 and 5 are known to agree then).
 */

/* The most rows for one instruction. */
#define CORRECTIONS_PER_ID 4

/* By instruction: the numbers of its rows + 1, ended by 0. */
struct correction_index {
	uint8_t rows[X86_INS_ENDING][CORRECTIONS_PER_ID];
};

void correction_index_init(struct correction_index *index);

/* Corrects what capstone says of the instruction `id` (X86_INS_*). */
void corrections_apply(const struct correction_index *index, unsigned int id,
		       const struct encoding *encoding, struct insn *insn);

/* Fills *insn, whose address is set. `encoding` is the form of the same bytes. If they have no
 * known form, its length is 0, and it has only the fields that were parsed until then. */
void translate(const cs_insn *source, const struct encoding *encoding,
	       const struct correction_index *index, struct insn *insn);

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
