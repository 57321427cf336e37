/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For session_count.c, count.c and count_merge.c only: what counting threads hand to the merging. */
#ifndef DTPROF_INGEST_COUNT_H
#define DTPROF_INGEST_COUNT_H

#include "profiler/ingest/chain_table.h"
#include "profiler/ingest/count_table.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/trace_table.h"
#include "profiler/ingest/trace_text.h"

/*
 * Words of a key, in this order; a word whose fields are not asked for is left out, but the first is always
 * there:
 * - event << 38 | exact << 37 | after << 36 | store << 35 | level << 32 | dso id + 1 (0: none)
 * - offset in the file, or the address itself where there is no file
 * - comm id, or COUNT_KEY_UNNAMED | tid where the thread has no name
 * - cpu
 * - pid << 32 | tid, the one that is not asked for 0
 * - weight
 * - data source
 * - data address, its dso and offset: three words (struct count_data)
 * - what types are held against: two
 * - one for each of count_extras
 * - the size of the map
 * - how many threads ran
 * - device and inode of the thread's cgroup namespace: two
 * - the number of the tracepoint fields' values (struct trace_table)
 * - the number of the record's text (struct trace_texts)
 * - the chain: the number of its innermost frame
 */
#define COUNT_KEY_WORDS   29
#define COUNT_KEY_UNNAMED (1ULL << 32)
#define COUNT_KEY_LEVEL   32
#define COUNT_KEY_STORE   35
#define COUNT_KEY_AFTER   36
#define COUNT_KEY_EXACT   37
#define COUNT_KEY_EVENT   38

/* Fields with which samples of the kernel and of user space are told apart. */
#define COUNT_LEVEL_FIELDS (COUNT_PLACE | COUNT_DSO | COUNT_DATA_ADDRESS | COUNT_PHYSICAL_ADDRESS)
/* Fields that take a sample's registers and object files. */
#define COUNT_DATA_FIELDS (COUNT_DATA_ADDRESS | COUNT_DATA_CHECK)

unsigned int count_key_words(unsigned int fields);

/* Fields of one word each that only a sample read as a whole has: where they are in struct sample, and where
 * they go in struct counted. */
struct count_extra {
	unsigned int field;
	size_t in_sample;
	size_t in_counted;
};
#define COUNT_EXTRAS 10
extern const struct count_extra count_extras[COUNT_EXTRAS];

/* What one thread has counted. */
struct count_result {
	struct count_table table;
	uint64_t unknown_samples;
	uint64_t bad_samples;
	uint64_t first_bad;        /* position of the first bad one */
	struct trace_table traces; /* with COUNT_TRACE, the same */
	struct trace_texts texts;  /* with COUNT_TRACE_TEXT, the same */
	struct chain_table chains; /* with COUNT_CHAIN, of which there is one result only */
};

/* Pass 2 over all samples, on `threads` threads: one result each. */
void count_run(struct session *session, const struct count_options *options, unsigned int threads,
	       struct count_result *results);

/* The entries of all tables as counted, sorted and with equal ones merged; takes the tables' contents. */
struct sample_counts *count_merge(struct session *session, unsigned int fields, struct count_result *results,
				  size_t result_count);

#endif
