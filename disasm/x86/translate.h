/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From capstone's details to a struct insn: which operation an instruction number is, what its
 * operands access, and what it does to registers that it does not name.
 *
 * capstone's lists of operands are right; its access flags, sizes and implicit registers are not
 * always. The table in corrections.c says what the manual has in those cases, so that the result
 * does not depend on capstone's version (4 and 5 are known to agree then).
 */
#ifndef DTPROF_DISASM_X86_TRANSLATE_H
#define DTPROF_DISASM_X86_TRANSLATE_H

#include <stdbool.h>
#include <stdint.h>

#include <capstone/capstone.h>

#include "disasm/insn.h"
#include "disasm/x86/encoding.h"

#define CORRECTIONS_AN_ID 4

/* By instruction: the numbers of its rows + 1, ended by 0. */
struct correction_index {
	uint8_t rows[X86_INS_ENDING][CORRECTIONS_AN_ID];
};

void correction_index_init(struct correction_index *index);

/* Corrects what capstone says of the instruction `id` (X86_INS_*). */
void corrections_apply(const struct correction_index *index, unsigned int id,
		       const struct encoding *encoding, struct insn *insn);

/* Fills *insn, whose address is set. `encoding` is the form of the same bytes. If they have no
 * known form, its length is 0, and it has the fields that were parsed before this was clear. */
void translate(const cs_insn *source, const struct encoding *encoding,
	       const struct correction_index *index, struct insn *insn);

#endif
