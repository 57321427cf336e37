// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers that calls keep: see kept.h. */
#include "annotate/facts/kept.h"

#include "annotate/facts/abi.h"
#include "annotate/flow/solver.h"
#include "annotate/rule.h"
#include "dwarf/elf/image.h"
#include "base/arch/arch.h"

/* True if the target is a function of this DSO, whose code the compiler may have known. */
static bool is_local(const struct solver *solver, uint64_t target)
{
	return !elf_image_plt_import(solver->image, target);
}

/* Goes back over an instruction. A call surely writes its results. What the callee of a call, or
 * the caller after a return, may read does not count, because nothing shows that they do. */
static void kept_back(const struct solver *solver, uint32_t index, struct live_block *block)
{
	const struct insn *insn = &solver->code->insns[index];
	const uint8_t *results = solver->abi->call->results;
	uint64_t written = insn->operation == OP_CALL ? REG_BIT(results[0]) | REG_BIT(results[1])
						      : insn->written;

	live_block_back(block, (general_set)written, (general_set)insn->read);
}

/* Finds the registers that are read from the start of each block on. */
static void find_reads(struct liveness *read, const struct solver *solver)
{
	const struct cfg *code = solver->code;

	liveness_start(read, code);
	for (size_t i = 0; i < code->block_count; i++) {
		const struct basic_block *block = &code->blocks[i];

		read->blocks[i] =
			(struct live_block){ .kept = (general_set)GENERAL_MASK, .asked = true };
		for (uint32_t k = block->first + block->count; k-- > block->first;)
			kept_back(solver, k, &read->blocks[i]);
	}
	liveness_solve(read, code, 0);
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
		find_reads(&kept->read, solver);
	}
	const struct basic_block *block = &code->blocks[cfg_block_of(code, insn)];
	struct live_block after = { .read = liveness_after(&kept->read, code, block) };

	for (uint32_t i = block->first + block->count; i-- > insn + 1;)
		kept_back(solver, i, &after);
	uint64_t reads = after.read & GENERAL_MASK & clobbered;

	if (!returns_nothing)
		reads &= ~(REG_BIT(call->results[0]) | REG_BIT(call->results[1]));
	return reads && is_local(solver, target) ? reads : 0;
}
