/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers of x86-64, numbered as DWARF numbers them (System V psABI x86-64, figure 3.36), so
 * that locations of debug information and operands of instructions have the same numbers; only the
 * upper vector registers have lower numbers here. Only the tables of x86-64
 * (base/arch/x86_64.c, disasm/x86/, annotate/facts/x86.c) and tests use this header. All other code
 * uses struct arch.
 *
 * The names REG_R8 and so on are also those of <sys/ucontext.h>, which <signal.h> includes with
 * _GNU_SOURCE: a file cannot include both.
 */
#pragma once

#include "base/arch/arch.h"

enum {
	REG_RAX,
	REG_RDX,
	REG_RCX,
	REG_RBX,
	REG_RSI,
	REG_RDI,
	REG_RBP,
	REG_RSP,
	REG_R8,
	REG_R9,
	REG_R10,
	REG_R11,
	REG_R12,
	REG_R13,
	REG_R14,
	REG_R15,
	REG_RIP = REG_PC,
	REG_XMM0 = REG_VECTOR,
	REG_XMM15 = REG_XMM0 + 15,
	REG_XMM31 = REG_XMM0 + 31,
};

_Static_assert((int)REG_XMM31 == (int)REG_COUNT - 1, "the numbers of arch.h");

#define X86_GENERAL (REG_BIT(REG_R15 + 1) - 1)

#define RAX REG_BIT(REG_RAX)
#define RBX REG_BIT(REG_RBX)
#define RCX REG_BIT(REG_RCX)
#define RDX REG_BIT(REG_RDX)
#define RSI REG_BIT(REG_RSI)
#define RDI REG_BIT(REG_RDI)

enum { SEGMENT_FS = 1, SEGMENT_GS };
