/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Invariants of all results of disasm/, for any input bytes. Each check returns NULL, or the name
 * of the invariant that is broken. */
#pragma once

#include <stddef.h>

#include "base/arch/x86_64.h"
#include "disasm/cfg.h"
#include "disasm/insn.h"
#include "base/memory.h"

static inline const char *broken_operand(const struct insn *insn, const struct operand *operand)
{
	switch (operand->kind) {
	case OPERAND_NONE: return operand->read || operand->write ? "access to no operand" : NULL;
	case OPERAND_REGISTER:
		if (operand->reg >= REG_COUNT)
			return "no such register";
		if (operand->read && !(insn->read & REG_BIT(operand->reg)))
			return "register operand missing from read";
		if (operand->write && !(insn->written & REG_BIT(operand->reg)))
			return "register operand missing from written";
		return operand->size && operand->size <= 64 ? NULL : "size of a register";
	case OPERAND_MEMORY:
		if (operand->base != REG_NONE && !reg_is_general(operand->base))
			return "base is no general register";
		if (operand->index != REG_NONE && operand->index >= REG_COUNT)
			return "no such index";
		if (operand->base != REG_NONE && !(insn->read & REG_BIT(operand->base)))
			return "base missing from read";
		if (operand->index != REG_NONE && !(insn->read & REG_BIT(operand->index)))
			return "index missing from read";
		if (operand->absolute != (operand->base == REG_NONE) && operand->base != REG_NONE)
			return "absolute with a base";
		if (operand->pc_relative && !operand->absolute)
			return "relative to the instruction pointer, but not absolute";
		if (!operand->scale || operand->scale & (operand->scale - 1))
			return "scale";
		return operand->segment <= SEGMENT_GS ? NULL : "segment";
	case OPERAND_IMMEDIATE: return operand->write ? "constant is written" : NULL;
	default: return "no such kind of operand";
	}
}

/* Returns the least number of operands that an instruction of this operation has. */
static inline unsigned int promised_operands(const struct insn *insn)
{
	switch (insn->operation) {
	case OP_OTHER:
	case OP_NOP:
	case OP_TRAP:
	case OP_SYSTEM_CALL: return 0;
	case OP_ZERO:
	case OP_NEGATE:
	case OP_COMPLEMENT:
	case OP_SWAP_BYTES:
	case OP_SET_CONDITION:
	case OP_RETURN:
	case OP_JUMP:
	case OP_BRANCH: return 1;
	case OP_AND_NOT:
	case OP_EXTRACT_BITS:
	case OP_LOW_BITS:
	case OP_GATHER_BITS:
	case OP_SCATTER_BITS:
	case OP_MULTIPLY: return 3;
	default: return 2;
	}
}

static inline const char *broken_insn(const struct insn *insn, size_t left)
{
	if (!insn->length || insn->length > 15 || insn->length > left)
		return "length";
	if (insn->operation > OP_SYSTEM_CALL)
		return "no such operation";
	if (insn->operand_count > INSN_OPERANDS || insn->operand_count < promised_operands(insn))
		return "number of operands";
	if ((insn->read | insn->written) & GENERAL_MASK & ~X86_GENERAL)
		return "mask of registers that are none";
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		const char *broken = broken_operand(insn, &insn->operands[i]);

		if (broken)
			return broken;
	}
	/* a push, a pop or an indirect jump may be of a register that is not tracked; no other
	 * operation may
	 */
	if (insn->operation != OP_OTHER && insn->operation != OP_PUSH &&
	    insn->operation != OP_POP && insn->operation != OP_CALL && insn->operation != OP_JUMP)
		for (unsigned int i = 0; i < insn->operand_count; i++)
			if (insn->operands[i].kind == OPERAND_NONE)
				return "an operation on no operand";
	const struct operand *load = insn_memory(insn, false);
	const struct operand *store = insn_memory(insn, true);

	if (!load != !store || (load && load->kind != OPERAND_MEMORY) ||
	    (store && store->kind != OPERAND_MEMORY))
		return "memory operand";
	return NULL;
}

/* Returns how often `block` is in a list of edges. */
static inline unsigned int count_edges(const struct cfg *code, uint32_t first, uint32_t count,
				       uint32_t block)
{
	unsigned int found = 0;

	for (uint32_t i = 0; i < count; i++)
		found += code->edges[first + i] == block;
	return found;
}

static inline const char *broken_block(const struct cfg *code, uint32_t index)
{
	const struct basic_block *block = &code->blocks[index];

	if (!block->count || block->address != code->insns[block->first].address)
		return "empty block, or at another address";
	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		if (cfg_block_of(code, i) != index)
			return "cfg_block_of";
		if (cfg_find(code, code->insns[i].address) != (int64_t)i)
			return "cfg_find";
	}
	for (uint32_t i = 0; i < block->successor_count; i++) {
		uint32_t other = code->edges[block->successor_first + i];

		if (count_edges(code, block->successor_first, block->successor_count, other) != 1)
			return "an edge twice";
	}
	/* a block has a successor, or a flag that says why it has none */
	if (!block->successor_count &&
	    !(block->flags & (BLOCK_RETURNS | BLOCK_NO_RETURN | BLOCK_UNKNOWN_SUCCESSORS)))
		return "a block that ends nowhere";
	return block->flags & BLOCK_TAIL_CALL && !(block->flags & BLOCK_RETURNS)
		       ? "a tail call that does not return"
		       : NULL;
}

/* True if each edge has its mirror among the predecessors, in the order of indexes. */
static inline bool edges_mirror(const struct cfg *code)
{
	_cleanup_free_ uint32_t *met = xcalloc(code->block_count, sizeof(*met));

	for (uint32_t i = 0; i < code->block_count; i++) {
		const struct basic_block *block = &code->blocks[i];

		if ((size_t)block->successor_first + block->successor_count > code->edge_count ||
		    (size_t)block->predecessor_first + block->predecessor_count > code->edge_count)
			return false;
		each_successor (to, code, block) {
			if (to >= code->block_count ||
			    met[to] == code->blocks[to].predecessor_count ||
			    code->edges[code->blocks[to].predecessor_first + met[to]++] != i)
				return false;
		}
	}
	return !any_of(i, 0, code->block_count, met[i] != code->blocks[i].predecessor_count);
}

/* True if the order has each block once, the entry first. */
static inline bool order_is_whole(const struct cfg *code)
{
	_cleanup_free_ bool *met = xcalloc(code->block_count, sizeof(*met));

	for (size_t i = 0; i < code->block_count; i++) {
		if (code->order[i] >= code->block_count || met[code->order[i]])
			return false;
		met[code->order[i]] = true;
	}
	return !code->order[0];
}

/* Returns whether the invariants of cfg.h hold. */
static inline bool cfg_is_sound(const struct cfg *code)
{
	uint32_t insn = 0;

	for (size_t i = 0; i < code->block_count; insn += code->blocks[i++].count)
		if (code->blocks[i].first != insn || !code->blocks[i].count)
			return false;
	return insn == code->insn_count && edges_mirror(code) && order_is_whole(code);
}

static inline const char *broken_code(const struct cfg *code)
{
	if (!cfg_is_sound(code))
		return "the invariants of cfg.h";
	for (size_t i = 0; i < code->block_count; i++) {
		const char *broken = broken_block(code, i);

		if (broken)
			return broken;
	}
	return NULL;
}
