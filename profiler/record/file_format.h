/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf.data file as tools/perf/Documentation/perf.data-file-format.txt in the kernel's tree describes it:
 * a header, the events' ids and attrs, the records, and behind them a table of features with their contents.
 */
#ifndef DTPROF_RECORD_FILE_FORMAT_H
#define DTPROF_RECORD_FILE_FORMAT_H

#include <stdint.h>

#include "profiler/ingest/format.h"

struct file_section {
	uint64_t offset;
	uint64_t size;
};

struct file_attr {
	struct perf_event_attr attr;
	struct file_section ids;
};

struct file_header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size; /* of struct file_attr */
	struct file_section attrs;
	struct file_section data;
	struct file_section event_types; /* unused since Linux 3.10 */
	uint64_t features[4];            /* bit N: feature N follows the data */
};

/* What stands at the start of a pipe. */
struct file_pipe_header {
	uint64_t magic;
	uint64_t size;
};

/* Features that this writer may have: their numbers are below this. */
#define FEATURE_COUNT 32

/* Strings of features and build ids are padded to this. */
#define FILE_NAME_ALIGN 64

#endif
