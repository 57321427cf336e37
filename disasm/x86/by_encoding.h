/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decoders that need the encoding alone, beside those of EVEX (evex.h): the steps that decode.c tries before
 * and after capstone. Each fills *insn, of which address, length and flags are set.
 */
#ifndef DTPROF_DISASM_X86_BY_ENCODING_H
#define DTPROF_DISASM_X86_BY_ENCODING_H

#include <stdbool.h>

#include "disasm/insn.h"
#include "disasm/x86/encoding.h"

/*
 * The commonest general instructions by a table of opcodes: moves, arithmetic, compares, branches, calls and
 * the stack. They are more than nine tenths of what compilers write, and this takes a small part of the time
 * that capstone needs, which formats text as well (design.md has figures). It also decodes REX2 (APX), which
 * capstone does not know. tests/disasm/test_fast.c holds it against capstone.
 *
 * Returns false if it is not one of these instructions, and then *insn may have been changed. None of them
 * takes time of its own.
 */
bool fast_decode(const struct encoding *encoding, struct insn *insn);

/*
 * Instructions that the installed capstone may not know, or takes for older ones: capstone 4 is from 2020.
 * Returns false if it is not one of these instructions.
 */
bool newer_decode(const struct encoding *encoding, struct insn *insn);

/*
 * The form alone. `encoding` is NULL if the bytes have none either: then the length is 1. `written` has every
 * register that an instruction of this form could write: new instructions of VEX and EVEX write the registers
 * that they name, in all maps that are in use; others might write any.
 */
void unknown_decode(const struct encoding *encoding, struct insn *insn);

/* Returns the reason why an instruction of this form takes time of its own, or OWN_TIME_NONE. */
enum own_time own_time_of(const struct encoding *encoding);

#endif
