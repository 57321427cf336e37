/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For flow.c and flow_walk.c only: the state of the data flow, and the walk over one block. */
#ifndef DTPROF_ANNOTATE_FLOW_WALK_H
#define DTPROF_ANNOTATE_FLOW_WALK_H

#include "annotate/flow.h"
#include "annotate/live.h"
#include "annotate/slice.h"

/* A block whose entry still changes after so many visits is made to settle: what changes is given up. */
#define VISIT_LIMIT 24

/* What the frame information says of one stretch of addresses: a row of it, or that it has none. */
struct row_window {
	uint64_t low;
	uint64_t high;      /* 0: an empty window */
	uint64_t registers; /* REG_BIT of the general register that the CFA is at; 0: it is at none */
	int64_t offset;     /* of the CFA from that */
};

struct flow {
	struct solver *solver;
	size_t block_capacity;
	size_t insn_capacity;
	uint8_t *dirty;     /* by block: entry changed since it was last walked */
	uint32_t *visits;   /* by block */
	uint32_t *position; /* by block: place in reverse post-order */
	struct slice slice; /* the blocks that are solved */
	struct live live;   /* the registers that are joined at their entries */
	uint32_t live_held; /* blocks that the slice held when that was found out */
	bool every;         /* all registers are */
	struct state current;
	struct state hub;     /* joined over all jumps whose targets could not be read */
	unsigned int lessons; /* times that uses were gathered */
	bool solving;         /* what is walked over flows on */
	bool behind; /* a landing pad has changed: it may be walked before the block that has the call */
	struct row_window row; /* that held for the last instruction */
};

/* The general registers that are joined at a block's entry. */
uint64_t flow_wanted_at(const struct flow *flow, uint32_t block);

/* Join flow->current into the entry of a block. */
void flow_push_edge(struct flow *flow, uint32_t to);

/* Walk a block from its entry; flow->current is then the state at its end. `visit` sees the state before each
 * instruction, and may be told enough. */
void flow_walk(struct flow *flow, uint32_t index, const struct state *entry, flow_visitor visit, void *data);

#endif
