// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers that calls keep: see kept.h. */
#include "annotate/facts/kept.h"

#include "annotate/facts/abi.h"
#include "annotate/flow/solver.h"
#include "annotate/rule.h"
#include "dwarf/elf/image.h"
#include "base/arch/arch.h"
#include "base/memory.h"

/* All blocks are looked at, at most this many times: each level of nested loops needs one more. If
 * it is not enough, fewer registers are known to be read. */
#define ROUNDS_MAX 8

/* True if the target is a function of this DSO, whose code the compiler may have known. */
static bool is_local(const struct solver *solver, uint64_t target)
{
	return !elf_image_plt_import(solver->image, target);
}

/* Returns the registers that an instruction surely writes; for a call, only its results. */
static uint32_t kept_written_by(const struct solver *solver, const struct insn *insn)
{
	const uint8_t *results = solver->abi->call->results;

	return (uint32_t)(GENERAL_MASK &
			  (insn->operation == OP_CALL ? REG_BIT(results[0]) | REG_BIT(results[1])
						      : insn->written));
}

/* Returns the registers that an instruction itself reads. Those that the callee of a call, or the
 * caller after a return, may read do not count, because nothing shows that they do. */
static uint32_t kept_read_by(const struct insn *insn)
{
	return (uint32_t)(insn->read & GENERAL_MASK);
}

/* Returns the registers that are read after the block before they are written. */
static uint32_t read_after(const struct kept *kept, const struct cfg *code,
			   const struct basic_block *block)
{
	uint32_t registers = 0;

	for (uint32_t i = 0; i < block->successor_count; i++)
		registers |= kept->blocks[code->edges[block->successor_first + i]].entry;
	return registers;
}

/* Finds the registers that a block reads before it writes them, and those that it neither reads nor
 * writes, by walking it backwards. */
static void kept_look_through(const struct solver *solver, const struct basic_block *block,
			      struct kept_block *looked)
{
	*looked = (struct kept_block){ .untouched = (uint32_t)GENERAL_MASK };
	for (uint32_t i = block->first + block->count; i-- > block->first;) {
		const struct insn *insn = &solver->code->insns[i];
		uint32_t written = kept_written_by(solver, insn), read = kept_read_by(insn);

		looked->reads = (looked->reads & ~written) | read;
		looked->untouched &= ~(written | read);
	}
	looked->entry = looked->reads;
}

/* Finds the registers that are read from the start of each block on (liveness). */
static void find_reads(struct kept *kept, const struct solver *solver)
{
	const struct cfg *code = solver->code;
	bool again = true;

	if (code->block_count > kept->capacity) {
		kept->blocks =
			xrealloc_array(kept->blocks, code->block_count, sizeof(*kept->blocks));
		kept->capacity = code->block_count;
	}
	for (size_t i = 0; i < code->block_count; i++)
		kept_look_through(solver, &code->blocks[i], &kept->blocks[i]);
	for (int round = 0; again && round < ROUNDS_MAX; round++) {
		again = false;
		for (size_t i = code->block_count; i-- > 0;) {
			struct kept_block *block = &kept->blocks[code->order[i]];
			uint32_t after = read_after(kept, code, &code->blocks[code->order[i]]);
			uint32_t entry = block->reads | (after & block->untouched);

			again |= entry != block->entry;
			block->entry = entry;
		}
	}
}

uint64_t kept_by_call(struct solver *solver, uint32_t insn, uint64_t target,
		      const struct prototype *prototype, uint64_t clobbered)
{
	struct kept *kept = &solver->places.kept;
	const struct cfg *code = solver->code;
	const struct convention *call = solver->abi->call;
	bool returns_nothing =
		prototype && prototype->return_type && prototype->return_type->kind == TYPE_VOID;

	if (!target || solver->abi->goroutine_type)
		return 0;
	if (kept->round != solver->pass.first_round) {
		kept->round = solver->pass.first_round;
		find_reads(kept, solver);
	}
	const struct basic_block *block = &code->blocks[cfg_block_of(code, insn)];
	uint64_t reads = read_after(kept, code, block);

	for (uint32_t i = block->first + block->count; i-- > insn + 1;)
		reads = (reads & ~kept_written_by(solver, &code->insns[i])) |
			kept_read_by(&code->insns[i]);
	reads &= clobbered;
	if (!returns_nothing)
		reads &= ~(REG_BIT(call->results[0]) | REG_BIT(call->results[1]));
	return reads && is_local(solver, target) ? reads : 0;
}

void kept_deinit(struct kept *kept)
{
	free(kept->blocks);
	*kept = (struct kept){ 0 };
}
