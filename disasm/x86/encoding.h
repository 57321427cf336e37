/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The form of an x86-64 instruction: prefixes, opcode, ModRM, SIB, displacement, immediate. It is
 * the same for all instructions, also for those that came after the disassembler, so that lengths
 * and memory operands are always known.
 *
 * Sources: Intel SDM vol. 2, chapter 2 and appendix A; Intel APX architecture specification (REX2,
 * EVEX map 4); AMD APM vol. 3 (XOP).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum encoding_kind { ENCODING_LEGACY, ENCODING_REX2, ENCODING_VEX, ENCODING_EVEX, ENCODING_XOP };

/* Opcode maps: as VEX and EVEX number them; XOP's are 8 to 10. */
enum encoding_map {
	MAP_PRIMARY,
	MAP_0F,
	MAP_0F38,
	MAP_0F3A,
	MAP_APX,
	MAP_5,
	MAP_6,
	MAP_7,
	MAP_XOP_8,
	MAP_XOP_9,
	MAP_XOP_A
};

#define ENCODING_NONE   0xff
#define INSN_LENGTH_MAX 15

/* Registers are numbered as the encoding numbers them: 0 to 31, extension bits included. */
struct encoding {
	uint8_t length; /* of the whole instruction */
	uint8_t kind;   /* enum encoding_kind */
	uint8_t map;    /* enum encoding_map */
	uint8_t opcode;
	uint8_t repeat;  /* the last of 0xf2 and 0xf3, or 0 */
	uint8_t segment; /* 0x64 (fs), 0x65 (gs) or 0 */
	bool operand_size_prefix;
	bool address_size_prefix, lock;
	bool rex;               /* any REX or REX2: byte registers 4 to 7 are spl, bpl, sil, dil */
	bool wide;              /* REX.W, VEX.W, EVEX.W */
	uint8_t implied_prefix; /* VEX, EVEX: 0, 0x66, 0xf3 or 0xf2 */
	uint8_t vvvv;           /* VEX, EVEX, XOP: the additional register operand */
	uint8_t length_bits;    /* VEX.L, EVEX.L'L: the vector's length */
	uint8_t vector_index;   /* the index of a gather */
	uint8_t mask;           /* EVEX: the mask register, 0: none */
	/* EVEX.b with a memory operand: one element is read; else rounding control */
	bool broadcast;
	uint8_t opcode_register; /* the register in the opcode's low three bits */
	bool has_modrm;
	uint8_t mod, reg, rm;
	/* mod != 3 */
	bool has_memory;
	bool rip_relative;
	/* EVEX disp8: to be multiplied by a size that depends on the instruction */
	bool displacement_scaled;
	uint8_t base;  /* ENCODING_NONE: none */
	uint8_t index; /* ENCODING_NONE: none; gathers have a vector register here, less bit 4 */
	uint8_t scale;
	int64_t displacement; /* also the address of A0..A3 (moffs) */
	uint8_t immediate_size;
	int64_t immediate; /* sign-extended; relative targets not yet summed */
	bool invalid;      /* see encoding_is_invalid() */
};

/* The forms of an opcode that a pattern is for. */
enum pattern_form {
	PATTERN_ANY,
	PATTERN_REGISTER, /* ModRM names a register */
	PATTERN_MEMORY,   /* ModRM names memory */
};

#define ANY_EXTENSION 0xff /* all values of ModRM's reg field, and opcodes without ModRM */
#define ANY_RM        0xff
#define ANY_PREFIX    0xff
#define PREFIX_NONE   0x01 /* none of 0xf3, 0xf2 and 0x66 */

/* A set of instructions, described by their encoding, for tables. */
struct pattern {
	uint8_t map;         /* enum encoding_map */
	uint8_t first, last; /* opcodes */
	uint8_t extension;   /* ModRM's reg field, or ANY_EXTENSION */
	uint8_t rm;          /* ModRM's rm field, or ANY_RM */
	uint8_t form;        /* enum pattern_form */
	/* 0xf3 or 0xf2: this prefix; 0x66: this one, without the other two; 0: neither 0xf3 nor
	 * 0xf2; or PREFIX_NONE, ANY_PREFIX */
	uint8_t prefix;
};

bool pattern_matches(const struct pattern *pattern, const struct encoding *encoding);

/* True if no processor has such an instruction in 64-bit mode: encoding_parse() found an opcode
 * without a form, or a form of a group that is not in use. */
bool encoding_is_invalid(const struct encoding *encoding);

/* Parses the form of the instruction at `bytes`. False: no such form, or too few bytes. */
bool encoding_parse(const uint8_t *bytes, size_t size, struct encoding *encoding);
