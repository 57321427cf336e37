/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of an instruction of arm64.
 *
 * struct insn has one effect. An instruction of arm64 may have several: a pair of loads, an access
 * that moves its base register, a comparison with its branch, a conditional choice between two
 * registers that are not the destination. Such an instruction is a sequence of parts, each of them
 * a struct insn, which run in this order. An access to memory comes first. An instruction has four
 * bytes, so each part but the last is taken to have one of them: part n begins n bytes after the
 * instruction, and control flow, lines and locations need not know of parts.
 *
 * Encodings are those of the Arm Architecture Reference Manual (ARM DDI 0487), chapter C4.
 */
#pragma once

#include "base/arch/arm64.h"
#include "disasm/insn.h"

#define INSN_SIZE 4
#define PARTS_MAX INSN_SIZE
/* The register number that is the stack pointer or the zero register. */
#define NUMBER_31 31

struct parts {
	uint64_t address; /* of the instruction */
	uint32_t word;    /* its encoding */
	unsigned int count;
	struct insn items[PARTS_MAX];
};

/* Returns the bits from `low` on of the encoding, `count` of them. */
static inline uint32_t field(const struct parts *parts, unsigned int low, unsigned int count)
{
	return parts->word >> low & ((UINT32_C(1) << count) - 1);
}

/* The same as a signed number. */
static inline int64_t signed_field(const struct parts *parts, unsigned int low, unsigned int count)
{
	return (int64_t)((uint64_t)field(parts, low, count) << (64 - count)) >> (64 - count);
}

static inline bool bit(const struct parts *parts, unsigned int number)
{
	return parts->word >> number & 1;
}

/* The registers in the usual places. */
static inline unsigned int field_d(const struct parts *parts)
{
	return field(parts, 0, 5);
}

static inline unsigned int field_n(const struct parts *parts)
{
	return field(parts, 5, 5);
}

static inline unsigned int field_m(const struct parts *parts)
{
	return field(parts, 16, 5);
}

/* ---- operands. Those that are written are given as destinations, others are read. */

/* A register of `size` bytes; the zero register is the constant 0. */
struct operand general(unsigned int number, unsigned int size);
/* The same where 31 is the stack pointer. */
struct operand general_or_sp(unsigned int number, unsigned int size);
struct operand vector(unsigned int number, unsigned int size);
struct operand immediate(int64_t value, unsigned int size);
/* Memory at a distance from a register. */
struct operand memory(unsigned int base, int64_t displacement, unsigned int size);
/* The address of memory, or memory, at a whole address. */
struct operand absolute(uint64_t address, unsigned int size);
/* An index register that extends as `option` says (UXTB to SXTX), and is shifted to the left. */
void set_index(struct operand *operand, unsigned int index, unsigned int option,
	       unsigned int shift);

/* ---- parts */

/* Adds a part with up to three operands, of which the first is the destination; operands of kind
 * OPERAND_NONE are left out. Returns the part; its `read` and `written` follow from the operands. A
 * destination that is no register and no memory (the zero register) is left out, and the part has
 * no effect but that on memory and flags. */
struct insn *add_part(struct parts *parts, enum operation operation, struct operand to,
		      struct operand a, struct operand b);
/* Adds a part without a destination. */
struct insn *add_test(struct parts *parts, enum operation operation, struct operand a,
		      struct operand b);
/* Adds a part that writes some registers, and of whose value nothing is known. */
struct insn *add_other(struct parts *parts, struct operand to, uint64_t read);

#define NO_OPERAND ((struct operand){ .kind = OPERAND_NONE })

/* Returns the condition of the number that encodings have. */
uint8_t condition_of(unsigned int number);

/* ---- groups of instructions, by what they do. Bytes that are no instruction add no part. */
void decode_memory(struct parts *parts);
void decode_immediate(struct parts *parts);
void decode_registers(struct parts *parts);
void decode_vector(struct parts *parts);
void decode_scalable(struct parts *parts);

/* Writes instructions that not every version of capstone knows. False: it is another one. */
bool own_text(uint32_t word, struct insn_text *text);

/* Sets FLAG_FLOAT of a function's loads and stores. */
void mark_floats(struct cfg *code);
/* Gives the operands of a function that are relative to a page their whole addresses. */
void complete_addresses(struct cfg *code);
/* Gives the operands of a function that add two registers the register that has their sum. */
void use_sums(struct cfg *code);
