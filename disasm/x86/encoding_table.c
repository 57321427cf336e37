// SPDX-License-Identifier: GPL-2.0-or-later
/* What follows each opcode: see encoding_table.h. */
#include "disasm/x86/encoding_table.h"

#define M  FIELD_MODRM
#define B  FIELD_BYTE
#define Z  FIELD_FULL
#define W  FIELD_WORD
#define V  FIELD_WIDE
#define A  FIELD_ADDRESS
#define R  FIELD_RELATIVE
#define X  FIELD_INVALID
#define MB (M | B)
#define MZ (M | Z)
#define MW (M | W)

/* SDM vol. 2, table A-2. */
const uint8_t encoding_primary[256] = {
	/*        0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f */
	/* 0 */ M,  M,  M, M,  B, Z, X,  X,  M,     M,  M, M,  B, Z, X, X,
	/* 1 */ M,  M,  M, M,  B, Z, X,  X,  M,     M,  M, M,  B, Z, X, X,
	/* 2 */ M,  M,  M, M,  B, Z, X,  X,  M,     M,  M, M,  B, Z, X, X,
	/* 3 */ M,  M,  M, M,  B, Z, X,  X,  M,     M,  M, M,  B, Z, X, X,
	/* 4 */ X,  X,  X, X,  X, X, X,  X,  X,     X,  X, X,  X, X, X, X,
	/* 5 */ 0,  0,  0, 0,  0, 0, 0,  0,  0,     0,  0, 0,  0, 0, 0, 0,
	/* 6 */ X,  X,  X, M,  X, X, X,  X,  Z,     MZ, B, MB, 0, 0, 0, 0,
	/* 7 */ B,  B,  B, B,  B, B, B,  B,  B,     B,  B, B,  B, B, B, B,
	/* 8 */ MB, MZ, X, MB, M, M, M,  M,  M,     M,  M, M,  M, M, M, M,
	/* 9 */ 0,  0,  0, 0,  0, 0, 0,  0,  0,     0,  X, 0,  0, 0, 0, 0,
	/* a */ A,  A,  A, A,  0, 0, 0,  0,  B,     Z,  0, 0,  0, 0, 0, 0,
	/* b */ B,  B,  B, B,  B, B, B,  B,  V,     V,  V, V,  V, V, V, V,
	/* c */ MB, MB, W, 0,  X, X, MB, MZ, W | B, 0,  W, 0,  0, B, X, 0,
	/* d */ M,  M,  M, M,  X, X, X,  0,  M,     M,  M, M,  M, M, M, M,
	/* e */ B,  B,  B, B,  B, B, B,  B,  R,     R,  X, B,  0, 0, 0, 0,
	/* f */ X,  0,  X, X,  0, 0, MB, MZ, 0,     0,  0, 0,  0, 0, M, M,
};

/* SDM vol. 2, table A-3. */
const uint8_t encoding_map_0f[256] = {
	/*        0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f */
	/* 0 */ M,  M,  M,  M,  X,  0,  0,  0, 0,  0, X,  0, X,  M, 0, MB,
	/* 1 */ M,  M,  M,  M,  M,  M,  M,  M, M,  M, M,  M, M,  M, M, M,
	/* 2 */ M,  M,  M,  M,  X,  X,  X,  X, M,  M, M,  M, M,  M, M, M,
	/* 3 */ 0,  0,  0,  0,  0,  0,  X,  0, X,  X, X,  X, X,  X, X, X,
	/* 4 */ M,  M,  M,  M,  M,  M,  M,  M, M,  M, M,  M, M,  M, M, M,
	/* 5 */ M,  M,  M,  M,  M,  M,  M,  M, M,  M, M,  M, M,  M, M, M,
	/* 6 */ M,  M,  M,  M,  M,  M,  M,  M, M,  M, M,  M, M,  M, M, M,
	/* 7 */ MB, MB, MB, MB, M,  M,  M,  0, MW, M, X,  X, M,  M, M, M,
	/* 8 */ R,  R,  R,  R,  R,  R,  R,  R, R,  R, R,  R, R,  R, R, R,
	/* 9 */ M,  M,  M,  M,  M,  M,  M,  M, M,  M, M,  M, M,  M, M, M,
	/* a */ 0,  0,  0,  M,  MB, M,  X,  X, 0,  0, 0,  M, MB, M, M, M,
	/* b */ M,  M,  M,  M,  M,  M,  M,  M, M,  M, MB, M, M,  M, M, M,
	/* c */ M,  M,  MB, M,  MB, MB, MB, M, 0,  0, 0,  0, 0,  0, 0, 0,
	/* d */ M,  M,  M,  M,  M,  M,  M,  M, M,  M, M,  M, M,  M, M, M,
	/* e */ M,  M,  M,  M,  M,  M,  M,  M, M,  M, M,  M, M,  M, M, M,
	/* f */ M,  M,  M,  M,  M,  M,  M,  M, M,  M, M,  M, M,  M, M, M,
};
