/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many threads of the recording ran at a moment, from its context switches (attr.context_switch,
 * perf_event_open(2)).
 *
 * As in perf: one runs at the begin, one more after each switch in, one less after each switch out and each
 * exit, which no switch precedes; never less than one, nor more than there are processors.
 */
#ifndef DTPROF_INGEST_PARALLELISM_H
#define DTPROF_INGEST_PARALLELISM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/ingest/address_space.h"

struct parallelism_step {
	struct moment moment;
	int64_t running; /* the change; after parallelism_build() how many from then on */
};

struct parallelism {
	struct parallelism_step *steps;
	size_t count, capacity;
	bool has_switches;
	uint32_t processors; /* 0: not known */
};

/* A switch in (1), or a switch out or exit (-1). */
void parallelism_add(struct parallelism *parallelism, struct moment moment, int change, bool is_switch);
/* After the last of them. */
void parallelism_build(struct parallelism *parallelism, uint32_t processors);
/* From 1 on; 1 where there are no switches. */
uint32_t parallelism_at(const struct parallelism *parallelism, struct moment moment);
void parallelism_deinit(struct parallelism *parallelism);

#endif
