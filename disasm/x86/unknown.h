/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that no table knows: what can be told from their form alone. */
#ifndef DTPROF_DISASM_UNKNOWN_H
#define DTPROF_DISASM_UNKNOWN_H

#include "disasm/x86/encoding.h"
#include "disasm/insn.h"

/*
 * Fill *insn, of which address is set. `encoding` is NULL if the bytes have no form either: then the length
 * is 1. `written` has every register that an instruction of this form could write: new instructions of VEX
 * and EVEX write the registers that they name, in all maps that are in use; others might write any.
 */
void unknown_decode(const struct encoding *encoding, struct insn *insn);

#endif
