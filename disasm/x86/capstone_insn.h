/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An instruction as capstone tells it, turned into a struct insn: SSE but for its moves, AVX and
 * what else has no table of ours.
 *
 * capstone 4 has wrong or missing access and size information for many of them; capstone_rules[] has the
 * corrections, each checked against the Intel SDM, so that the result does not depend on capstone's version.
 */
#ifndef DTPROF_DISASM_CAPSTONE_INSN_H
#define DTPROF_DISASM_CAPSTONE_INSN_H

#include <stdint.h>

#include <capstone/capstone.h>

#include "disasm/x86/encoding.h"
#include "disasm/insn.h"

/* How operands become an operation; all are OP_OTHER if a mask register merges, or an operand is not tracked.
 */
enum rule {
	RULE_OTHER,
	RULE_MOVE,        /* whole registers */
	RULE_MOVE_WORD,   /* movd, movq: zero-extends into a vector register */
	RULE_MOVE_SCALAR, /* movss, movsd: zero-extends from memory, else replaces the low part */
	RULE_MOVE_LOW,    /* movlps: the low 8 bytes */
	RULE_MOVE_HIGH,   /* movhps: the high 8 bytes */
	RULE_UNPACK,      /* punpcklqdq: low halves side by side */
	RULE_DUPLICATE,   /* movddup: the low half twice */
	RULE_XOR,         /* zero if both sources are the same register */
	RULE_INSERT,      /* pinsrq: one of two halves, by the immediate */
	RULE_EXTRACT,     /* pextrq */
};

enum effect {
	EFFECT_NO_DESTINATION = 1,  /* operands[0] is only read: compares and tests */
	EFFECT_MODIFY = 2,          /* operands[0] is read and written */
	EFFECT_STORE = 4,           /* operands[0], the only one, is memory that is written */
	EFFECT_ALL_VECTORS = 8,     /* all vector registers are written (vzeroupper) */
	EFFECT_CLEARS_MASK = 16,    /* operands[2] is written, too (gathers) */
	EFFECT_IMPLICIT_STORE = 32, /* 16 or 8 bytes at rdi are written (maskmovdqu) */
};

struct capstone_rule {
	uint8_t rule;        /* enum rule */
	uint8_t effects;     /* enum effect */
	uint8_t memory_size; /* bytes; 0: as capstone says */
	uint64_t read;       /* registers that are not named */
	uint64_t written;
};

/* By X86_INS_*; what is not listed is all 0. */
extern const struct capstone_rule capstone_rules[X86_INS_ENDING];

/* Fill *insn, of which address and length are set, from `detail`, the instruction whose form is `encoding`.
 */
void capstone_insn_convert(const cs_insn *source, const struct encoding *encoding, struct insn *insn);

#endif
