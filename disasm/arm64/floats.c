// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads and stores of floating-point numbers.
 *
 * A load of a vector register does not say if it loads a number: compilers copy anything through
 * these registers. The instructions around it show it: a computation that uses the register first,
 * or that made its value, or a call that passes it (AAPCS64 6.8.2 passes only such values in v0 to
 * v7, and returns them in v0).
 */
#include "disasm/arm64/parts.h"
#include "disasm/cfg.h"

/* The most instructions between an access and what shows its kind. */
#define DISTANCE_MAX 64
#define PASSED_MASK  (REG_BIT(REG_V0 + 8) - REG_BIT(REG_V0))

static bool leaves(const struct insn *insn)
{
	return insn->operation == OP_JUMP || insn->operation == OP_RETURN ||
	       insn->operation == OP_TRAP;
}

/* True if the value that the instruction puts into the register is used as a number first. */
static bool is_used(const struct cfg *code, size_t load, uint64_t reg)
{
	for (size_t i = load + 1; i < code->insn_count && i < load + DISTANCE_MAX; i++) {
		const struct insn *insn = &code->insns[i];

		if (insn->read & reg)
			return insn->flags & FLAG_FLOAT;
		if (insn->operation == OP_CALL)
			return reg & PASSED_MASK;
		if (insn->written & reg || leaves(insn))
			break;
	}
	return false;
}

/* True if the value that the instruction stores is a number. */
static bool is_computed(const struct cfg *code, size_t store, uint64_t reg)
{
	for (size_t i = store; i-- > 0 && i + DISTANCE_MAX > store;) {
		const struct insn *insn = &code->insns[i];

		if (insn->written & reg)
			return insn->flags & FLAG_FLOAT;
		if (insn->operation == OP_CALL)
			return reg == REG_BIT(REG_V0);
		if (leaves(insn))
			return false;
	}
	/* an argument */
	return store < DISTANCE_MAX && reg & PASSED_MASK;
}

void mark_floats(struct cfg *code)
{
	for (size_t i = 0; i < code->insn_count; i++) {
		struct insn *insn = &code->insns[i];
		const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
		bool loads = from->kind == OPERAND_MEMORY && reg_is_vector(to->reg);
		bool stores = to->kind == OPERAND_MEMORY && reg_is_vector(from->reg);

		if (insn->operand_count != 2 ||
		    (insn->operation != OP_MOVE && insn->operation != OP_MOVE_ZERO))
			continue;
		if ((loads && to->kind == OPERAND_REGISTER && from->size <= 8 &&
		     is_used(code, i, insn->written)) ||
		    (stores && from->kind == OPERAND_REGISTER && to->size <= 8 &&
		     is_computed(code, i, REG_BIT(from->reg))))
			insn->flags |= FLAG_FLOAT;
	}
}
