/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and formats of tracepoints by id, from the tracing data of a file: what /sys/kernel/tracing said of
 * them (trace.dat(5), version 6). */
#ifndef DTPROF_INGEST_TRACING_DATA_H
#define DTPROF_INGEST_TRACING_DATA_H

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"

/* The text of a description, in the data that it was read from. */
struct tracepoint_format {
	const char *text;
	size_t size;
};

struct tracepoint_names {
	struct hash_map by_id; /* -> index in names and formats */
	const char **names;    /* "sched:sched_switch" */
	struct tracepoint_format *formats;
	unsigned int long_size; /* bytes of the recorded machine's longs */
	size_t count;
	size_t capacity, format_capacity;
	struct arena arena;
};

/* Reads as far as the data is well formed. */
void tracepoint_names_read(struct tracepoint_names *names, const void *data, size_t size);
/* NULL: not there. */
const char *tracepoint_names_find(const struct tracepoint_names *names, uint64_t id);
/* NULL: not there. */
const struct tracepoint_format *tracepoint_format_find(const struct tracepoint_names *names, uint64_t id);
void tracepoint_names_release(struct tracepoint_names *names);

#endif
