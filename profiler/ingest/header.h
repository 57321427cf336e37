/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands before and behind the records: file header, attrs, ids, and where each feature's bytes are.
 *
 * In a pipe all but the magic and the header's size comes as records, which collect.c takes.
 */
#ifndef DTPROF_INGEST_HEADER_H
#define DTPROF_INGEST_HEADER_H

#include "profiler/base/error.h"
#include "profiler/ingest/event_table.h"
#include "profiler/ingest/format.h"

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
