// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums of two registers that are in a register, too: an operand has only room for a base, an index
 * and no displacement, so compilers add the two for what needs a displacement or a call, and access
 * the first member of the same object by the two. Such an operand gets the register of the sum: it
 * is the one that debug information has a variable in, and one object is one value then.
 */
#include "disasm/arm64/parts.h"

#include "base/memory.h"
#include "disasm/cfg.h"

/* Registers with the address of an operand with an index, still; `value` was added to it. */
struct sums {
	general_set known;
	struct operand of[REG_GENERAL_COUNT];
};

static bool has_index(const struct operand *operand)
{
	return operand->kind == OPERAND_MEMORY && operand->base != REG_NONE &&
	       operand->index != REG_NONE;
}

/* True if two operands add the same numbers, displacements aside. */
static bool adds_the_same(const struct operand *a, const struct operand *b)
{
	if (a->scale != b->scale || a->index_size != b->index_size ||
	    a->index_signed != b->index_signed)
		return false;
	if (a->base == b->base && a->index == b->index)
		return true;
	return a->scale == 1 && !a->index_size && a->base == b->index && a->index == b->base;
}

/* Gives an operand the register of its sum, if one has it. */
static void use_sum(struct insn *insn, struct operand *operand, const struct sums *sums)
{
	bits_each (reg, sums->known) {
		const struct operand *sum = &sums->of[reg];

		if (!adds_the_same(operand, sum))
			continue;
		insn->read |= REG_BIT(reg);
		operand->base = (uint8_t)reg;
		operand->index = REG_NONE;
		operand->scale = 1;
		operand->index_size = 0;
		operand->index_signed = false;
		operand->value -= sum->value;
		return;
	}
}

/* Finds the sum that the instruction puts into its first operand, from what is known before it. */
static bool makes_sum(const struct insn *insn, const struct sums *sums, struct operand *sum)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	uint8_t source;

	if (insn->operand_count != 2 || to->kind != OPERAND_REGISTER || to->size != 8 ||
	    !reg_is_general(to->reg))
		return false;
	if (insn->operation == OP_LEA && has_index(from)) {
		*sum = *from;
		return !reg_is_vector(from->index);
	}
	if (insn->operation == OP_LEA && !from->absolute)
		source = from->base;
	else if (insn->operation == OP_MOVE && from->kind == OPERAND_REGISTER && from->size == 8)
		source = from->reg;
	else if (insn->operation == OP_ADD && from->kind == OPERAND_IMMEDIATE)
		source = to->reg;
	else
		return false;
	if (!(sums->known & REG_BIT(source)))
		return false;
	*sum = sums->of[source];
	sum->value += insn->operation == OP_MOVE ? 0 : from->value;
	return true;
}

/* Applies an instruction. */
static void follow_sums(const struct insn *insn, struct sums *sums)
{
	struct operand sum;
	bool makes = makes_sum(insn, sums, &sum);
	uint64_t changed = insn->written;

	if (insn->operation == OP_CALL)
		changed |= arch_arm64.call.clobbered;
	if (insn->operation == OP_SYSTEM_CALL)
		changed |= arch_arm64.system_call.clobbered;
	bits_each (reg, sums->known) {
		if (changed & (REG_BIT(reg) | operand_registers(&sums->of[reg])))
			sums->known &= ~((general_set)1 << reg);
	}
	if (!makes || changed & operand_registers(&sum))
		return;
	sums->known |= (general_set)REG_BIT(insn->operands[0].reg);
	sums->of[insn->operands[0].reg] = sum;
}

/* True if nothing but the block before it leads to a block. */
static bool follows_previous(const struct cfg *code, uint32_t index)
{
	const struct basic_block *block = &code->blocks[index];

	return block->predecessor_count == 1 && !(block->flags & BLOCK_LEADER) &&
	       code->edges[block->predecessor_first] + 1 == index;
}

void use_sums(struct cfg *code)
{
	struct sums sums = { 0 };

	array_indexed (const struct basic_block, block, i, code->blocks, code->block_count) {
		if (!follows_previous(code, i))
			sums.known = 0;
		for (uint32_t at = block->first; at < block->first + block->count; at++) {
			struct insn *insn = &code->insns[at];

			for (unsigned int k = 0; k < insn->operand_count; k++)
				if (has_index(&insn->operands[k]) && sums.known)
					use_sum(insn, &insn->operands[k], &sums);
			follow_sums(insn, &sums);
		}
	}
}
