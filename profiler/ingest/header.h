/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header of a perf.data file: its events with their attributes, ids and names, and where the
 * bytes of each feature are.
 */
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session.h"

/* ---- attributes ---- */

/* Parses an attr of at most `size` bytes. Fields beyond the attr's own size, or beyond `size`, are
 * 0; unknown fields are skipped. False: shorter than the first one (64 bytes). */
bool attr_parse(const void *data, size_t size, bool swap, struct perf_event_attr *attr);

/* Returns the attr's own size field, or 64 for 0 (the first version). `data` has 8 bytes. */
size_t attr_size(const void *data, bool swap);

/* The offset of the attr's flags, one word between read_format and wakeup_events. */
#define ATTR_FLAGS_OFFSET (offsetof(struct perf_event_attr, read_format) + sizeof(uint64_t))

/* ---- events ---- */

/* The events of a file, by index and id. Zero-initialized is empty. Adding moves others. */
struct event_table {
	struct event *events;
	struct sample_layout *layouts; /* one for each event */
	size_t count;
	size_t capacity, layout_capacity;
	struct hash_map by_id; /* id -> index */
	struct arena arena;    /* ids and names */
};

#define EVENT_NONE UINT32_MAX

/* Adds an event with `id_count` ids, as the file has them, perhaps unaligned; names come later. */
void event_table_add(struct event_table *table, const struct perf_event_attr *attr,
		     const uint8_t *ids, size_t id_count, bool swap);
uint32_t event_table_find(const struct event_table *table, uint64_t id);
/* Returns the event of a record with this id. Id 0, of made records, means the first. */
uint32_t event_table_resolve(const struct event_table *table, uint64_t id);
/* Names an event, unless it has a name already or the name is empty. */
void event_table_name(struct event_table *table, uint32_t index, const char *name);
void event_table_deinit(struct event_table *table);

/* Returns perf's name of an attr ("cycles:u", "L1-dcache-load-misses"), to be freed. */
char *event_name_from_attr(const struct perf_event_attr *attr);

/* ---- the header ---- */

struct feature_section {
	const uint8_t *data; /* NULL: the file does not have it */
	size_t size;
	uint64_t offset; /* in the file, for messages */
};

struct perf_header {
	bool pipe;
	bool swap;        /* written in the other byte order */
	bool unfinished;  /* the size of the data was never written: the recorder was killed */
	bool interrupted; /* dtprof's recorder was killed, or still runs: FILE_RECORDING_MARK */
	int version;      /* 1: PERFFILE, 2: PERFILE2 */
	uint64_t data_offset;
	uint64_t data_size;    /* bytes of data that the file has; for a pipe, all of them */
	uint64_t data_claimed; /* bytes of data that the header claims */
	uint64_t size;         /* of the header, in bytes */
	struct feature_section features[FEATURE_BITS];
	unsigned int lost_features; /* number of features beyond the end of the file */
};

/* Parses the header, the attrs into *events, and the table of features. A pipe has only magic and
 * size. The features point into `data`. `name` is for messages. */
struct error *header_parse(const uint8_t *data, size_t size, const char *name,
			   struct perf_header *header, struct event_table *events);
