// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AVX-512 with its extensions up to FP16 from its encoding: sizes, displacements and operands of
 * EVEX instructions, by a table of opcodes (SDM vol. 2, appendix A and the instructions' pages).
 * capstone 4 knows a third of them; without the size of the memory operand not even a displacement
 * of one byte is known (SDM vol. 2, 2.7.5).
 */
#include "disasm/x86/decoders.h"
#include "base/memory.h"

/* ---- the opcodes */

/* The size of the memory operand, for vectors of VL bytes (SDM vol. 2, tables 2-34 and 2-35). */
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
	EVEX_PACKED =
		262144, /* a displacement counts elements, but up to a whole vector is accessed */
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
	uint8_t prefixes, tuple;
	uint32_t flags;
};

#define NP  EVEX_NP
#define P66 EVEX_66
#define PF3 EVEX_F3
#define PF2 EVEX_F2

#define FULL    TUPLE_FULL
#define MEM     TUPLE_FULL_MEM
#define HALF    TUPLE_HALF
#define QUARTER TUPLE_QUARTER
#define EIGHTH  TUPLE_EIGHTH
#define WIDE    TUPLE_WIDE

#define UNARY   EVEX_UNARY
#define STORE   (EVEX_STORE | EVEX_UNARY)
#define MASK    EVEX_MASK
#define ACC     EVEX_ACCUMULATE
#define HP      EVEX_HALF_PRECISION
#define LOAD    (EVEX_MOVE | EVEX_UNARY)
#define SAVE    (EVEX_MOVE | STORE)
#define TO_GP   (EVEX_GENERAL | EVEX_UNARY)
#define TO_RM   (STORE | EVEX_RM_GENERAL)
#define FROM_GP EVEX_RM_GENERAL

