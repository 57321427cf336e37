// SPDX-License-Identifier: GPL-2.0-or-later
/* Register names and DWARF numbers (System V psABI x86-64, figure 3.36): see insn.h. */
#include "disasm/insn.h"

uint8_t reg_from_dwarf(unsigned int number)
{
	if (number <= REG_XMM15)
		return number;
	/* xmm16 to xmm31 have numbers of their own, after the mask registers' neighbours */
	if (number >= 67 && number <= 82)
		return REG_XMM15 + 1 + (number - 67);
	return REG_NONE;
}

const char *reg_name(uint8_t reg)
{
	static const char *const names[REG_COUNT] = {
		"rax",   "rdx",   "rcx",   "rbx",   "rsi",   "rdi",   "rbp",   "rsp",   "r8",    "r9",
		"r10",   "r11",   "r12",   "r13",   "r14",   "r15",   "rip",   "xmm0",  "xmm1",  "xmm2",
		"xmm3",  "xmm4",  "xmm5",  "xmm6",  "xmm7",  "xmm8",  "xmm9",  "xmm10", "xmm11", "xmm12",
		"xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22",
		"xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31",
	};

	return reg < REG_COUNT ? names[reg] : "none";
}
