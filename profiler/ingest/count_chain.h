/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For count.c: from a sample's call chain, as recorded, to the number of its innermost frame. */
#ifndef DTPROF_INGEST_COUNT_CHAIN_H
#define DTPROF_INGEST_COUNT_CHAIN_H

#include "profiler/base/hash.h"
#include "profiler/ingest/chain_table.h"
#include "profiler/ingest/placer.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/stack_walk.h"

struct session;
struct count_options;

/* User parts of chains that the kernel recorded later, at the return to user space (since Linux 6.17). */
struct deferred_chains {
	struct deferred_chain *chains;
	size_t count, capacity;
	struct hash_map by_cookie; /* -> index */
};

struct chain_counter {
	struct chain_table table;
	struct deferred_chains deferred;
	struct stack_walker walker;
	unsigned int limit;         /* of frames that are not recorded, but found */
	struct chain_place *frames; /* of the sample at hand, the innermost first */
	size_t frame_count, frame_capacity;
};

void chain_counter_init(struct chain_counter *counter, struct session *session,
			const struct count_options *options);
/* The table is kept. */
void chain_counter_release(struct chain_counter *counter);
/* `space` is that of the sample's task. CHAIN_NONE: the sample has no chain, or a broken one. */
uint32_t chain_counter_add(struct chain_counter *counter, struct placer *placer, uint32_t space,
			   const struct sample *sample, struct moment moment);

#endif
