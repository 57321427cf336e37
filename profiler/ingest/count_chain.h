/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains of samples, interned. Frames with the same place and the same callers are one frame
 * with one number, so a chain is the number of its innermost frame, and memory grows with the paths
 * of a program and not with its samples. Private to count.c and count_merge.c.
 */
#ifndef DTPROF_INGEST_COUNT_CHAIN_H
#define DTPROF_INGEST_COUNT_CHAIN_H

#include "profiler/base/hash.h"
#include "profiler/ingest/placer.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/stack_walk.h"

struct session;
struct count_options;

#define CHAIN_NONE 0 /* frame 0 stands for no frame */

/* The place of a frame. Frames with the same caller and the same place are one. */
struct chain_place {
	uint64_t ip;
	uint64_t offset; /* in the file of the DSO, or the ip if there is none */
	uint32_t dso;    /* id + 1; 0: in no map */
	char level;      /* as in struct counted */
};

struct chain_node {
	uint32_t caller; /* CHAIN_NONE: the outermost frame */
	struct chain_place place;
};

struct chain_table {
	struct chain_node *nodes; /* indexed by frame number; [0] is not used */
	size_t count;
	size_t capacity;
	uint32_t *slots; /* numbers by hash; 0: free */
	size_t slot_count;
};

void chain_table_init(struct chain_table *table);
void chain_table_deinit(struct chain_table *table);
/* Returns the number of the frame at `place` that `caller` called. */
uint32_t chain_table_add(struct chain_table *table, uint32_t caller, const struct chain_place *place);

/* The user parts of chains that the kernel records later, at the return to user space (since Linux
 * 6.17). */
struct deferred_chains {
	struct deferred_chain *chains;
	size_t count, capacity;
	struct hash_map by_cookie; /* cookie -> index in chains */
};

struct chain_counter {
	struct chain_table table;
	struct deferred_chains deferred;
	struct stack_walker walker;
	unsigned int limit;         /* how many frames are taken from a copy of the stack */
	struct chain_place *frames; /* the current sample's frames, innermost first */
	size_t frame_count, frame_capacity;
};

void chain_counter_init(struct chain_counter *counter, struct session *session,
			const struct count_options *options);
/* Frees everything but the table, which the caller has copied. */
void chain_counter_deinit(struct chain_counter *counter);
/* Returns the number of the sample's chain, or CHAIN_NONE if it has none or a broken one. `space`
 * is the address space of the sample's task. */
uint32_t chain_counter_add(struct chain_counter *counter, struct placer *placer, uint32_t space,
			   const struct sample *sample, struct moment moment);

#endif
