/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf.data format (tools/perf/Documentation/perf.data-file-format.txt), as far as libperf's
 * <perf/event.h> does not have it: the header of the file, the numbers of features, and newer types
 * of records.
 */
#ifndef DTPROF_INGEST_FORMAT_H
#define DTPROF_INGEST_FORMAT_H

#include <linux/perf_event.h>
#include <perf/event.h>
#include <stdint.h>

/* "PERFILE2" and "PERFFILE" as little-endian words */
#define PERF_MAGIC_V2 0x32454c4946524550ULL
#define PERF_MAGIC_V1 0x454c494646524550ULL

/* The file header: magic, size, attr size, three sections, 256 feature bits. */
#define FILE_HEADER_SIZE    104
#define FILE_HEADER_SIZE_V0 72 /* without the bits of features */
#define PIPE_HEADER_SIZE    16
#define RECORD_HEADER_SIZE  8
#define FILE_SECTION_SIZE   16
/* The offset of the event types while recording; unread since Linux 3.10, of size 0. */
#define FILE_RECORDING_MARK UINT64_C(0x474e4944524f4345)

/* Records that are newer than the oldest libperf that dtprof is built with (6.1). */
enum {
	RECORD_CALLCHAIN_DEFERRED = 22,
	RECORD_COMPRESSED2 = 83,
};

/* The size of a record has 16 bits, and perf keeps records at multiples of 8 bytes. */
#define RECORD_SIZE_MAX 65528

/* The fields of the trailer that attr.sample_id_all adds to records, one word each. */
#define SAMPLE_ID_FIELDS                                                                           \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |             \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Returns the size of that trailer in bytes; 0 without sample_id_all. */
static inline size_t sample_id_size(const struct perf_event_attr *attr)
{
	return attr->sample_id_all
		       ? 8 * (size_t)__builtin_popcountll(attr->sample_type & SAMPLE_ID_FIELDS)
		       : 0;
}

/* The name that a group of events without a name has in the feature GROUP_DESC. */
#define GROUP_NAME_NONE "{anon_group}"

/* Features by number: the bits of the header, and the records PERF_RECORD_HEADER_FEATURE. */
enum feature {
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
	FEATURE_BRANCH_STACK = 15,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_GROUP_DESC = 17,
	FEATURE_AUXTRACE = 18,
	FEATURE_STAT = 19,
	FEATURE_CACHE = 20,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_MEM_TOPOLOGY = 22,
	FEATURE_CLOCKID = 23,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_BPF_PROG_INFO = 25,
	FEATURE_BPF_BTF = 26,
	FEATURE_COMPRESSED = 27,
	FEATURE_CPU_PMU_CAPS = 28,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_HYBRID_TOPOLOGY = 30,
	FEATURE_PMU_CAPS = 31,
	FEATURE_CPU_DOMAIN_INFO = 32,
	FEATURE_E_MACHINE = 33,
	FEATURE_CACHELINE_SIZE = 34,
	FEATURE_BITS = 256,
};

/* A flag of dtprof alone, in the misc of a CGROUP record: the image of the group's container
 * follows the path. perf reads the path alone. */
#define CGROUP_HAS_IMAGE (1 << 14)

/* Bits of perf_event_attr.branch_sample_type, of Linux 6.1 and 6.8. */
#define BRANCH_PRIV_SAVE (1ULL << 18)
#define BRANCH_COUNTERS  (1ULL << 19)

#endif