/* The rows are sorted by map and `last`. The first with the opcode and the prefix counts. */
/* clang-format off */
static const struct evex_row rows[] = {
	/* moves */
	{ MAP_0F,   0x10, 0x10, NP | P66,        MEM,         LOAD },
	{ MAP_0F,   0x10, 0x10, PF3,             TUPLE_4,     EVEX_SCALAR },
	{ MAP_0F,   0x10, 0x10, PF2,             TUPLE_8,     EVEX_SCALAR },
	{ MAP_0F,   0x11, 0x11, NP | P66,        MEM,         SAVE },
	{ MAP_0F,   0x11, 0x11, PF3,             TUPLE_4,     EVEX_SCALAR | EVEX_STORE },
	{ MAP_0F,   0x11, 0x11, PF2,             TUPLE_8,     EVEX_SCALAR | EVEX_STORE },
	{ MAP_0F,   0x12, 0x12, NP | P66,        TUPLE_8,     0 },
	{ MAP_0F,   0x12, 0x12, PF3,             MEM,         UNARY },
	{ MAP_0F,   0x12, 0x12, PF2,             TUPLE_DUP,   UNARY },
	{ MAP_0F,   0x13, 0x13, NP | P66,        TUPLE_8,     SAVE },
	{ MAP_0F,   0x14, 0x14, P66,             FULL,        EVEX_UNPACK },
	{ MAP_0F,   0x14, 0x15, NP | P66,        FULL,        0 },
	{ MAP_0F,   0x16, 0x16, NP | P66,        TUPLE_8,     EVEX_HIGH },
	{ MAP_0F,   0x16, 0x16, PF3,             MEM,         UNARY },
	{ MAP_0F,   0x17, 0x17, NP | P66,        TUPLE_8,     EVEX_HIGH | STORE },
	{ MAP_0F,   0x28, 0x28, NP | P66,        MEM,         LOAD },
	{ MAP_0F,   0x29, 0x29, NP | P66,        MEM,         SAVE },
	{ MAP_0F,   0x2a, 0x2a, PF3 | PF2,       WIDE,        FROM_GP },
	{ MAP_0F,   0x2b, 0x2b, NP | P66,        MEM,         SAVE },
	{ MAP_0F,   0x2c, 0x2d, PF3,             TUPLE_4,     TO_GP },
	{ MAP_0F,   0x2c, 0x2d, PF2,             TUPLE_8,     TO_GP },
	{ MAP_0F,   0x2e, 0x2f, NP,              TUPLE_4,     EVEX_COMPARE | UNARY },
	{ MAP_0F,   0x2e, 0x2f, P66,             TUPLE_8,     EVEX_COMPARE | UNARY },
	/* arithmetic */
	{ MAP_0F,   0x51, 0x51, NP | P66,        FULL,        UNARY },
	{ MAP_0F,   0x51, 0x51, PF3,             TUPLE_4,     0 },
	{ MAP_0F,   0x51, 0x51, PF2,             TUPLE_8,     0 },
	{ MAP_0F,   0x54, 0x56, NP | P66,        FULL,        0 },
	{ MAP_0F,   0x57, 0x57, NP | P66,        FULL,        EVEX_XOR },
	{ MAP_0F,   0x58, 0x59, NP | P66,        FULL,        0 },
	{ MAP_0F,   0x58, 0x59, PF3,             TUPLE_4,     0 },
	{ MAP_0F,   0x58, 0x59, PF2,             TUPLE_8,     0 },
	{ MAP_0F,   0x5a, 0x5a, NP,              HALF,        UNARY },
	{ MAP_0F,   0x5a, 0x5a, P66,             FULL,        UNARY },
	{ MAP_0F,   0x5a, 0x5a, PF3,             TUPLE_4,     0 },
	{ MAP_0F,   0x5a, 0x5a, PF2,             TUPLE_8,     0 },
	{ MAP_0F,   0x5b, 0x5b, NP | P66 | PF3,  FULL,        UNARY },
	{ MAP_0F,   0x5c, 0x5f, NP | P66,        FULL,        0 },
	{ MAP_0F,   0x5c, 0x5f, PF3,             TUPLE_4,     0 },
	{ MAP_0F,   0x5c, 0x5f, PF2,             TUPLE_8,     0 },
	/* integers */
	{ MAP_0F,   0x60, 0x61, P66,             MEM,         0 },
	{ MAP_0F,   0x62, 0x62, P66,             FULL,        0 },
	{ MAP_0F,   0x63, 0x63, P66,             MEM,         0 },
	{ MAP_0F,   0x64, 0x65, P66,             MEM,         MASK },
	{ MAP_0F,   0x66, 0x66, P66,             FULL,        MASK },
	{ MAP_0F,   0x67, 0x69, P66,             MEM,         0 },
	{ MAP_0F,   0x6a, 0x6b, P66,             FULL,        0 },
	{ MAP_0F,   0x6c, 0x6c, P66,             FULL,        EVEX_UNPACK },
	{ MAP_0F,   0x6d, 0x6d, P66,             FULL,        0 },
	{ MAP_0F,   0x6e, 0x6e, P66,             WIDE,        FROM_GP | UNARY | EVEX_MOVE_ZERO },
	{ MAP_0F,   0x6f, 0x6f, P66 | PF3 | PF2, MEM,         LOAD },
	{ MAP_0F,   0x70, 0x70, P66,             FULL,        UNARY },
	{ MAP_0F,   0x70, 0x70, PF3 | PF2,       MEM,         UNARY },
	{ MAP_0F,   0x71, 0x71, P66,             MEM,         EVEX_SHIFT | UNARY },
	{ MAP_0F,   0x72, 0x73, P66,             FULL,        EVEX_SHIFT | UNARY }, /* the byte shifts of 73: decode_by_row() */
	{ MAP_0F,   0x74, 0x75, P66,             MEM,         MASK },
	{ MAP_0F,   0x76, 0x76, P66,             FULL,        MASK },
	{ MAP_0F,   0x78, 0x79, NP,              FULL,        UNARY },
	{ MAP_0F,   0x78, 0x79, P66,             TUPLE_WIDER, UNARY },
	{ MAP_0F,   0x78, 0x79, PF3,             TUPLE_4,     TO_GP },
	{ MAP_0F,   0x78, 0x79, PF2,             TUPLE_8,     TO_GP },
	{ MAP_0F,   0x7a, 0x7a, P66 | PF3,       TUPLE_WIDER, UNARY },
	{ MAP_0F,   0x7a, 0x7a, PF2,             FULL,        UNARY },
	{ MAP_0F,   0x7b, 0x7b, P66,             TUPLE_WIDER, UNARY },
	{ MAP_0F,   0x7b, 0x7b, PF3 | PF2,       WIDE,        FROM_GP },
	{ MAP_0F,   0x7e, 0x7e, P66,             WIDE,        TO_RM | EVEX_MOVE },
	{ MAP_0F,   0x7e, 0x7e, PF3,             TUPLE_8,     UNARY | EVEX_MOVE_ZERO },
	{ MAP_0F,   0x7f, 0x7f, P66 | PF3 | PF2, MEM,         SAVE },
	{ MAP_0F,   0xc2, 0xc2, NP | P66,        FULL,        MASK },
	{ MAP_0F,   0xc2, 0xc2, PF3,             TUPLE_4,     MASK },
	{ MAP_0F,   0xc2, 0xc2, PF2,             TUPLE_8,     MASK },
	{ MAP_0F,   0xc4, 0xc4, P66,             TUPLE_2,     FROM_GP },
	{ MAP_0F,   0xc5, 0xc5, P66,             TUPLE_2,     TO_GP },
	{ MAP_0F,   0xc6, 0xc6, NP | P66,        FULL,        0 },
	{ MAP_0F,   0xd1, 0xd3, P66,             TUPLE_16,    0 },
	{ MAP_0F,   0xd4, 0xd4, P66,             FULL,        0 },
	{ MAP_0F,   0xd5, 0xd5, P66,             MEM,         0 },
	{ MAP_0F,   0xd6, 0xd6, P66,             TUPLE_8,     SAVE },
	{ MAP_0F,   0xd8, 0xda, P66,             MEM,         0 },
	{ MAP_0F,   0xdb, 0xdb, P66,             FULL,        0 },
	{ MAP_0F,   0xdc, 0xde, P66,             MEM,         0 },
	{ MAP_0F,   0xdf, 0xdf, P66,             FULL,        0 },
	{ MAP_0F,   0xe0, 0xe0, P66,             MEM,         0 },
	{ MAP_0F,   0xe1, 0xe2, P66,             TUPLE_16,    0 },
	{ MAP_0F,   0xe3, 0xe5, P66,             MEM,         0 },
	{ MAP_0F,   0xe6, 0xe6, P66 | PF2,       FULL,        UNARY },
	{ MAP_0F,   0xe6, 0xe6, PF3,             TUPLE_WIDER, UNARY },
	{ MAP_0F,   0xe7, 0xe7, P66,             MEM,         SAVE },
	{ MAP_0F,   0xe8, 0xea, P66,             MEM,         0 },
	{ MAP_0F,   0xeb, 0xeb, P66,             FULL,        0 },
	{ MAP_0F,   0xec, 0xee, P66,             MEM,         0 },
	{ MAP_0F,   0xef, 0xef, P66,             FULL,        EVEX_XOR },
	{ MAP_0F,   0xf1, 0xf3, P66,             TUPLE_16,    0 },
	{ MAP_0F,   0xf4, 0xf4, P66,             FULL,        0 },
	{ MAP_0F,   0xf5, 0xf6, P66,             MEM,         0 },
	{ MAP_0F,   0xf8, 0xf9, P66,             MEM,         0 },
	{ MAP_0F,   0xfa, 0xfb, P66,             FULL,        0 },
	{ MAP_0F,   0xfc, 0xfd, P66,             MEM,         0 },
	{ MAP_0F,   0xfe, 0xfe, P66,             FULL,        0 },

	{ MAP_0F38, 0x00, 0x00, P66,             MEM,         0 },
	{ MAP_0F38, 0x04, 0x04, P66,             MEM,         0 },
	{ MAP_0F38, 0x0b, 0x0b, P66,             MEM,         0 },
	{ MAP_0F38, 0x0c, 0x0d, P66,             FULL,        0 },
	{ MAP_0F38, 0x10, 0x10, PF3,             HALF,        STORE },
	{ MAP_0F38, 0x11, 0x11, PF3,             QUARTER,     STORE },
	{ MAP_0F38, 0x10, 0x12, P66,             MEM,         0 },
	{ MAP_0F38, 0x12, 0x12, PF3,             EIGHTH,      STORE },
	{ MAP_0F38, 0x13, 0x13, P66,             HALF,        UNARY },
	{ MAP_0F38, 0x13, 0x13, PF3,             HALF,        STORE },
	{ MAP_0F38, 0x14, 0x14, PF3,             QUARTER,     STORE },
	{ MAP_0F38, 0x15, 0x15, PF3,             HALF,        STORE },
	{ MAP_0F38, 0x14, 0x16, P66,             FULL,        0 },
	{ MAP_0F38, 0x18, 0x18, P66,             TUPLE_4,     UNARY },
	{ MAP_0F38, 0x19, 0x19, P66,             TUPLE_8,     UNARY },
	{ MAP_0F38, 0x1a, 0x1a, P66,             TUPLE_16,    UNARY },
	{ MAP_0F38, 0x1b, 0x1b, P66,             TUPLE_32,    UNARY },
	{ MAP_0F38, 0x1c, 0x1d, P66,             MEM,         UNARY },
	{ MAP_0F38, 0x1e, 0x1f, P66,             FULL,        UNARY },
	{ MAP_0F38, 0x20, 0x20, P66,             HALF,        UNARY },
	{ MAP_0F38, 0x20, 0x20, PF3,             HALF,        STORE },
	{ MAP_0F38, 0x21, 0x21, P66,             QUARTER,     UNARY },
	{ MAP_0F38, 0x21, 0x21, PF3,             QUARTER,     STORE },
	{ MAP_0F38, 0x22, 0x22, P66,             EIGHTH,      UNARY },
	{ MAP_0F38, 0x22, 0x22, PF3,             EIGHTH,      STORE },
	{ MAP_0F38, 0x23, 0x23, P66,             HALF,        UNARY },
	{ MAP_0F38, 0x23, 0x23, PF3,             HALF,        STORE },
	{ MAP_0F38, 0x24, 0x24, P66,             QUARTER,     UNARY },
	{ MAP_0F38, 0x24, 0x24, PF3,             QUARTER,     STORE },
	{ MAP_0F38, 0x25, 0x25, P66,             HALF,        UNARY },
	{ MAP_0F38, 0x25, 0x25, PF3,             HALF,        STORE },
	{ MAP_0F38, 0x26, 0x26, P66 | PF3,       MEM,         MASK },
	{ MAP_0F38, 0x27, 0x27, P66 | PF3,       FULL,        MASK },
	{ MAP_0F38, 0x28, 0x28, P66,             FULL,        0 },
	{ MAP_0F38, 0x28, 0x28, PF3,             FULL,        UNARY | EVEX_RM_MASK },
	{ MAP_0F38, 0x29, 0x29, P66,             FULL,        MASK },
	{ MAP_0F38, 0x29, 0x29, PF3,             FULL,        MASK | UNARY },
	{ MAP_0F38, 0x2a, 0x2a, P66,             MEM,         LOAD },
	{ MAP_0F38, 0x2a, 0x2a, PF3,             FULL,        UNARY | EVEX_RM_MASK },
	{ MAP_0F38, 0x2b, 0x2c, P66,             FULL,        0 },
	{ MAP_0F38, 0x2d, 0x2d, P66,             WIDE,        0 },
	{ MAP_0F38, 0x30, 0x30, P66,             HALF,        UNARY },
	{ MAP_0F38, 0x30, 0x30, PF3,             HALF,        STORE },
	{ MAP_0F38, 0x31, 0x31, P66,             QUARTER,     UNARY },
	{ MAP_0F38, 0x31, 0x31, PF3,             QUARTER,     STORE },
	{ MAP_0F38, 0x32, 0x32, P66,             EIGHTH,      UNARY },
	{ MAP_0F38, 0x32, 0x32, PF3,             EIGHTH,      STORE },
	{ MAP_0F38, 0x33, 0x33, P66,             HALF,        UNARY },
	{ MAP_0F38, 0x33, 0x33, PF3,             HALF,        STORE },
	{ MAP_0F38, 0x34, 0x34, P66,             QUARTER,     UNARY },
	{ MAP_0F38, 0x34, 0x34, PF3,             QUARTER,     STORE },
	{ MAP_0F38, 0x35, 0x35, P66,             HALF,        UNARY },
	{ MAP_0F38, 0x35, 0x35, PF3,             HALF,        STORE },
	{ MAP_0F38, 0x36, 0x36, P66,             FULL,        0 },
	{ MAP_0F38, 0x37, 0x37, P66,             FULL,        MASK },
	{ MAP_0F38, 0x38, 0x38, P66,             MEM,         0 },
	{ MAP_0F38, 0x38, 0x38, PF3,             FULL,        UNARY | EVEX_RM_MASK },
	{ MAP_0F38, 0x39, 0x39, P66,             FULL,        0 },
	{ MAP_0F38, 0x39, 0x39, PF3,             FULL,        MASK | UNARY },
	{ MAP_0F38, 0x3a, 0x3a, P66,             MEM,         0 },
	{ MAP_0F38, 0x3a, 0x3a, PF3,             FULL,        UNARY | EVEX_RM_MASK },
	{ MAP_0F38, 0x3b, 0x3b, P66,             FULL,        0 },
	{ MAP_0F38, 0x3c, 0x3c, P66,             MEM,         0 },
	{ MAP_0F38, 0x3d, 0x3d, P66,             FULL,        0 },
	{ MAP_0F38, 0x3e, 0x3e, P66,             MEM,         0 },
	{ MAP_0F38, 0x3f, 0x40, P66,             FULL,        0 },
	{ MAP_0F38, 0x42, 0x42, P66,             FULL,        UNARY },
	{ MAP_0F38, 0x43, 0x43, P66,             WIDE,        0 },
	{ MAP_0F38, 0x44, 0x44, P66,             FULL,        UNARY },
	{ MAP_0F38, 0x45, 0x47, P66,             FULL,        0 },
	{ MAP_0F38, 0x4c, 0x4c, P66,             FULL,        UNARY },
	{ MAP_0F38, 0x4d, 0x4d, P66,             WIDE,        0 },
	{ MAP_0F38, 0x4e, 0x4e, P66,             FULL,        UNARY },
	{ MAP_0F38, 0x4f, 0x4f, P66,             WIDE,        0 },
	{ MAP_0F38, 0x50, 0x51, NP | PF3 | PF2,  FULL,        ACC },
	{ MAP_0F38, 0x52, 0x52, PF3,             FULL,        ACC },
	{ MAP_0F38, 0x50, 0x53, P66,             FULL,        ACC },
	{ MAP_0F38, 0x52, 0x53, PF2,             TUPLE_16,    ACC },
	{ MAP_0F38, 0x54, 0x54, P66,             MEM,         UNARY },
	{ MAP_0F38, 0x55, 0x55, P66,             FULL,        UNARY },
	{ MAP_0F38, 0x58, 0x58, P66,             TUPLE_4,     UNARY },
	{ MAP_0F38, 0x59, 0x59, P66,             TUPLE_8,     UNARY },
	{ MAP_0F38, 0x5a, 0x5a, P66,             TUPLE_16,    UNARY },
	{ MAP_0F38, 0x5b, 0x5b, P66,             TUPLE_32,    UNARY },
	{ MAP_0F38, 0x62, 0x62, P66,             TUPLE_BYTES, UNARY | EVEX_PACKED },
	{ MAP_0F38, 0x63, 0x63, P66,             TUPLE_BYTES, STORE | EVEX_PACKED },
	{ MAP_0F38, 0x64, 0x65, P66,             FULL,        0 },
	{ MAP_0F38, 0x66, 0x66, P66,             MEM,         0 },
	{ MAP_0F38, 0x68, 0x68, PF2,             FULL,        MASK },
	{ MAP_0F38, 0x70, 0x70, P66,             MEM,         ACC },
	{ MAP_0F38, 0x71, 0x71, P66,             FULL,        ACC },
	{ MAP_0F38, 0x72, 0x72, P66,             MEM,         ACC },
	{ MAP_0F38, 0x72, 0x72, PF3,             FULL,        UNARY },
	{ MAP_0F38, 0x72, 0x72, PF2,             FULL,        0 },
	{ MAP_0F38, 0x73, 0x73, P66,             FULL,        ACC },
	{ MAP_0F38, 0x75, 0x75, P66,             MEM,         ACC },
	{ MAP_0F38, 0x76, 0x77, P66,             FULL,        ACC },
	{ MAP_0F38, 0x78, 0x78, P66,             TUPLE_1,     UNARY },
	{ MAP_0F38, 0x79, 0x79, P66,             TUPLE_2,     UNARY },
	{ MAP_0F38, 0x7a, 0x7c, P66,             WIDE,        UNARY | FROM_GP },
	{ MAP_0F38, 0x7d, 0x7d, P66,             MEM,         ACC },
	{ MAP_0F38, 0x7e, 0x7f, P66,             FULL,        ACC },
	{ MAP_0F38, 0x83, 0x83, P66,             FULL,        0 },
	{ MAP_0F38, 0x88, 0x89, P66,             WIDE,        UNARY | EVEX_PACKED },
	{ MAP_0F38, 0x8a, 0x8b, P66,             WIDE,        STORE | EVEX_PACKED },
	{ MAP_0F38, 0x8d, 0x8d, P66,             MEM,         0 },
	{ MAP_0F38, 0x8f, 0x8f, P66,             MEM,         MASK },
	{ MAP_0F38, 0x90, 0x93, P66,             WIDE,        UNARY | ACC | EVEX_GATHER },
	{ MAP_0F38, 0x96, 0x98, P66,             FULL,        ACC },
	{ MAP_0F38, 0x99, 0x99, P66,             WIDE,        ACC },
	{ MAP_0F38, 0x9a, 0x9a, P66,             FULL,        ACC },
	{ MAP_0F38, 0x9a, 0x9b, PF2,             TUPLE_16,    ACC },
	{ MAP_0F38, 0x9b, 0x9b, P66,             WIDE,        ACC },
	{ MAP_0F38, 0x9c, 0x9c, P66,             FULL,        ACC },
	{ MAP_0F38, 0x9d, 0x9d, P66,             WIDE,        ACC },
	{ MAP_0F38, 0x9e, 0x9e, P66,             FULL,        ACC },
	{ MAP_0F38, 0x9f, 0x9f, P66,             WIDE,        ACC },
	{ MAP_0F38, 0xa0, 0xa3, P66,             WIDE,        STORE | EVEX_GATHER },
	{ MAP_0F38, 0xa6, 0xa8, P66,             FULL,        ACC },
	{ MAP_0F38, 0xa9, 0xa9, P66,             WIDE,        ACC },
	{ MAP_0F38, 0xaa, 0xaa, P66,             FULL,        ACC },
	{ MAP_0F38, 0xaa, 0xab, PF2,             TUPLE_16,    ACC },
	{ MAP_0F38, 0xab, 0xab, P66,             WIDE,        ACC },
	{ MAP_0F38, 0xac, 0xac, P66,             FULL,        ACC },
	{ MAP_0F38, 0xad, 0xad, P66,             WIDE,        ACC },
	{ MAP_0F38, 0xae, 0xae, P66,             FULL,        ACC },
	{ MAP_0F38, 0xaf, 0xaf, P66,             WIDE,        ACC },
	{ MAP_0F38, 0xb4, 0xb8, P66,             FULL,        ACC },
	{ MAP_0F38, 0xb9, 0xb9, P66,             WIDE,        ACC },
	{ MAP_0F38, 0xba, 0xba, P66,             FULL,        ACC },
	{ MAP_0F38, 0xbb, 0xbb, P66,             WIDE,        ACC },
	{ MAP_0F38, 0xbc, 0xbc, P66,             FULL,        ACC },
	{ MAP_0F38, 0xbd, 0xbd, P66,             WIDE,        ACC },
	{ MAP_0F38, 0xbe, 0xbe, P66,             FULL,        ACC },
	{ MAP_0F38, 0xbf, 0xbf, P66,             WIDE,        ACC },
	{ MAP_0F38, 0xc4, 0xc4, P66,             FULL,        UNARY },
	{ MAP_0F38, 0xc6, 0xc7, P66,             WIDE,        EVEX_NOP | EVEX_COMPARE | UNARY | EVEX_GATHER },
	{ MAP_0F38, 0xc8, 0xc8, P66,             FULL,        UNARY },
	{ MAP_0F38, 0xca, 0xca, P66,             FULL,        UNARY },
	{ MAP_0F38, 0xcb, 0xcb, P66,             WIDE,        0 },
	{ MAP_0F38, 0xcc, 0xcc, P66,             FULL,        UNARY },
	{ MAP_0F38, 0xcd, 0xcd, P66,             WIDE,        0 },
	{ MAP_0F38, 0xcf, 0xcf, P66,             MEM,         0 },
	{ MAP_0F38, 0xd2, 0xd3, NP | P66 | PF3,  FULL,        ACC },
	{ MAP_0F38, 0xdc, 0xdf, P66,             MEM,         0 },

	{ MAP_0F3A, 0x00, 0x01, P66,             FULL,        UNARY },
	{ MAP_0F3A, 0x03, 0x03, P66,             FULL,        0 },
	{ MAP_0F3A, 0x04, 0x05, P66,             FULL,        UNARY },
	{ MAP_0F3A, 0x08, 0x08, NP,              FULL,        UNARY | HP },
	{ MAP_0F3A, 0x08, 0x09, P66,             FULL,        UNARY },
	{ MAP_0F3A, 0x0a, 0x0a, P66,             TUPLE_4,     0 },
	{ MAP_0F3A, 0x0a, 0x0a, NP,              TUPLE_2,     0 },
	{ MAP_0F3A, 0x0b, 0x0b, P66,             TUPLE_8,     0 },
	{ MAP_0F3A, 0x0f, 0x0f, P66,             MEM,         0 },
	{ MAP_0F3A, 0x14, 0x14, P66,             TUPLE_1,     TO_RM },
	{ MAP_0F3A, 0x15, 0x15, P66,             TUPLE_2,     TO_RM },
	{ MAP_0F3A, 0x16, 0x16, P66,             WIDE,        TO_RM },
	{ MAP_0F3A, 0x17, 0x17, P66,             TUPLE_4,     TO_RM },
	{ MAP_0F3A, 0x18, 0x18, P66,             TUPLE_16,    0 },
	{ MAP_0F3A, 0x19, 0x19, P66,             TUPLE_16,    STORE },
	{ MAP_0F3A, 0x1a, 0x1a, P66,             TUPLE_32,    0 },
	{ MAP_0F3A, 0x1b, 0x1b, P66,             TUPLE_32,    STORE },
	{ MAP_0F3A, 0x1d, 0x1d, P66,             HALF,        STORE },
	{ MAP_0F3A, 0x1e, 0x1f, P66,             FULL,        MASK },
	{ MAP_0F3A, 0x20, 0x20, P66,             TUPLE_1,     FROM_GP },
	{ MAP_0F3A, 0x21, 0x21, P66,             TUPLE_4,     0 },
	{ MAP_0F3A, 0x22, 0x22, P66,             WIDE,        FROM_GP },
	{ MAP_0F3A, 0x23, 0x23, P66,             FULL,        0 },
	{ MAP_0F3A, 0x25, 0x25, P66,             FULL,        ACC },
	{ MAP_0F3A, 0x26, 0x26, P66,             FULL,        UNARY },
	{ MAP_0F3A, 0x26, 0x26, NP,              FULL,        UNARY | HP },
	{ MAP_0F3A, 0x27, 0x27, P66,             WIDE,        0 },
	{ MAP_0F3A, 0x27, 0x27, NP,              TUPLE_2,     0 },
	{ MAP_0F3A, 0x38, 0x38, P66,             TUPLE_16,    0 },
	{ MAP_0F3A, 0x39, 0x39, P66,             TUPLE_16,    STORE },
	{ MAP_0F3A, 0x3a, 0x3a, P66,             TUPLE_32,    0 },
	{ MAP_0F3A, 0x3b, 0x3b, P66,             TUPLE_32,    STORE },
	{ MAP_0F3A, 0x3e, 0x3f, P66,             MEM,         MASK },
	{ MAP_0F3A, 0x42, 0x42, P66,             MEM,         0 },
	{ MAP_0F3A, 0x43, 0x43, P66,             FULL,        0 },
	{ MAP_0F3A, 0x44, 0x44, P66,             MEM,         0 },
	{ MAP_0F3A, 0x50, 0x50, P66,             FULL,        0 },
	{ MAP_0F3A, 0x51, 0x51, P66,             WIDE,        0 },
	{ MAP_0F3A, 0x54, 0x54, P66,             FULL,        ACC },
	{ MAP_0F3A, 0x55, 0x55, P66,             WIDE,        ACC },
	{ MAP_0F3A, 0x56, 0x56, P66,             FULL,        UNARY },
	{ MAP_0F3A, 0x56, 0x56, NP,              FULL,        UNARY | HP },
	{ MAP_0F3A, 0x57, 0x57, P66,             WIDE,        0 },
	{ MAP_0F3A, 0x57, 0x57, NP,              TUPLE_2,     0 },
	{ MAP_0F3A, 0x66, 0x66, P66,             FULL,        MASK | UNARY },
	{ MAP_0F3A, 0x66, 0x66, NP,              FULL,        MASK | UNARY | HP },
	{ MAP_0F3A, 0x67, 0x67, P66,             WIDE,        MASK | UNARY },
	{ MAP_0F3A, 0x67, 0x67, NP,              TUPLE_2,     MASK | UNARY },
	{ MAP_0F3A, 0x70, 0x70, P66,             MEM,         0 },
	{ MAP_0F3A, 0x71, 0x71, P66,             FULL,        0 },
	{ MAP_0F3A, 0x72, 0x72, P66,             MEM,         0 },
	{ MAP_0F3A, 0x73, 0x73, P66,             FULL,        0 },
	{ MAP_0F3A, 0xc2, 0xc2, NP,              FULL,        MASK | HP },
	{ MAP_0F3A, 0xc2, 0xc2, PF3,             TUPLE_2,     MASK },
	{ MAP_0F3A, 0xce, 0xcf, P66,             FULL,        0 },

	/* half precision */
	{ MAP_5,    0x10, 0x10, PF3,             TUPLE_2,     EVEX_SCALAR },
	{ MAP_5,    0x11, 0x11, PF3,             TUPLE_2,     EVEX_SCALAR | EVEX_STORE },
	{ MAP_5,    0x1d, 0x1d, NP,              TUPLE_4,     0 },
	{ MAP_5,    0x1d, 0x1d, P66,             FULL,        UNARY },
	{ MAP_5,    0x2a, 0x2a, PF3,             WIDE,        FROM_GP },
	{ MAP_5,    0x2c, 0x2d, PF3,             TUPLE_2,     TO_GP },
	{ MAP_5,    0x2e, 0x2f, NP,              TUPLE_2,     EVEX_COMPARE | UNARY },
	{ MAP_5,    0x51, 0x51, NP,              FULL,        UNARY | HP },
	{ MAP_5,    0x51, 0x51, PF3,             TUPLE_2,     0 },
	{ MAP_5,    0x58, 0x59, NP,              FULL,        HP },
	{ MAP_5,    0x58, 0x59, PF3,             TUPLE_2,     0 },
	{ MAP_5,    0x5a, 0x5a, NP,              QUARTER,     UNARY | HP },
	{ MAP_5,    0x5a, 0x5a, P66,             FULL,        UNARY },
	{ MAP_5,    0x5a, 0x5a, PF3,             TUPLE_2,     0 },
	{ MAP_5,    0x5a, 0x5a, PF2,             TUPLE_8,     0 },
	{ MAP_5,    0x5b, 0x5b, NP,              FULL,        UNARY },
	{ MAP_5,    0x5b, 0x5b, P66 | PF3,       HALF,        UNARY | HP },
	{ MAP_5,    0x5c, 0x5f, NP,              FULL,        HP },
	{ MAP_5,    0x5c, 0x5f, PF3,             TUPLE_2,     0 },
	{ MAP_5,    0x6e, 0x6e, P66,             TUPLE_2,     FROM_GP | UNARY },
	{ MAP_5,    0x78, 0x79, NP,              HALF,        UNARY | HP },
	{ MAP_5,    0x78, 0x79, P66,             QUARTER,     UNARY | HP },
	{ MAP_5,    0x78, 0x79, PF3,             TUPLE_2,     TO_GP },
	{ MAP_5,    0x7a, 0x7a, PF2,             FULL,        UNARY },
	{ MAP_5,    0x7a, 0x7b, P66,             QUARTER,     UNARY | HP },
	{ MAP_5,    0x7b, 0x7b, PF3,             WIDE,        FROM_GP },
	{ MAP_5,    0x7c, 0x7d, NP | P66,        FULL,        UNARY | HP },
	{ MAP_5,    0x7d, 0x7d, PF3 | PF2,       FULL,        UNARY | HP },
	{ MAP_5,    0x7e, 0x7e, P66,             TUPLE_2,     TO_RM },
	{ MAP_6,    0x13, 0x13, NP,              TUPLE_2,     0 },
	{ MAP_6,    0x13, 0x13, P66,             HALF,        UNARY | HP },
	{ MAP_6,    0x2c, 0x2c, P66,             FULL,        HP },
	{ MAP_6,    0x2d, 0x2d, P66,             TUPLE_2,     0 },
	{ MAP_6,    0x42, 0x42, P66,             FULL,        UNARY | HP },
	{ MAP_6,    0x43, 0x43, P66,             TUPLE_2,     0 },
	{ MAP_6,    0x4c, 0x4c, P66,             FULL,        UNARY | HP },
	{ MAP_6,    0x4d, 0x4d, P66,             TUPLE_2,     0 },
	{ MAP_6,    0x4e, 0x4e, P66,             FULL,        UNARY | HP },
	{ MAP_6,    0x4f, 0x4f, P66,             TUPLE_2,     0 },
	{ MAP_6,    0x56, 0x56, PF3 | PF2,       FULL,        ACC },
	{ MAP_6,    0x57, 0x57, PF3 | PF2,       TUPLE_4,     ACC },
	{ MAP_6,    0x96, 0x98, P66,             FULL,        ACC | HP },
	{ MAP_6,    0x99, 0x99, P66,             TUPLE_2,     ACC },
	{ MAP_6,    0x9a, 0x9a, P66,             FULL,        ACC | HP },
	{ MAP_6,    0x9b, 0x9b, P66,             TUPLE_2,     ACC },
	{ MAP_6,    0x9c, 0x9c, P66,             FULL,        ACC | HP },
	{ MAP_6,    0x9d, 0x9d, P66,             TUPLE_2,     ACC },
	{ MAP_6,    0x9e, 0x9e, P66,             FULL,        ACC | HP },
	{ MAP_6,    0x9f, 0x9f, P66,             TUPLE_2,     ACC },
	{ MAP_6,    0xa6, 0xa8, P66,             FULL,        ACC | HP },
	{ MAP_6,    0xa9, 0xa9, P66,             TUPLE_2,     ACC },
	{ MAP_6,    0xaa, 0xaa, P66,             FULL,        ACC | HP },
	{ MAP_6,    0xab, 0xab, P66,             TUPLE_2,     ACC },
	{ MAP_6,    0xac, 0xac, P66,             FULL,        ACC | HP },
	{ MAP_6,    0xad, 0xad, P66,             TUPLE_2,     ACC },
	{ MAP_6,    0xae, 0xae, P66,             FULL,        ACC | HP },
	{ MAP_6,    0xaf, 0xaf, P66,             TUPLE_2,     ACC },
	{ MAP_6,    0xb6, 0xb8, P66,             FULL,        ACC | HP },
	{ MAP_6,    0xb9, 0xb9, P66,             TUPLE_2,     ACC },
	{ MAP_6,    0xba, 0xba, P66,             FULL,        ACC | HP },
	{ MAP_6,    0xbb, 0xbb, P66,             TUPLE_2,     ACC },
	{ MAP_6,    0xbc, 0xbc, P66,             FULL,        ACC | HP },
	{ MAP_6,    0xbd, 0xbd, P66,             TUPLE_2,     ACC },
	{ MAP_6,    0xbe, 0xbe, P66,             FULL,        ACC | HP },
	{ MAP_6,    0xbf, 0xbf, P66,             TUPLE_2,     ACC },
	{ MAP_6,    0xd6, 0xd6, PF3 | PF2,       FULL,        0 },
	{ MAP_6,    0xd7, 0xd7, PF3 | PF2,       TUPLE_4,     0 },
};
/* clang-format on */

