// SPDX-License-Identifier: GPL-2.0-or-later
/* Misreads: see misreads.h. */
#include "annotate/evidence/misreads.h"

#include "annotate/flow/solver.h"
#include "disasm/cfg.h"

/* The most blocks after an access that are searched for what always runs after it. */
#define STEPS_MAX 8

/* Returns the only block that runs after a block unless the program ends; UINT32_MAX: there is
 * none, or several. */
static uint32_t only_next(const struct cfg *code, uint32_t block)
{
	uint32_t next = UINT32_MAX;

	each_successor (to, code, &code->blocks[block]) {
		if (code->blocks[to].flags & BLOCK_NO_RETURN)
			continue;
		if (next != UINT32_MAX)
			return UINT32_MAX;
		next = to;
	}
	return next;
}

static bool leads_to(const struct cfg *code, uint32_t block, uint32_t to)
{
	for (unsigned int i = 0; i < STEPS_MAX && block != UINT32_MAX && block != to; i++)
		block = only_next(code, block);
	return block == to;
}

bool misreads_concern(struct solver *solver, uint32_t origin)
{
	const struct misreads *misreads = &solver->evidence.misreads;
	uint32_t block = cfg_block_of(solver->code, solver->pass.current);

	for (uint32_t i = 0; i < misreads->count && origin; i++) {
		if (misreads->items[i].origin != origin)
			continue;
		uint32_t at = cfg_block_of(solver->code, misreads->items[i].insn);

		if (tags_dominates(solver, at, block) || leads_to(solver->code, block, at))
			return true;
	}
	return false;
}
