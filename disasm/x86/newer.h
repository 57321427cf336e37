/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that the installed capstone may not know, or takes for older ones: capstone 4 is from 2020.
 * EVEX has its own table (evex.h); what no table knows is decoded from its form alone.
 */
#ifndef DTPROF_DISASM_X86_NEWER_H
#define DTPROF_DISASM_X86_NEWER_H

#include <stdbool.h>

#include "disasm/insn.h"
#include "disasm/x86/encoding.h"

/* Fill *insn, of which address, length and flags are set; false if it is not one of these instructions. */
bool newer_decode(const struct encoding *encoding, struct insn *insn);

/*
 * Fill *insn, of which address is set. `encoding` is NULL if the bytes have no form either: then the length
 * is 1. `written` has every register that an instruction of this form could write: new instructions of VEX
 * and EVEX write the registers that they name, in all maps that are in use; others might write any.
 */
void unknown_decode(const struct encoding *encoding, struct insn *insn);

#endif