static unsigned int prefix_bit(uint8_t implied_prefix)
{
	switch (implied_prefix) {
	case 0x66: return EVEX_66;
	case 0xf3: return EVEX_F3;
	case 0xf2: return EVEX_F2;
	default: return EVEX_NP;
	}
}

/* Returns the row of an instruction, or NULL. */
static const struct evex_row *evex_find(const struct encoding *encoding)
{
	unsigned int prefix = prefix_bit(encoding->implied_prefix);
	size_t first =
		partition_point(0, COUNT_OF(rows), i,
				rows[i].map < encoding->map || (rows[i].map == encoding->map &&
								rows[i].last < encoding->opcode));

	for (size_t i = first; i < COUNT_OF(rows); i++) {
		const struct evex_row *row = &rows[i];

		/* no row covers more than five opcodes */
		if (row->map != encoding->map || row->last > encoding->opcode + 5)
			return NULL;
		if (row->first <= encoding->opcode && (row->prefixes & prefix))
			return row;
	}
	return NULL;
}

/* ---- from a row to an instruction */

/* Returns 16, 32 or 64 bytes. With rounding control vectors have 64, whatever the length's bits. */
static uint8_t vector_length(const struct encoding *encoding)
{
	if (encoding->broadcast && !encoding->has_memory)
		return 64;
	return encoding->length_bits > 2 ? 64 : 16 << encoding->length_bits;
}

