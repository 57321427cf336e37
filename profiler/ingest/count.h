/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The form of counting keys, and what counting hands to merging. Private to count.c, count_merge.c
 * and count_data.c.
 */
#ifndef DTPROF_INGEST_COUNT_H
#define DTPROF_INGEST_COUNT_H

#include "profiler/ingest/count_chain.h"
#include "profiler/ingest/count_table.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/tracepoint/values.h"

/*
 * A key has these words in this order. The first word is always there; the others only if their fields are
 * counted by:
 * - event << 38 | exact << 37 | after << 36 | store << 35 | level << 32 | DSO id + 1 (0: none)
 * - offset in the file, or the address itself if there is no file
 * - comm id, or COUNT_KEY_UNNAMED | tid if the thread has no name
 * - cpu
 * - pid << 32 | tid, either of which is 0 if it is not counted by
 * - weight
 * - data source
 * - data address, its DSO and offset: three words (struct count_data)
 * - what types are checked against: two words
 * - one word for each row of COUNTED_FIELDS
 */
#define COUNT_KEY_ONE(...) +1
#define COUNT_KEY_WORDS    (12 COUNTED_FIELDS(COUNT_KEY_ONE, COUNT_KEY_ONE, COUNT_KEY_ONE)) /* at most */
#define COUNT_KEY_UNNAMED  (1ULL << 32)
#define COUNT_KEY_LEVEL    32
#define COUNT_KEY_STORE    35
#define COUNT_KEY_AFTER    36
#define COUNT_KEY_EXACT    37
#define COUNT_KEY_EVENT    38

/* Fields that separate samples of the kernel from those of user space. */
#define COUNT_LEVEL_FIELDS (COUNT_PLACE | COUNT_DSO | COUNT_DATA_ADDRESS | COUNT_PHYSICAL_ADDRESS)
/* Fields that need a sample's registers and object files. */
#define COUNT_DATA_FIELDS (COUNT_DATA_ADDRESS | COUNT_DATA_CHECK)

/* The samples that one thread has counted. */
struct count_result {
	struct count_table table;
	uint64_t unknown_samples;
	uint64_t bad_samples;
	uint64_t first_bad;        /* position of the first bad sample */
	struct trace_table traces; /* with COUNT_TRACE */
	struct trace_texts texts;  /* with COUNT_TRACE_TEXT */
	struct chain_table chains; /* with COUNT_CHAIN; then there is only one result */
};

/* Returns the entries of all results, sorted and with equal ones merged. Takes over the results'
 * contents. */
struct sample_counts *count_merge(struct session *session, uint64_t fields, struct count_result *results,
				  size_t result_count);

#endif
