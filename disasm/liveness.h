/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers that are read later, before they are written. */
#pragma once

#include "base/arch/arch.h"
#include "disasm/cfg.h"

struct live_block {
	general_set entry; /* registers that it or a later block reads before they are written */
	general_set read;  /* those that it reads itself */
	general_set kept;  /* registers that it does not write */
	bool asked;        /* what is live at its entry is to be found */
	bool pending;      /* what is live after it may have changed */
};

/* Zero-initialized is empty; the memory is used again. Free with liveness_deinit(). */
struct liveness {
	struct live_block *blocks; /* by block */
	size_t capacity;
};

/* Makes room for the blocks of a function. None of them is asked about. */
void liveness_start(struct liveness *live, const struct cfg *code);

/* Goes back over an instruction of a block. */
static inline void live_block_back(struct live_block *block, general_set written, general_set read)
{
	block->kept &= ~written;
	block->read = (block->read & ~written) | read;
}

/* Finds what is live at the entries of the asked blocks; `always` is so everywhere. */
void liveness_solve(struct liveness *live, const struct cfg *code, general_set always);
general_set liveness_after(const struct liveness *live, const struct cfg *code,
			   const struct basic_block *block);
void liveness_deinit(struct liveness *live);
