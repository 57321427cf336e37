/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The general-purpose instructions, decoded straight from their encoding by a table of opcodes. They are
 * nearly all that compilers write, and this takes a tenth of the time that a disassembler needs, which also
 * formats text.
 */
#ifndef DTPROF_DISASM_GENERAL_H
#define DTPROF_DISASM_GENERAL_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/x86/encoding.h"
#include "disasm/insn.h"

/* How an opcode is turned into an instruction. */
enum general_form {
	FORM_NONE,  /* not a general-purpose instruction, or one that is too rare: not decoded here */
	FORM_PLAIN, /* operands as `places` and `access` say */
	FORM_GROUP, /* by the reg field of ModRM: `operation` is the group's number */
	FORM_HINT,  /* nop and its relatives, prefetches */
	FORM_PUSH,  /* places[1]: the source */
	FORM_ENTER,
	FORM_POP, /* places[0]: the destination */
	FORM_LEAVE,
	FORM_CALL, /* places[0]: the target */
	FORM_JUMP, /* the same, for all jumps; OP_BRANCH has its condition in the opcode */
	FORM_RETURN,
	FORM_STRING,
};

enum place {
	PLACE_NONE,
	PLACE_RM, /* register or memory as ModRM has it, of the operand size */
	PLACE_RM_BYTE,
	PLACE_RM_WORD,
	PLACE_RM_DOUBLE,   /* 4 bytes (movsxd) */
	PLACE_RM_QUAD,     /* 8 bytes whatever REX.W says, 2 with a prefix (push, pop) */
	PLACE_RM_TARGET,   /* 8 bytes always (near indirect branches) */
	PLACE_RM_FAR,      /* a far pointer */
	PLACE_RM_PAIR,     /* 8 bytes, 16 with REX.W (cmpxchg8b, cmpxchg16b) */
	PLACE_RM_SELECTOR, /* 2 bytes of memory, or a register of the operand size */
	PLACE_REG,         /* the general register in ModRM's reg field */
	PLACE_REG_BYTE,
	PLACE_OPCODE, /* the register in the opcode */
	PLACE_OPCODE_BYTE,
	PLACE_OPCODE_QUAD,
	PLACE_ACCUMULATOR,
	PLACE_ACCUMULATOR_BYTE,
	PLACE_COUNT, /* cl */
	PLACE_IMMEDIATE,
	PLACE_ONE,     /* the constant 1 */
	PLACE_ADDRESS, /* memory that is named and not accessed (lea) */
	PLACE_OFFSET,  /* memory at the address in the instruction (A1, A3) */
	PLACE_OFFSET_BYTE,
	PLACE_TARGET, /* relative */
};

/* Registers that an instruction uses without naming them: an index into general_implicit[]. */
enum implicit {
	IMPLICIT_NONE,
	IMPLICIT_MULTIPLY,      /* rdx:rax = rax * s */
	IMPLICIT_MULTIPLY_BYTE, /* ax = al * s */
	IMPLICIT_DIVIDE,        /* rax, rdx = rdx:rax / s */
	IMPLICIT_ACCUMULATOR,   /* rax changed in place */
	IMPLICIT_EXTEND,        /* rdx = the sign of rax */
	IMPLICIT_COMPARE_EXCHANGE,
	IMPLICIT_COMPARE_EXCHANGE_PAIR,
	IMPLICIT_COUNT, /* rcx counted down */
	IMPLICIT_COUNT_READ,
	IMPLICIT_SET_ACCUMULATOR,
	IMPLICIT_READ_ACCUMULATOR,
	IMPLICIT_TABLE,         /* al = [rbx + al] */
	IMPLICIT_TIME,          /* rdx:rax written */
	IMPLICIT_COUNTER,       /* rdx:rax written, rcx read */
	IMPLICIT_WRITE_COUNTER, /* rdx:rax, rcx read */
	IMPLICIT_CPUID,
	IMPLICIT_SYSTEM_CALL,
	IMPLICIT_PORT,    /* dx read */
	IMPLICIT_PORT_IN, /* dx read, rax written */
	IMPLICIT_PORT_OUT,
	IMPLICIT_EVERYTHING, /* anything may have been changed */
	IMPLICIT_COUNT_OF,
};

enum general_flags {
	FLAGS_WRITTEN,
	FLAGS_KEPT,
	FLAGS_BIT_NUMBER, /* written; the second operand is the number of a bit */
};

/* access: two bits an operand, as many as there are places */
#define ACCESS_READ  1
#define ACCESS_WRITE 2

#define GENERAL_PLACES 3

struct general_form_entry {
	uint8_t form;      /* enum general_form */
	uint8_t operation; /* enum operation, or a group's number */
	uint8_t places[GENERAL_PLACES];
	uint8_t access;
	uint8_t implicit;    /* enum implicit */
	uint8_t keeps_flags; /* enum general_flags */
};

struct general_implicit {
	uint64_t read;
	uint64_t written;
};

extern const struct general_form_entry general_primary[256];
extern const struct general_form_entry general_map_0f[256];
extern const struct general_form_entry general_groups[][8];
extern const struct general_implicit general_implicit[IMPLICIT_COUNT_OF];

/* Fill *insn, of which address, length and flags are set; false if it is not one of these instructions. */
bool general_decode(const struct encoding *encoding, struct insn *insn);

#endif
