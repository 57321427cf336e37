// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads and stores of floating-point numbers, and loads of integers that become such.
 *
 * A load of a vector register does not say if it loads a number: compilers copy anything through
 * these registers. The instructions around it show it: the first use of the register is a
 * computation, or its value was computed, or a call passes it (AAPCS64 6.8.2 passes only such
 * values in v0 to v7, and returns them in v0). Where the register has another use, too, the value
 * is no argument or result: it is dead by then.
 */
#include "disasm/arm64/parts.h"
#include "base/memory.h"
#include "disasm/cfg.h"

/* The most instructions between a store and what made its value. */
#define DISTANCE_MAX   64
#define PASSED_MASK    (REG_BIT(REG_V0 + 8) - REG_BIT(REG_V0))
#define PRESERVED_MASK (REG_BIT(REG_V0 + 16) - REG_BIT(REG_V0 + 8))

static bool leaves(const struct insn *insn)
{
	return insn->operation == OP_JUMP || insn->operation == OP_RETURN ||
	       insn->operation == OP_TRAP;
}

/* The most blocks that are looked at after a load. */
#define BLOCKS_MAX 16

/* The first use of a register. */
enum first_use {
	USE_LATER, /* none yet */
	USE_NEVER,
	USE_PASSED, /* a call or a return may pass it */
	USE_COPIED, /* to memory or a general register */
	USE_FLOAT,
	USE_INTEGER, /* it is converted */
	USE_OTHER,   /* as bits */
};

/* True if the instruction copies a vector register into another one. */
static bool copies(const struct insn *insn)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

	return (insn->operation == OP_MOVE || insn->operation == OP_MOVE_ZERO) &&
	       insn->operand_count == 2 && operand_is_vector(to) && operand_is_vector(from);
}

/* Finds the first use of a register, or of a copy, by instructions from [first, end). */
static enum first_use find_use(const struct cfg *code, size_t first, size_t end, uint64_t reg)
{
	for (size_t i = first; i < end; i++) {
		const struct insn *insn = &code->insns[i];

		if (insn->read & reg && copies(insn)) {
			reg |= insn->written;
			continue;
		}
		if (insn->read & reg)
			return insn->flags & FLAG_FLOAT        ? USE_FLOAT
			       : insn->operation == OP_CONVERT ? USE_INTEGER
			       : insn->operation == OP_MOVE    ? USE_COPIED
							       : USE_OTHER;
		if (insn->operation == OP_CALL && reg & PASSED_MASK)
			return USE_PASSED;
		if (insn->operation == OP_RETURN && reg & REG_BIT(REG_V0))
			return USE_PASSED;
		/* calls preserve the lower halves of v8 to v15 */
		reg &= insn->operation == OP_CALL ? PRESERVED_MASK : ~insn->written;
		if (!reg)
			return USE_NEVER;
	}
	return USE_LATER;
}

/* Returns how what an instruction of a block puts into the register is used: USE_FLOAT or
 * USE_INTEGER; another value if that is not known. */
static enum first_use find_all_uses(const struct cfg *code, uint32_t block, size_t load,
				    uint64_t reg)
{
	uint32_t blocks[BLOCKS_MAX] = { block };
	unsigned int count = 1;
	enum first_use found = USE_NEVER;

	for (unsigned int i = 0; i < count; i++) {
		const struct basic_block *at = &code->blocks[blocks[i]];
		enum first_use use =
			find_use(code, i ? at->first : load + 1, at->first + at->count, reg);

		if (use == USE_OTHER || (use >= USE_FLOAT && found >= USE_FLOAT && use != found))
			return USE_OTHER;
		raise_to(found, use);
		each_successor (to, code, at)
			if (use == USE_LATER && count < BLOCKS_MAX)
				blocks[count++] = to;
	}
	return found == USE_PASSED ? USE_FLOAT : found;
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

/* Marks an instruction of a block that moves a number. */
static void mark_number(const struct cfg *code, uint32_t block, size_t index)
{
	struct insn *insn = &code->insns[index];
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	enum first_use use;

	if (insn->operand_count != 2 ||
	    (insn->operation != OP_MOVE && insn->operation != OP_MOVE_ZERO))
		return;
	if (operand_is_vector(to) && from->kind == OPERAND_MEMORY && from->size <= 8) {
		use = find_all_uses(code, block, index, insn->written);
		if (use == USE_FLOAT)
			insn->flags |= FLAG_FLOAT;
		else if (use == USE_INTEGER)
			insn->operation = OP_MOVE_SIGN;
	} else if (to->kind == OPERAND_MEMORY && to->size <= 8 && operand_is_vector(from) &&
		   is_computed(code, index, REG_BIT(from->reg))) {
		insn->flags |= FLAG_FLOAT;
	}
}

void mark_floats(struct cfg *code)
{
	array_indexed (const struct basic_block, block, b, code->blocks, code->block_count) {
		for (size_t i = block->first; i < block->first + block->count; i++)
			mark_number(code, b, i);
	}
}
