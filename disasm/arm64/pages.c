// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses that are made in two steps: adrp gives the page, and the instruction that uses it has
 * the low twelve bits. Compilers move the two apart. The second one gets the whole address, as on
 * an architecture whose operands have one.
 */
#include "disasm/arm64/parts.h"

#include "base/memory.h"
#include "disasm/cfg.h"

#define PAGE_SIZE UINT64_C(4096)

/* The general registers that have the address of a page. */
struct pages {
	general_set known;
	bool reached; /* by a block that was looked at */
	uint64_t values[REG_GENERAL_COUNT];
};

static bool is_adrp(const struct insn *insn)
{
	const struct operand *address = &insn->operands[1];

	return insn->operation == OP_LEA && address->absolute && address->pc_relative &&
	       address->index == REG_NONE && !((uint64_t)address->value % PAGE_SIZE);
}

/* Applies an instruction. */
static void follow_pages(const struct insn *insn, struct pages *pages)
{
	pages->known &= (general_set)~insn->written;
	if (insn->operation == OP_CALL)
		pages->known &= (general_set)~arch_arm64.call.clobbered;
	if (is_adrp(insn)) {
		pages->known |= (general_set)REG_BIT(insn->operands[0].reg);
		pages->values[insn->operands[0].reg] = (uint64_t)insn->operands[1].value;
	}
}

/* Completes the addresses that the instruction computes or accesses. */
static void complete_address(struct insn *insn, const struct pages *pages)
{
	struct operand *to = &insn->operands[0], *from = &insn->operands[1];

	if (insn->operation == OP_ADD && insn->operand_count == 2 && to->kind == OPERAND_REGISTER &&
	    to->size == 8 && from->kind == OPERAND_IMMEDIATE && pages->known & REG_BIT(to->reg)) {
		insn->operation = OP_LEA;
		*from = absolute(pages->values[to->reg] + (uint64_t)from->value, 8);
		to->read = false;
		insn->read &= ~REG_BIT(to->reg);
		return;
	}
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		struct operand *operand = &insn->operands[i];
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
	for (general_set left = into->known; left; left &= left - 1) {
		unsigned int reg = (unsigned int)__builtin_ctz(left);

		if (into->values[reg] != from->values[reg])
			into->known &= ~((general_set)1 << reg);
	}
	return into->known != before;
}

/* Follows a block, and completes its addresses if `complete`. True if the entry of a successor
 * changed. */
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
	for (uint32_t i = 0; !complete && i < block->successor_count; i++)
		changed |= meet_pages(&entries[code->edges[block->successor_first + i]], &pages);
	return changed;
}

void complete_addresses(struct cfg *code)
{
	bool found = false, changed = true;

	for (size_t i = 0; i < code->insn_count && !found; i++)
		found = is_adrp(&code->insns[i]);
	if (!found)
		return;
	_cleanup_free_ struct pages *entries = xcalloc(code->block_count, sizeof(*entries));

	/* nothing is known where control may come from anywhere */
	for (uint32_t i = 0; i < code->block_count; i++)
		entries[i].reached = !i || code->blocks[i].flags & (BLOCK_LEADER | BLOCK_ORPHAN);
	while (changed) {
		changed = false;
		for (size_t i = 0; i < code->block_count; i++)
			if (entries[code->order[i]].reached)
				changed |= follow_block(code, code->order[i], entries, false);
	}
	for (uint32_t i = 0; i < code->block_count; i++)
		follow_block(code, i, entries, true);
}
