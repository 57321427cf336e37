// SPDX-License-Identifier: GPL-2.0-or-later
/* Questions about a decoded instruction: see insn.h. */
#include "disasm/insn.h"

#include <stddef.h>

/* Returns true for the stack slot that push, pop, call and return move a value through. */
static bool is_stack_slot(const struct insn *insn, unsigned int operand)
{
	switch (insn->operation) {
	case OP_PUSH:
	case OP_RETURN: return operand == 0;
	case OP_POP:
	case OP_LEAVE:
	case OP_CALL: return operand == 1;
	default: return false;
	}
}

/* How well a memory operand answers; 0: it is not accessed. */
static unsigned int rank(const struct operand *operand, bool stack_slot, bool store)
{
	bool wanted = store ? operand->write : operand->read;

	if (!operand->read && !operand->write)
		return 0;
	/* push and call with an operand in memory read that and write the stack */
	if (stack_slot)
		return !wanted ? 1 : store ? 3 : 2;
	return wanted ? 4 : store ? 2 : 3;
}

const struct operand *insn_memory(const struct insn *insn, bool store)
{
	const struct operand *best = NULL;
	unsigned int best_rank = 0;

	for (unsigned int i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind != OPERAND_MEMORY)
			continue;

		unsigned int found = rank(operand, is_stack_slot(insn, i), store);

		if (found > best_rank) {
			best_rank = found;
			best = operand;
		}
	}
	return best;
}

bool insn_direct_target(const struct insn *insn, uint64_t *target)
{
	if (!insn->operand_count || insn->operands[0].kind != OPERAND_IMMEDIATE ||
	    (insn->operation != OP_JUMP && insn->operation != OP_BRANCH && insn->operation != OP_CALL))
		return false;
	*target = (uint64_t)insn->operands[0].value;
	return true;
}

const char *operation_name(enum operation operation)
{
	static const char *const names[] = {
		[OP_OTHER] = "other",
		[OP_NOP] = "nop",
		[OP_MOVE] = "mov",
		[OP_MOVE_ZERO] = "movz",
		[OP_MOVE_SIGN] = "movs",
		[OP_LEA] = "lea",
		[OP_ADD] = "add",
		[OP_SUB] = "sub",
		[OP_AND] = "and",
		[OP_OR] = "or",
		[OP_XOR] = "xor",
		[OP_ZERO] = "zero",
		[OP_SHIFT_LEFT] = "shl",
		[OP_SHIFT_RIGHT] = "shr",
		[OP_SHIFT_ARITHMETIC] = "sar",
		[OP_MULTIPLY] = "imul",
		[OP_NEGATE] = "neg",
		[OP_COMPLEMENT] = "not",
		[OP_COMPARE] = "cmp",
		[OP_TEST] = "test",
		[OP_CONDITIONAL] = "cmov",
		[OP_SET_CONDITION] = "set",
		[OP_EXCHANGE] = "xchg",
		[OP_EXCHANGE_ADD] = "xadd",
		[OP_COMPARE_EXCHANGE] = "cmpxchg",
		[OP_PUSH] = "push",
		[OP_POP] = "pop",
		[OP_LEAVE] = "leave",
		[OP_CALL] = "call",
		[OP_RETURN] = "ret",
		[OP_JUMP] = "jmp",
		[OP_BRANCH] = "jcc",
		[OP_MOVE_STRING] = "movs",
		[OP_STORE_STRING] = "stos",
		[OP_LOAD_STRING] = "lods",
		[OP_COMPARE_STRING] = "cmps",
		[OP_SCAN_STRING] = "scas",
		[OP_VECTOR_HIGH] = "movh",
		[OP_VECTOR_UNPACK] = "punpcklqdq",
		[OP_STORE_HIGH] = "movh",
		[OP_TRAP] = "trap",
		[OP_SYSTEM_CALL] = "syscall",
	};

	return (size_t)operation < sizeof(names) / sizeof(*names) ? names[operation] : "other";
}

/* ---- register names and DWARF numbers (System V psABI x86-64, figure 3.36) */

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
