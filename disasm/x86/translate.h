/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From capstone's details to a struct insn: which operation an instruction number is, what its operands
 * access, and what it does to registers that it does not name.
 *
 * capstone's lists of operands are right; its access flags, sizes and implicit registers are not always.
 * corrections[] says what the manual has in those cases, so that the result does not depend on capstone's
 * version (4 and 5 are known to agree then).
 */
#ifndef DTPROF_DISASM_X86_TRANSLATE_H
#define DTPROF_DISASM_X86_TRANSLATE_H

#include <stdbool.h>
#include <stdint.h>

#include <capstone/capstone.h>

#include "disasm/insn.h"
#include "disasm/x86/encoding.h"

/* The changes that an instruction needs beyond its operation and its operands. */
enum insn_shape {
	SHAPE_PLAIN,
	SHAPE_DIFFERENCE, /* zero if both operands are the same register (xor, sub) */
	SHAPE_LEA,
	SHAPE_STEP,     /* inc, dec: a constant 1 is the second operand */
	SHAPE_SHIFT,    /* the same where no count is named */
	SHAPE_MULTIPLY, /* imul */
	SHAPE_CONDITION,
	SHAPE_EXTEND,   /* cbw, cwde, cdqe: the accumulator, of half the size */
	SHAPE_EXCHANGE, /* xchg of the accumulator: it is the second operand, whatever the version says */
	SHAPE_SIGN,     /* movsx: the source may not be wider than the destination */
	SHAPE_BIT,      /* bt: the second operand is the number of a bit */
	SHAPE_BARE,     /* operands are no operands of ours */
	SHAPE_NOP,      /* operands mean nothing */
	SHAPE_HINT,     /* memory is named and not accessed */
	SHAPE_PUSH,
	SHAPE_POP,
	SHAPE_LEAVE,
	SHAPE_ENTER,
	SHAPE_CALL,
	SHAPE_RETURN,
	SHAPE_TARGET, /* jumps; a register or memory is read whatever it is */
	SHAPE_BRANCH, /* conditional jumps */
	SHAPE_STRING,
	SHAPE_MASKED_STORE,
	SHAPE_MOVE_WORD,     /* movd, movq: zero-extends into a vector register */
	SHAPE_MOVE_SCALAR_4, /* movss: zero-extends from memory, else replaces the low part */
	SHAPE_MOVE_SCALAR_8, /* movsd */
	SHAPE_MOVE_LOW,      /* movlps: the low 8 bytes */
	SHAPE_MOVE_HIGH,     /* movhps: the high 8 bytes */
	SHAPE_UNPACK,        /* punpcklqdq: low halves side by side */
	SHAPE_DUPLICATE,     /* movddup: the low half twice */
	SHAPE_XOR,           /* zero if both sources are the same vector register */
	SHAPE_INSERT,        /* pinsrq: one of two halves, by the immediate */
	SHAPE_EXTRACT,       /* pextrq */
};

struct meaning {
	uint8_t operation; /* enum operation */
	uint8_t shape;     /* enum insn_shape */
};

/* By X86_INS_*; what is not listed is OP_OTHER with its operands as they are. */
extern const struct meaning meanings[X86_INS_ENDING];

/* The forms of an instruction that a correction is for. */
enum operand_form {
	FORM_ANY,
	FORM_ONE,          /* one operand */
	FORM_MEMORY,       /* some operand is memory */
	FORM_REGISTER,     /* no operand is memory */
	FORM_STORE,        /* the first operand is memory */
	FORM_STORE_VECTOR, /* and the second a vector register (movsd is a string instruction, too) */
	FORM_UNTRACKED,    /* the first operand is a register that is not tracked */
};

#define SIZE_UNTOLD 0xff /* not fixed, or more than 255 bytes */
#define SIZE_FAR    0xfe /* a far pointer: the operand size and two bytes of selector */

enum destination { DESTINATION_AS_SAID, DESTINATION_OPERAND_SIZE };

/*
 * The manual's answer where some version of capstone has another. The two last members are for the reader.
 */
struct correction {
	const uint16_t *ids; /* X86_INS_*, X86_INS_INVALID behind them */
	uint8_t form;        /* enum operand_form */
	/* bytes; 0: as capstone says, or SIZE_* */
	uint8_t memory_size;
	uint8_t destination; /* enum destination */
	bool flags;          /* the flags are written */
	/* a letter an operand: r(ead), w(ritten), m(odified: both), n(either); those left out are as capstone
	   says */
	const char *access;
	/* registers that are not named: read, written, and not written */
	uint64_t read, written, kept;
	const char *capstone; /* what it says */
	const char *upstream; /* where that is known, or NULL */
};

extern const struct correction corrections[];
extern const unsigned int correction_count;

#define CORRECTIONS_AN_ID 4

/* The rows of each instruction: their number + 1, 0 behind the last. */
struct correction_index {
	uint8_t rows[X86_INS_ENDING][CORRECTIONS_AN_ID];
};

void correction_index_init(struct correction_index *index);

/* Fill *insn, of which the address is set. `encoding` is the form of the same bytes; its length is 0 if they
 * have none that is known, and then it holds what was found before that was seen. */
void translate(const cs_insn *source, const struct encoding *encoding, const struct correction_index *index,
	       struct insn *insn);

#endif
