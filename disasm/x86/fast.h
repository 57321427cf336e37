/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commonest general instructions straight from their encoding, by a table of opcodes: moves, arithmetic,
 * compares, branches, calls and the stack. They are more than nine tenths of what compilers write, and this
 * takes a small part of the time that capstone needs, which formats text as well (design.md has figures).
 * tests/disasm/test_fast.c holds it against capstone.
 *
 * It is also what decodes REX2 (APX), which capstone does not know.
 */
#ifndef DTPROF_DISASM_X86_FAST_H
#define DTPROF_DISASM_X86_FAST_H

#include <stdbool.h>

#include "disasm/insn.h"
#include "disasm/x86/encoding.h"

/*
 * Fill *insn, of which address, length and flags are set; false if it is not one of these instructions, and
 * then *insn may have been changed. None of them takes time of its own.
 */
bool fast_decode(const struct encoding *encoding, struct insn *insn);

#endif
