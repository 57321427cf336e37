/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which general registers are read later, before they are written: what is in the others where paths meet is
 * nobody's, and need not be joined. Private to annotate/.
 */
#ifndef DTPROF_ANNOTATE_LIVE_H
#define DTPROF_ANNOTATE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/slice.h"

struct solver;

/* By block. */
struct live_block {
	uint16_t entry; /* REG_BITs of the general registers that are live where it begins */
	uint16_t read;  /* those that are read in it before they are written */
	uint16_t kept;  /* those that it does not write */
	bool pending;   /* what is live behind it may have changed */
};

struct live {
	struct live_block *blocks;
	size_t capacity;
};

/* Fill in what is live at the entries of the blocks in the slice. Zero-initialized is ready for this; memory
 * is used again. */
void live_find(struct live *live, struct solver *solver, const struct slice *slice);
void live_release(struct live *live);

#endif
