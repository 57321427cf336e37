/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains, interned: a frame is there once for the same frames above it, so that a chain is the number of
 * its innermost frame, and memory grows with the paths of a program, not with its samples.
 */
#ifndef DTPROF_INGEST_CHAIN_TABLE_H
#define DTPROF_INGEST_CHAIN_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define CHAIN_NONE 0 /* frame 0 stands for no frame */

/* Where a frame was; what two frames with the same caller differ in. */
struct chain_place {
	uint64_t ip;
	uint64_t offset; /* in the file of the dso; the ip where there is none */
	uint32_t dso;    /* id + 1; 0: in no map */
	char level;      /* as in struct counted */
};

struct chain_node {
	uint32_t caller; /* CHAIN_NONE: the outermost frame */
	struct chain_place place;
};

struct chain_table {
	struct chain_node *nodes; /* by number; [0] is not used */
	size_t count;
	size_t capacity;
	uint32_t *slots; /* numbers by hash; 0: free */
	size_t slot_count;
};

void chain_table_init(struct chain_table *table);
void chain_table_release(struct chain_table *table);
/* The number of the frame at `place` that `caller` called. */
uint32_t chain_table_add(struct chain_table *table, uint32_t caller, const struct chain_place *place);

#endif
