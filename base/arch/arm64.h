/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers of arm64 (AArch64): x0 to x30 have their own numbers, and the stack pointer the one
 * after them, as in DWARF. The zero register is no register here: instructions have the constant 0
 * in its place. Only the tables of arm64 (base/arch/arm64.c, disasm/arm64/, annotate/facts/arm64.c)
 * and tests use this header. All other code uses struct arch.
 */
#pragma once

#include "base/arch/arch.h"

enum {
	REG_X0,
	REG_X8 = REG_X0 + 8,
	REG_X16 = REG_X0 + 16,
	REG_X17,
	REG_X18,
	REG_X19,
	REG_X28 = REG_X0 + 28,
	REG_X29,
	REG_X30,
	REG_SP,
	REG_V0 = REG_VECTOR,
	REG_V31 = REG_V0 + 31,
};

_Static_assert((int)REG_SP + 1 == (int)REG_GENERAL_COUNT && (int)REG_V31 + 1 == (int)REG_COUNT,
	       "all numbers of arch.h are taken");

#define X_BITS(first, last) ((REG_BIT((last) + 1) - 1) & ~(REG_BIT(first) - 1))

enum { SEGMENT_TPIDR = 1 };
