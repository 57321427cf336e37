/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf.data file as tools/perf/Documentation/perf.data-file-format.txt in the kernel's tree describes it:
 * a header, the events' ids and attrs, the records, and behind them a table of features with their contents.
 */
#ifndef DTPROF_RECORD_FILE_FORMAT_H
#define DTPROF_RECORD_FILE_FORMAT_H

#include <linux/perf_event.h>
#include <stdint.h>

#define FILE_MAGIC 0x32454c4946524550ULL /* "PERFILE2", little-endian */

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

enum file_feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_GROUP_DESC = 17,
	FEATURE_CACHE = 20,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCKID = 23,
	FEATURE_COMPRESSED = 27,
	FEATURE_CPU_PMU_CAPS = 28,
	FEATURE_HYBRID_TOPOLOGY = 30,
	FEATURE_PMU_CAPS = 31,
	FEATURE_COUNT = 32,
};

/* Strings of features and build ids are padded to this. */
#define FILE_NAME_ALIGN 64

#endif
