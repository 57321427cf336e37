/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From capstone's details to a struct insn: which operation an instruction number is, what its
 * operands access, and what it does to registers that it does not name.
 *
 * capstone's lists of operands are right; its access flags, sizes and implicit registers are
 * corrected (disasm/x86/corrections.h).
 */
#ifndef DTPROF_DISASM_X86_TRANSLATE_H
#define DTPROF_DISASM_X86_TRANSLATE_H

#include <stdbool.h>
#include <stdint.h>

#include <capstone/capstone.h>

#include "disasm/insn.h"
#include "disasm/x86/encoding.h"

struct correction_index;

/* Fills *insn, whose address is set. `encoding` is the form of the same bytes. If they have no
 * known form, its length is 0, and it has what was parsed before that was found out. */
void translate(const cs_insn *source, const struct encoding *encoding,
	       const struct correction_index *index, struct insn *insn);

#endif
