// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers that calls keep: see kept.h. */
#include "annotate/kept.h"

#include <stdlib.h>

#include "annotate/abi.h"
#include "annotate/rules/rules.h"
#include "annotate/solver.h"
#include "dwarf/elf/image.h"
#include "profiler/arch/arch.h"
#include "profiler/base/memory.h"

/* The most times that all blocks are looked at: loops within loops need one for each. If it is not
 * enough, fewer registers are known to be read. */
#define ROUNDS_MAX 8

/* True if the compiler may have known the code that is called. */
static bool is_local(const struct solver *solver, uint64_t target)
{
	return target && !elf_image_plt_import(solver->image, target);
}

/* Returns the registers that a call overwrites for sure, as seen by the code after it. */
static uint32_t lost_by_call(const struct solver *solver, const struct insn *insn)
{
	const struct convention *call = solver->abi->call;
	uint64_t target = insn->operands[0].kind == OPERAND_IMMEDIATE
				  ? (uint64_t)insn->operands[0].value
				  : 0;
	uint64_t lost = is_local(solver, target)
				? REG_BIT(call->results[0]) | REG_BIT(call->results[1])
				: call->clobbered;

	return (uint32_t)(lost & GENERAL_MASK);
}

/* Returns the registers that are read from an instruction on, given those that are read after it.
 * What a callee or a caller reads does not count, because nothing shows that it does. */
static uint32_t read_from(const struct solver *solver, const struct insn *insn, uint32_t after)
{
	uint32_t written = insn->operation == OP_CALL ? lost_by_call(solver, insn)
						      : (uint32_t)(insn->written & GENERAL_MASK);

	return (after & ~written) | (uint32_t)(insn->read & GENERAL_MASK);
}

static uint32_t read_after(const struct kept *kept, const struct cfg *code,
			   const struct basic_block *block)
{
	uint32_t registers = 0;

	for (uint32_t i = 0; i < block->successor_count; i++)
		registers |= kept->reads[code->edges[block->successor_first + i]];
	return registers;
}

static void find_reads(struct kept *kept, const struct solver *solver)
{
	const struct cfg *code = solver->code;
	bool again = true;

	if (code->block_count > kept->capacity) {
		kept->reads = xrealloc_array(kept->reads, code->block_count, sizeof(*kept->reads));
		kept->capacity = code->block_count;
	}
	for (size_t i = 0; i < code->block_count; i++)
		kept->reads[i] = 0;
	for (int round = 0; again && round < ROUNDS_MAX; round++) {
		again = false;
		for (size_t i = code->block_count; i-- > 0;) {
			const struct basic_block *block = &code->blocks[code->order[i]];
			uint32_t reads = read_after(kept, code, block);

			for (uint32_t j = block->first + block->count; j-- > block->first;)
				reads = read_from(solver, &code->insns[j], reads);
			again |= reads != kept->reads[code->order[i]];
			kept->reads[code->order[i]] = reads;
		}
	}
}

uint64_t kept_by_call(struct solver *solver, uint32_t insn, uint64_t target, uint64_t clobbered)
{
	struct kept *kept = &solver->kept;
	const struct cfg *code = solver->code;
	const struct convention *call = solver->abi->call;

	if (!is_local(solver, target) || solver->abi->goroutine_type ||
	    !rule_is_on(RULE_KEPT_REGISTER))
		return 0;
	if (kept->round != solver->first_round) {
		kept->round = solver->first_round;
		find_reads(kept, solver);
	}
	const struct basic_block *block = &code->blocks[cfg_block_of(code, insn)];
	uint32_t reads = read_after(kept, code, block);

	for (uint32_t i = block->first + block->count; i-- > insn + 1;)
		reads = read_from(solver, &code->insns[i], reads);
	return reads & clobbered & ~(REG_BIT(call->results[0]) | REG_BIT(call->results[1]));
}

void kept_deinit(struct kept *kept)
{
	free(kept->reads);
	*kept = (struct kept){ 0 };
}
