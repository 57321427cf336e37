// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers that are read later: see liveness.h. */
#include "disasm/liveness.h"

#include "base/memory.h"

void liveness_start(struct liveness *live, const struct cfg *code)
{
	if (code->block_count > live->capacity) {
		live->blocks =
			xrealloc_array(live->blocks, code->block_count, sizeof(*live->blocks));
		live->capacity = code->block_count;
	}
	memset(live->blocks, 0, code->block_count * sizeof(*live->blocks));
}

general_set liveness_after(const struct liveness *live, const struct cfg *code,
			   const struct basic_block *block)
{
	general_set registers = 0;

	each_successor (to, code, block)
		registers |= live->blocks[to].entry;
	return registers;
}

void liveness_solve(struct liveness *live, const struct cfg *code, general_set always)
{
	bool again = true;

	for (size_t i = 0; i < code->block_count; i++)
		live->blocks[i].pending = live->blocks[i].asked;
	while (again) {
		again = false;
		for (size_t i = code->block_count; i-- > 0;) {
			const struct basic_block *block = &code->blocks[code->order[i]];
			struct live_block *at = &live->blocks[code->order[i]];

			if (!at->pending)
				continue;
			at->pending = false;

			general_set after = liveness_after(live, code, block);
			general_set entry = always | at->read | (after & at->kept);

			if (entry == at->entry)
				continue;
			at->entry = entry;
			again = true;
			each_predecessor (from, code, block)
				live->blocks[from].pending = live->blocks[from].asked;
		}
	}
}

void liveness_deinit(struct liveness *live)
{
	free(live->blocks);
	*live = (struct liveness){ 0 };
}
