/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names and descriptions of tracepoints by id, from the tracing data of a file, which has them as
 * they were in /sys/kernel/tracing (trace.dat(5), version 6).
 */
#ifndef DTPROF_INGEST_TRACEPOINT_FORMATS_H
#define DTPROF_INGEST_TRACEPOINT_FORMATS_H

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"

/* The text of a description; it points into the data that it was read from. */
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

/* Reads as much as is well formed. `data` must outlive `names`. */
void tracepoint_names_read(struct tracepoint_names *names, const void *data, size_t size);
/* Returns "SYSTEM:NAME", or NULL. */
const char *tracepoint_names_find(const struct tracepoint_names *names, uint64_t id);
/* Returns the description, or NULL. */
const struct tracepoint_format *tracepoint_format_find(const struct tracepoint_names *names, uint64_t id);
void tracepoint_names_deinit(struct tracepoint_names *names);

#endif
