/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AVX-512 from its encoding: sizes, displacements and operands of EVEX instructions, by a table of opcodes.
 * capstone 4 knows a third of them; without the size of the memory operand not even the displacement of a
 * byte can be told (SDM vol. 2, 2.7.5).
 */
#ifndef DTPROF_DISASM_EVEX_H
#define DTPROF_DISASM_EVEX_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/x86/encoding.h"
#include "disasm/insn.h"

/* How large the memory operand is, of a vector of VL bytes (SDM vol. 2, tables 2-34 and 2-35). */
enum evex_tuple {
	TUPLE_FULL,     /* VL, or one broadcast element */
	TUPLE_FULL_MEM, /* VL */
	TUPLE_HALF,     /* VL/2, or one broadcast element */
	TUPLE_QUARTER,  /* VL/4, or one broadcast element */
	TUPLE_EIGHTH,   /* VL/8 */
	TUPLE_DUP,      /* 8 of 16, else VL (movddup) */
	TUPLE_WIDE,     /* 4 or, with EVEX.W, 8 */
	TUPLE_BYTES,    /* 1 or, with EVEX.W, 2 */
	TUPLE_1,
	TUPLE_2,
	TUPLE_4,
	TUPLE_8,
	TUPLE_16,
	TUPLE_32,
	TUPLE_WIDER, /* as TUPLE_FULL with EVEX.W, else TUPLE_HALF */
};

enum evex_flag {
	/* where the result goes; a vector register in ModRM's reg if none of them is set */
	EVEX_STORE = 1,             /* ModRM's rm */
	EVEX_GENERAL = 2,           /* a general register in reg */
	EVEX_MASK = 4,              /* a mask register */
	EVEX_SHIFT = 8,             /* the vector register in vvvv */
	EVEX_COMPARE = 16,          /* nowhere: flags */
	EVEX_UNARY = 32,            /* vvvv is not an operand */
	EVEX_RM_GENERAL = 64,       /* rm, if not memory, is a general register */
	EVEX_RM_MASK = 128,         /* rm is a mask register */
	EVEX_ACCUMULATE = 256,      /* the destination is a source, too */
	EVEX_GATHER = 512,          /* the index is a vector register */
	EVEX_HALF_PRECISION = 1024, /* a broadcast element has two bytes */
	/* operations */
	EVEX_MOVE = 2048,
	EVEX_MOVE_ZERO = 4096,
	EVEX_SCALAR = 8192, /* movss, movsd: from memory zero-extended; three registers otherwise */
	EVEX_HIGH = 16384,
	EVEX_UNPACK = 32768,
	EVEX_XOR = 65536,
	EVEX_NOP = 131072,
	EVEX_PACKED = 262144, /* a displacement counts elements, but up to a whole vector is accessed */
};

/* Prefixes that a row is for. */
#define EVEX_NP (1 << 0)
#define EVEX_66 (1 << 1)
#define EVEX_F3 (1 << 2)
#define EVEX_F2 (1 << 3)

struct evex_row {
	uint8_t map;
	uint8_t first; /* opcodes first to last */
	uint8_t last;
	uint8_t prefixes;
	uint8_t tuple;
	uint32_t flags;
};

/* The row of an instruction, or NULL. */
const struct evex_row *evex_find(const struct encoding *encoding);

/* Fill *insn, of which address, length and flags are set; false if it is not one of these instructions. */
bool evex_decode(const struct encoding *encoding, struct insn *insn);
/* The same for VEX forms that came after AVX-512: VNNI, IFMA, GFNI, and AES and multiplication without carry
 * of 32 bytes. */
bool newer_vex_decode(const struct encoding *encoding, struct insn *insn);

#endif
