/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording, from its options to the finished file. */
#pragma once

#include "base/error.h"
#include "profiler/record/attr.h"
#include "profiler/record/held.h"
#include "profiler/record/target.h"

enum record_notice {
	RECORD_DETAIL,  /* printed with -v */
	RECORD_NOTE,    /* a choice that was made; not printed with -q */
	RECORD_WARNING, /* something is missing from the recording */
};

struct record_options {
	const char *root;        /* of /sys and /proc (sysfs.h); "" except in tests */
	const char *events;      /* -e; NULL: the machine's best memory event */
	const char *cgroups;     /* -G (open.h); NULL: none */
	const char *filter;      /* --filter (sample_filter.h); NULL: none */
	unsigned int latency;    /* ldlat of the default events, cycles; 0: their own */
	unsigned int operations; /* of the default events: set of enum memory_operation; 0: all */
	bool frequency_given;    /* -F: a frequency above the limit is an error, and not lowered */
	bool maximum_frequency;  /* -F max */
	struct attr_options attr;
	struct target target;
	char *const *workload; /* NULL-terminated; NULL: none */
	bool per_thread;
	const char *output;
	uint64_t max_size;           /* --max-size: stop at this many bytes; 0: no limit */
	bool switch_on_signal;       /* --switch-output: begin a new file on SIGUSR2 */
	uint64_t switch_size;        /* begin a new file after this many bytes; 0: never */
	unsigned int switch_seconds; /* begin a new file after this many seconds; 0: never */
	unsigned int switch_files;   /* keep this many files; 0: all */
	unsigned int pages;          /* of a ring buffer; 0: as many as everybody may lock */
	unsigned int aux_pages;      /* of an AUX area; 0: as many as perf takes */
	bool off_cpu;                /* also sample threads that go to sleep */
	struct event_probe *probes;  /* also sample these instructions */
	size_t probe_count;
	bool no_build_ids;
	bool hold_files; /* keep the files of maps open until the caller has copied them (held.h) */
	unsigned int packing_threads; /* of -z; 0: depends on the number of CPUs */
	int compression;              /* -z: level of zstd; 0: none */
	int delay;                    /* -D: ms to the first sample; 0: none */
	const char *version;          /* of this program, for the file */
	const char *memory_costs; /* text of what memory costs on this machine; NULL: not known */
	int argc;                 /* the whole command line, for the file */
	const char *const *argv;
	/* Called for each message: one line without a newline. */
	void (*say)(void *data, enum record_notice notice, const char *message);
	void *say_data;
};

struct record_result {
	uint64_t wakeups, samples;
	uint64_t bytes;              /* of all files */
	uint64_t uncompressed_bytes; /* -z: size of the records before they were packed; else 0 */
	uint64_t trace_bytes;        /* of AUX data, of which readers make samples */
	uint64_t lost_samples;
	uint64_t lost_records; /* of any type, samples included */
	uint64_t throttles;
	uint64_t filtered;   /* samples that --filter dropped */
	int signal;          /* the one that ended the recording; 0: none */
	bool workload_ended; /* by itself */
	int workload_status; /* of waitpid(2), if it has ended */
	/* One clause: why there are no samples, as the system tells; to be freed. NULL: some. */
	char *no_samples;
	struct held_files held; /* with hold_files; held_files_deinit() closes them */
};

/* Records until the workload or all targets end, or until SIGINT or SIGTERM. After an error during
 * recording the file is still completed with the records so far, and *result is set; result->bytes
 * is 0 if there is no file. */
struct error *record_run(const struct record_options *options, struct record_result *result);
