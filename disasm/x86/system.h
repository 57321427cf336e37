/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System instructions (opcode groups 7, 9 and 15 and their newer neighbours) and x87, from their encoding:
 * capstone 4 does not know half of the former and has wrong sizes for both.
 */
#ifndef DTPROF_DISASM_SYSTEM_H
#define DTPROF_DISASM_SYSTEM_H

#include <stdbool.h>

#include "disasm/x86/encoding.h"
#include "disasm/insn.h"

/* Fill *insn, of which address, length and flags are set; false if it is not one of these instructions. */
bool system_decode(const struct encoding *encoding, struct insn *insn);
bool x87_decode(const struct encoding *encoding, struct insn *insn);

#endif