static uint8_t memory_size(const struct encoding *encoding, const struct evex_row *row)
{
	uint8_t length = vector_length(encoding);
	uint8_t element = row->flags & EVEX_HALF_PRECISION ? 2 : encoding->wide ? 8 : 4;

	switch ((enum evex_tuple)row->tuple) {
	case TUPLE_FULL: return encoding->broadcast ? element : length;
	case TUPLE_FULL_MEM: return length;
	case TUPLE_HALF: return encoding->broadcast ? element : length / 2;
	case TUPLE_QUARTER: return encoding->broadcast ? element : length / 4;
	case TUPLE_EIGHTH: return length / 8;
	case TUPLE_DUP: return length == 16 ? 8 : length;
	case TUPLE_WIDE: return encoding->wide ? 8 : 4;
	case TUPLE_BYTES: return encoding->wide ? 2 : 1;
	case TUPLE_1: return 1;
	case TUPLE_2: return 2;
	case TUPLE_4: return 4;
	case TUPLE_8: return 8;
	case TUPLE_16: return 16;
	case TUPLE_32: return 32;
	case TUPLE_WIDER:
		return encoding->broadcast ? element : encoding->wide ? length : length / 2;
	}
	return 0;
}

static struct operand *add_operand(struct insn *insn)
{
	struct operand *operand = &insn->operands[insn->operand_count++];

