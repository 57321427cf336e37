/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording from its options to the finished file. */
#ifndef DTPROF_RECORD_RECORD_H
#define DTPROF_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/error.h"
#include "profiler/record/attr.h"
#include "profiler/record/target.h"

enum record_notice {
	RECORD_DETAIL,  /* for -v */
	RECORD_NOTE,    /* what was chosen; not with -q */
	RECORD_WARNING, /* something is missing from the recording */
};

struct record_options {
	const char *root;        /* of /sys and /proc (sysfs.h): "" but in tests */
	const char *events;      /* as after -e; NULL: the machine's best memory event */
	const char *cgroups;     /* -G (cgroup.h); NULL: none */
	const char *filter;      /* --filter (sample_filter.h); NULL: none */
	unsigned int latency;    /* ldlat of the default events, cycles */
	unsigned int operations; /* those that default events are of: set of enum memory_operation; 0: all */
	bool frequency_given;    /* -F: more than the kernel allows is an error, not lowered */
	bool maximum_frequency;  /* -F max */
	struct attr_options attr;
	struct target target;
	char *const *workload; /* NULL-terminated; NULL: none */
	bool per_thread;
	const char *output;
	uint64_t max_size;           /* --max-size: end when the file is so large; 0: no limit */
	bool switch_on_signal;       /* --switch-output: a new file on SIGUSR2, */
	uint64_t switch_size;        /* when it has so many bytes, */
	unsigned int switch_seconds; /* after so many seconds; 0: not for that reason */
	unsigned int switch_files;   /* keep so many of them; 0: all */
	unsigned int pages;          /* of a ring buffer; 0: what the kernel lets everybody lock */
	bool no_build_ids;
	unsigned int packing_threads; /* of -z; 0: by the number of CPUs */
	int compression;              /* -z: level of zstd; 0: none */
	int delay;           /* -D: ms from the start to the first sample; 0: none; -1: until it is told to */
	const char *control; /* --control (control.h); NULL: none */
	const char *version; /* of this program, for the file's header */
	int argc;            /* the whole command line, likewise */
	const char *const *argv;
	/* One line, no newline. */
	void (*say)(void *data, enum record_notice notice, const char *message);
	void *say_data;
};

struct record_result {
	uint64_t wakeups;
	uint64_t samples;
	uint64_t bytes;              /* of the file, or of all files */
	uint64_t uncompressed_bytes; /* with -z: what the packed records were before; else 0 */
	uint64_t lost_samples;
	uint64_t lost_records; /* of all kinds, samples included */
	uint64_t throttles;
	uint64_t filtered;   /* samples that the filter dropped */
	int signal;          /* that ended the recording; 0: none */
	bool workload_ended; /* by itself */
	int workload_status; /* of waitpid(2), if it has ended */
};

/*
 * Record until the workload or all targets end, or SIGINT or SIGTERM comes. On an error that comes while
 * recording the file is nevertheless completed with what there is, and *result is set; result->bytes is 0 if
 * there is no file.
 */
struct error *record_run(const struct record_options *options, struct record_result *result);

#endif
