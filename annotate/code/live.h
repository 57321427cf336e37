/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers that are read later. Paths that meet need not be joined for the other registers: nobody
 * reads them before they are written.
 */
#ifndef DTPROF_ANNOTATE_CODE_LIVE_H
#define DTPROF_ANNOTATE_CODE_LIVE_H

#include "annotate/values/value.h"

struct solver;

/* One block. */
struct live_block {
	general_set entry; /* REG_BITs of the general registers that are live at its entry */
	general_set read;  /* registers that are read in it before they are written */
	general_set kept;  /* registers that it does not write */
	bool pending;      /* what is live after it may have changed */
};

struct live {
	struct live_block *blocks;
	size_t capacity;
};

/* Finds what is live at the entries of the solver's function's blocks for which blocks[] is set;
 * all predecessors of such a block must be among them. A zero-initialized struct live is ready for
 * this; later calls use its memory again. */
void live_find(struct live *live, struct solver *solver, const uint8_t *blocks);
void live_deinit(struct live *live);

#endif