	*operand = (struct operand){ .reg = REG_NONE, .base = REG_NONE, .index = REG_NONE };
	return operand;
}

static void add_register(struct insn *insn, uint8_t reg, uint8_t size, bool read, bool write)
{
	struct operand *operand = add_operand(insn);

	/* a general register that is not tracked (r16 to r31) is left out */
	if (reg == REG_NONE)
		return;
	operand->kind = OPERAND_REGISTER;
	operand->reg = reg;
	operand->size = size;
	operand->read = read;
	operand->write = write;
}

static void add_memory(const struct encoding *encoding, const struct evex_row *row,
		       struct insn *insn, bool write)
{
	struct operand *operand = add_operand(insn);
	struct encoding scaled = *encoding;
	uint8_t size = memory_size(encoding, row);

	if (scaled.displacement_scaled) {
		scaled.displacement *= size;
		scaled.displacement_scaled = false;
	}
	if (row->flags & EVEX_GATHER)
		scaled.index = ENCODING_NONE;
	memory_operand(&scaled, insn, operand);
	if (row->flags & EVEX_GATHER)
		operand->index = vector_register(encoding->vector_index);
	operand->size = row->flags & EVEX_PACKED ? vector_length(encoding) : size;
	operand->read = !write && !(row->flags & EVEX_NOP);
	operand->write = write;
}

