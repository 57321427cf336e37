/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf.data format (tools/perf/Documentation/perf.data-file-format.txt), as far as libperf's
 * <perf/event.h> does not have it: the header of the file, the numbers of features, and newer types
 * of records.
 */
#pragma once

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

/* Features by number, from 1: bits of the header, and records PERF_RECORD_HEADER_FEATURE. */
/* clang-format off */
#define FEATURES(ROW) \
	ROW(TRACING_DATA) ROW(BUILD_ID) ROW(HOSTNAME) ROW(OSRELEASE) ROW(VERSION) ROW(ARCH) \
	ROW(NRCPUS) ROW(CPUDESC) ROW(CPUID) ROW(TOTAL_MEM) ROW(CMDLINE) ROW(EVENT_DESC) \
	ROW(CPU_TOPOLOGY) ROW(NUMA_TOPOLOGY) ROW(BRANCH_STACK) ROW(PMU_MAPPINGS) ROW(GROUP_DESC) \
	ROW(AUXTRACE) ROW(STAT) ROW(CACHE) ROW(SAMPLE_TIME) ROW(MEM_TOPOLOGY) ROW(CLOCKID) \
	ROW(DIR_FORMAT) ROW(BPF_PROG_INFO) ROW(BPF_BTF) ROW(COMPRESSED) ROW(CPU_PMU_CAPS) \
	ROW(CLOCK_DATA) ROW(HYBRID_TOPOLOGY) ROW(PMU_CAPS) ROW(CPU_DOMAIN_INFO) ROW(E_MACHINE) \
	ROW(CLN_SIZE)
/* clang-format on */

enum feature {
	FEATURE_NONE,
#define FEATURE_NUMBER(name) FEATURE_##name,
	FEATURES(FEATURE_NUMBER)
#undef FEATURE_NUMBER
		FEATURE_BITS = 256
};

/* The generic events of perf_event_open(2) by number: the end of the constant's name, perf's name,
 * and another name that perf accepts. Caches have a third. */
/* clang-format off */
#define HARDWARE_EVENTS(ROW) \
	ROW(CPU_CYCLES, "cycles", "cpu-cycles") ROW(INSTRUCTIONS, "instructions", NULL) \
	ROW(CACHE_REFERENCES, "cache-references", NULL) ROW(CACHE_MISSES, "cache-misses", NULL) \
	ROW(BRANCH_INSTRUCTIONS, "branches", "branch-instructions") \
	ROW(BRANCH_MISSES, "branch-misses", NULL) ROW(BUS_CYCLES, "bus-cycles", NULL) \
	ROW(STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend", "idle-cycles-frontend") \
	ROW(STALLED_CYCLES_BACKEND, "stalled-cycles-backend", "idle-cycles-backend") \
	ROW(REF_CPU_CYCLES, "ref-cycles", NULL)

#define SOFTWARE_EVENTS(ROW) \
	ROW(CPU_CLOCK, "cpu-clock", NULL) ROW(TASK_CLOCK, "task-clock", NULL) \
	ROW(PAGE_FAULTS, "page-faults", "faults") ROW(CONTEXT_SWITCHES, "context-switches", "cs") \
	ROW(CPU_MIGRATIONS, "cpu-migrations", "migrations") \
	ROW(PAGE_FAULTS_MIN, "minor-faults", NULL) ROW(PAGE_FAULTS_MAJ, "major-faults", NULL) \
	ROW(ALIGNMENT_FAULTS, "alignment-faults", NULL) \
	ROW(EMULATION_FAULTS, "emulation-faults", NULL) ROW(DUMMY, "dummy", NULL) \
	ROW(BPF_OUTPUT, "bpf-output", NULL) ROW(CGROUP_SWITCHES, "cgroup-switches", NULL)

#define EVENT_CACHES(ROW) \
	ROW(L1D, "L1-dcache", "l1d", "L1-data") ROW(L1I, "L1-icache", "l1i", "L1-instruction") \
	ROW(LL, "LLC", "L2", NULL) ROW(DTLB, "dTLB", "d-tlb", "Data-TLB") \
	ROW(ITLB, "iTLB", "i-tlb", "Instruction-TLB") ROW(BPU, "branch", "bpu", "btb") \
	ROW(NODE, "node", NULL, NULL)
/* clang-format on */

/* A flag of dtprof alone, in the misc of a CGROUP record: the image of the group's container
 * follows the path. perf reads the path alone. */
#define CGROUP_HAS_IMAGE (1 << 14)

/* Bits of perf_event_attr.branch_sample_type, of Linux 6.1 and 6.8. */
#define BRANCH_PRIV_SAVE (1ULL << 18)
#define BRANCH_COUNTERS  (1ULL << 19)
