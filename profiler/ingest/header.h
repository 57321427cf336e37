/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file header and the events that it declares: their attributes, ids and names, and where the bytes of
 * each feature are.
 */
#ifndef DTPROF_INGEST_HEADER_H
#define DTPROF_INGEST_HEADER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "profiler/base/error.h"
#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session.h"

/* ---- attributes ---- */

/*
 * Reads the attr in the first `size` bytes; fields beyond the attr's own size (or `size`) are 0, those that
 * this program does not know are passed over. False: shorter than the first published attr (64 bytes).
 */
bool attr_parse(const void *data, size_t size, bool swap, struct perf_event_attr *attr);

/*
 * The attr's size as its own size field gives it (64 where that is 0, as in the first version); *data must
 * hold 8 bytes.
 */
size_t attr_size(const void *data, bool swap);

/* ---- events ---- */

/* Zero-initialized is empty. Events move while they are added: take pointers afterwards. */
struct event_table {
	struct event *events;
	struct sample_layout *layouts; /* one an event */
	size_t count;
	size_t capacity;
	size_t layout_capacity;
	struct hash_map by_id;
	struct arena arena; /* ids and names */
};

#define EVENT_NONE UINT32_MAX

/* `ids`: `id_count` words of 64 bits as the file has them, not aligned. Names are set later. */
void event_table_add(struct event_table *table, const struct perf_event_attr *attr, const uint8_t *ids,
		     size_t id_count, bool swap);
/* Index of the event with this id, or EVENT_NONE. */
uint32_t event_table_find(const struct event_table *table, uint64_t id);
/* The event of a record whose id field says `id`: what synthesized records have, 0, is the first one's. */
uint32_t event_table_resolve(const struct event_table *table, uint64_t id);
/* Only where the event has no name yet. */
void event_table_name(struct event_table *table, uint32_t index, const char *name);
void event_table_deinit(struct event_table *table);

/* The name that perf makes of an attr without one ("cycles:u", "L1-dcache-load-misses"); to be freed. */
char *event_name_from_attr(const struct perf_event_attr *attr);

/* ---- the header ---- */

/*
 * What stands before and behind the records: file header, attrs, ids, and where each feature's bytes are.
 *
 * In a pipe all but the magic and the header's size comes as records, which records.c takes.
 */

struct feature_section {
	const uint8_t *data; /* NULL: the file does not have it */
	size_t size;
	uint64_t offset; /* in the file, for messages */
};

struct perf_header {
	bool pipe;
	bool swap;       /* written on a machine of the other byte order */
	bool unfinished; /* the data's size was never written: record was killed */
	int version;     /* 1: PERFFILE, 2: PERFILE2 */
	uint64_t data_offset;
	uint64_t data_size;    /* within the file; of a pipe: all that is there */
	uint64_t data_claimed; /* what the header says */
	uint64_t size;         /* of the header */
	struct feature_section features[FEATURE_BITS];
	unsigned int lost_features; /* that lie beyond the file's end */
};

/* Reads header, attrs (into *events) and the table of features. `name` is for messages. */
struct error *header_parse(const uint8_t *data, size_t size, const char *name, struct perf_header *header,
			   struct event_table *events);

#endif