/* Adds the operand of ModRM's rm: memory, or a register of the row's kind. */
static void add_rm(const struct encoding *encoding, const struct evex_row *row, struct insn *insn,
		   uint8_t size, bool write)
{
	if (encoding->has_memory)
		add_memory(encoding, row, insn, write);
	else if (row->flags & EVEX_RM_MASK)
		add_operand(insn);
	else if (row->flags & EVEX_RM_GENERAL)
		/* extracting a byte or a word zero-extends it */
		add_register(insn, general_register(encoding->rm), encoding->wide ? 8 : 4, !write,
			     write);
	else
		add_register(insn, vector_register(encoding->rm), size, !write || encoding->mask,
			     write);
}

static void add_destination(const struct encoding *encoding, const struct evex_row *row,
			    struct insn *insn, uint8_t size)
{
	bool merges = encoding->mask || (row->flags & EVEX_ACCUMULATE);

	if (row->flags & EVEX_STORE)
		add_rm(encoding, row, insn, size, true);
	else if (row->flags & EVEX_MASK)
		add_operand(insn);
	else if (row->flags & EVEX_GENERAL)
		add_register(insn, general_register(encoding->reg), encoding->wide ? 8 : 4, false,
			     true);
	else if (row->flags & EVEX_SHIFT)
		add_register(insn, vector_register(encoding->vvvv), size, merges, true);
	else if (!(row->flags & EVEX_COMPARE))
		add_register(insn, vector_register(encoding->reg), size, merges, true);
}

