// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses that are made in several steps: adrp gives the page, and the instruction that uses it
 * has the low twelve bits; gcc adds the distance of a variable from the first one of its section
 * (-fsection-anchors). Compilers move the steps apart. The last one gets the whole address, as on
 * an architecture whose operands have one.
 */
#include "disasm/arm64/parts.h"

#include "base/memory.h"
#include "disasm/cfg.h"

/* The general registers that have a constant address. */
struct pages {
	general_set known;
	bool reached; /* by a block that was looked at */
	uint64_t values[REG_GENERAL_COUNT];
};

static bool is_address(const struct insn *insn)
{
	const struct operand *address = &insn->operands[1];

	return insn->operation == OP_LEA && address->absolute && address->pc_relative &&
	       address->index == REG_NONE;
}

/* Finds the address that an instruction puts into a register. False: it is not constant. */
static bool computes_address(const struct insn *insn, const struct pages *pages, uint64_t *address)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	uint8_t base = insn->operation == OP_LEA    ? from->base
		       : insn->operation == OP_MOVE ? from->reg
						    : to->reg;

	if (is_address(insn)) {
		*address = (uint64_t)from->value;
		return true;
	}
	if (insn->operand_count != 2 || to->kind != OPERAND_REGISTER || to->size != 8 ||
	    !(pages->known & REG_BIT(base)))
		return false;
	*address = pages->values[base];
	if (insn->operation == OP_MOVE)
		return from->kind == OPERAND_REGISTER && from->size == 8;
	*address += (uint64_t)from->value;
	return insn->operation == OP_LEA   ? from->index == REG_NONE
	       : insn->operation == OP_ADD ? from->kind == OPERAND_IMMEDIATE
					   : false;
}

/* Applies an instruction. */
static void follow_pages(const struct insn *insn, struct pages *pages)
{
	uint64_t address;
	bool constant = computes_address(insn, pages, &address);

	pages->known &= (general_set)~insn->written;
	if (insn->operation == OP_CALL)
		pages->known &= (general_set)~arch_arm64.call.clobbered;
	if (!constant || !reg_is_general(insn->operands[0].reg))
		return;
	pages->known |= (general_set)REG_BIT(insn->operands[0].reg);
	pages->values[insn->operands[0].reg] = address;
}

/* Completes the addresses that the instruction computes or accesses. */
static void complete_address(struct insn *insn, const struct pages *pages)
{
	uint64_t address;

	if (!is_address(insn) && computes_address(insn, pages, &address)) {
		insn->operation = OP_LEA;
		insn->operands[0].read = false;
		insn->operands[1] = absolute(address, 8);
		insn->read = 0;
		return;
	}
	array_indexed (struct operand, operand, i, insn->operands, insn->operand_count) {
		uint8_t base = operand->base;

		if (operand->kind != OPERAND_MEMORY || operand->index != REG_NONE ||
		    !(pages->known & REG_BIT(base)))
			continue;
		operand->base = REG_NONE;
		operand->absolute = operand->pc_relative = true;
		operand->value += (int64_t)pages->values[base];
		if (!insn->operands[!i].read || insn->operands[!i].reg != base)
			insn->read &= ~REG_BIT(base);
	}
}

/* Keeps what both have. True if `into` changed. */
static bool meet_pages(struct pages *into, const struct pages *from)
{
	general_set before = into->known;

	if (!into->reached) {
		*into = *from;
		into->reached = true;
		return true;
	}
	into->known &= from->known;
	bits_each (reg, into->known) {
		if (into->values[reg] != from->values[reg])
			into->known &= ~((general_set)1 << reg);
	}
	return into->known != before;
}

/* Gives what is known at a jump of unknown targets to the blocks that it may lead to: those that
 * nothing else leads to. True if the entry of one changed. */
static bool follow_unknown_jump(const struct cfg *code, const struct pages *pages,
				struct pages *entries)
{
	bool changed = false;

	for (uint32_t i = 0; i < code->block_count; i++)
		if (code->blocks[i].flags & BLOCK_ORPHAN)
			changed |= meet_pages(&entries[i], pages);
	return changed;
}

/* Follows a block, and completes its addresses if `complete`. True: a successor's entry changed. */
static bool follow_block(struct cfg *code, uint32_t index, struct pages *entries, bool complete)
{
	const struct basic_block *block = &code->blocks[index];
	struct pages pages = entries[index];
	bool changed = false;

	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		if (complete)
			complete_address(&code->insns[i], &pages);
		follow_pages(&code->insns[i], &pages);
	}
	each_successor (to, code, block)
		changed |= !complete && meet_pages(&entries[to], &pages);
	for (size_t i = partition_point(0, code->jump_count, k, code->jumps[k].from < index);
	     !complete && i < code->jump_count && code->jumps[i].from == index; i++)
		changed |= meet_pages(&entries[code->jumps[i].to], &pages);
	if (!complete && block->flags & BLOCK_UNKNOWN_SUCCESSORS)
		changed |= follow_unknown_jump(code, &pages, entries);
	return changed;
}

void complete_addresses(struct cfg *code)
{
	bool found = false, changed = true;

	for (size_t i = 0; i < code->insn_count && !found; i++)
		found = is_address(&code->insns[i]);
	if (!found)
		return;
	_cleanup_free_ struct pages *entries = xcalloc(code->block_count, sizeof(*entries));

	/* nothing is known where control may come from anywhere; what follows a call that does not
	 * return is not reached, and takes nothing from what it leads to */
	for (uint32_t i = 0; i < code->block_count; i++)
		entries[i].reached = !i || (code->blocks[i].flags &
					    (BLOCK_LEADER | BLOCK_BY_WAY)) == BLOCK_LEADER;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < code->block_count; i++)
			if (entries[code->order[i]].reached)
				changed |= follow_block(code, code->order[i], entries, false);
	}
	for (uint32_t i = 0; i < code->block_count; i++)
		follow_block(code, i, entries, true);
}
