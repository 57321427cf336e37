/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What follows the opcodes of the two oldest maps. Private to encoding.c. */
#ifndef DTPROF_DISASM_ENCODING_TABLE_H
#define DTPROF_DISASM_ENCODING_TABLE_H

#include <stdint.h>

/* What follows an opcode. */
enum field {
	FIELD_NONE = 0,
	FIELD_MODRM = 1,
	FIELD_BYTE = 2,      /* an immediate byte */
	FIELD_FULL = 4,      /* an immediate of 2 or 4 bytes, as the operand size has it */
	FIELD_WORD = 8,      /* two bytes */
	FIELD_WIDE = 16,     /* 2, 4 or 8 bytes (mov r64, imm64) */
	FIELD_ADDRESS = 32,  /* a whole address (A0 to A3) */
	FIELD_RELATIVE = 64, /* four bytes whatever the prefixes say: near branches */
	FIELD_INVALID = 128,
};

/* By opcode; those of prefixes and escapes mean nothing. Immediates that only some of a group have are there
 * for all of it. */
extern const uint8_t encoding_primary[256];
extern const uint8_t encoding_map_0f[256];

#endif