static void add_sources(const struct encoding *encoding, const struct evex_row *row,
			struct insn *insn, uint8_t size)
{
	bool first_in_reg = row->flags & (EVEX_STORE | EVEX_COMPARE);

	if (row->flags & EVEX_NOP) {
		add_rm(encoding, row, insn, size, false);
		return;
	}
	if (first_in_reg)
		add_register(insn, vector_register(encoding->reg), size, true, false);
	else if (!(row->flags & EVEX_UNARY))
		add_register(insn, vector_register(encoding->vvvv), size, true, false);
	if (!(row->flags & EVEX_STORE))
		add_rm(encoding, row, insn, size, false);
	if (encoding->immediate_size && insn->operand_count < INSN_OPERANDS) {
		struct operand *operand = add_operand(insn);

		operand->kind = OPERAND_IMMEDIATE;
		operand->size = 1;
		operand->read = true;
		operand->value = encoding->immediate;
	}
}

/* Decodes movss and movsd: {d, s, t} of registers, t the low one; {d, memory}, {memory, s}. */
static void decode_scalar_move(const struct encoding *encoding, const struct evex_row *row,
			       struct insn *insn)
{
	bool store = row->flags & EVEX_STORE;

	if (!encoding->has_memory) {
		/* the store form names the same three registers the other way round */
		uint8_t destination = store ? encoding->rm : encoding->reg;
		uint8_t source = store ? encoding->reg : encoding->rm;

		add_register(insn, vector_register(destination), 16, encoding->mask, true);
		add_register(insn, vector_register(encoding->vvvv), 16, true, false);
		add_register(insn, vector_register(source), memory_size(encoding, row), true,
			     false);
		return;
	}
	if (store) {
		add_memory(encoding, row, insn, true);
		add_register(insn, vector_register(encoding->reg), memory_size(encoding, row), true,
			     false);
	} else {
		add_register(insn, vector_register(encoding->reg), 16, encoding->mask, true);
		add_memory(encoding, row, insn, false);
	}
	if (!encoding->mask)
		insn->operation = store ? OP_MOVE : OP_MOVE_ZERO;
}

/* Sets the operation of plain moves, and of the few others that have an enum operation. */
static void evex_set_operation(const struct encoding *encoding, const struct evex_row *row,
			       struct insn *insn)
{
	struct operand *operands = insn->operands;

	if (row->flags & EVEX_NOP)
		insn->operation = OP_NOP;
	for (unsigned int i = 0; i < insn->operand_count; i++)
		if (operands[i].kind == OPERAND_NONE)
			return;
	if (encoding->mask || encoding->broadcast)
		return;
	if (row->flags & (EVEX_MOVE | EVEX_MOVE_ZERO)) {
		insn->operation = row->flags & EVEX_MOVE ? OP_MOVE : OP_MOVE_ZERO;
		/* the part that is moved, where it is not the whole vector */
		if (row->tuple != TUPLE_FULL_MEM && operand_is_vector(&operands[1]))
			operands[1].size = memory_size(encoding, row);
	} else if (row->flags & EVEX_HIGH) {
		insn->operation = row->flags & EVEX_STORE ? OP_STORE_HIGH
				  : encoding->has_memory  ? OP_VECTOR_HIGH
							  : OP_VECTOR_UNPACK; /* movlhps */
	} else if ((row->flags & EVEX_UNPACK) && vector_length(encoding) == 16) {
		insn->operation = OP_VECTOR_UNPACK;
	} else if ((row->flags & EVEX_XOR) && operand_is_vector(&operands[2]) &&
		   operands[1].reg == operands[2].reg) {
		insn->operation = OP_ZERO;
		insn->operand_count = 1;
	}
}

static bool decode_by_row(const struct encoding *encoding, const struct evex_row *row,
			  struct insn *insn)
{
	struct evex_row adjusted;

	if (!row)
		return false;
	/* shifts of the whole vector by bytes have no elements: group 14 /3 and /7 */
	if (encoding->map == MAP_0F && encoding->opcode == 0x73 && (encoding->reg & 3) == 3) {
		adjusted = *row;
		adjusted.tuple = TUPLE_FULL_MEM;
		row = &adjusted;
	}
	insn->operation = OP_OTHER;
	if (row->flags & EVEX_SCALAR) {
		decode_scalar_move(encoding, row, insn);
	} else {
		add_destination(encoding, row, insn, vector_length(encoding));
		add_sources(encoding, row, insn, vector_length(encoding));
		evex_set_operation(encoding, row, insn);
	}
	if (row->flags & EVEX_COMPARE)
		insn->flags |= FLAG_WRITES_FLAGS;
	insn_add_operands(insn);
	return true;
}

bool evex_decode(const struct encoding *encoding, struct insn *insn)
{
	return encoding->kind == ENCODING_EVEX &&
	       decode_by_row(encoding, evex_find(encoding), insn);
}

/* Opcodes that capstone 4 lacks, whose VEX form is the EVEX form without masks, and shorter. */
static const struct {
	uint8_t map;
	uint8_t first;
	uint8_t last;
} newer_vex[] = {
	{ MAP_0F38, 0x50, 0x53 }, /* vpdpbusd ... vpdpwssds, vpdpbssd ... */
	{ MAP_0F38, 0x5a, 0x5a }, /* vbroadcasti128 */
	{ MAP_0F38, 0xb4, 0xb5 }, /* vpmadd52luq, vpmadd52huq */
	{ MAP_0F38, 0xcf, 0xcf }, /* vgf2p8mulb */
	{ MAP_0F38, 0xd2, 0xd3 }, /* vpdpwsud ... */
	{ MAP_0F38, 0xdc, 0xdf }, /* vaesenc ... vaesdeclast */
	{ MAP_0F3A, 0x44, 0x44 }, /* vpclmulqdq */
	{ MAP_0F3A, 0xce, 0xcf }, /* vgf2p8affineqb, vgf2p8affineinvqb */
};

bool newer_vex_decode(const struct encoding *encoding, struct insn *insn)
{
	if (encoding->kind != ENCODING_VEX)
		return false;
	for (size_t i = 0; i < COUNT_OF(newer_vex); i++)
		if (encoding->map == newer_vex[i].map && encoding->opcode >= newer_vex[i].first &&
		    encoding->opcode <= newer_vex[i].last)
			return decode_by_row(encoding, evex_find(encoding), insn);
	return false;
}
