/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a recording, shared by record.c (what is recorded and when) and output.c (rings and
 * files).
 */
#pragma once

#include <time.h>

#include "profiler/record/bpf_keep.h"
#include "profiler/record/writer.h"
#include "profiler/record/sample_filter.h"
#include "profiler/record/open.h"
#include "profiler/record/record.h"
#include "profiler/record/ring.h"
#include "profiler/record/synthesize.h"
#include "profiler/record/workload.h"

struct recording {
	const struct record_options *options;
	struct attr_options attr;
	struct rights rights;
	struct event_list events;
	struct thread_ids threads; /* that counters are opened for; a single -1: system-wide */
	struct counters counters;
	struct sample_filter filter;
	struct sample_filter_program filter_program;
	struct workload workload;
	bool stop_workload; /* breakpoints on names: it must be mapped before events are opened */
	struct writer *writer;
	struct compressor *compressor; /* NULL: none */
	struct record_scan scan;
	struct bpf_keep bpf;          /* of the scan */
	struct strbuf kernel_records; /* see recording_add_kernel() */
	struct strbuf *early;         /* takes records while /proc is read; else NULL */
	sigset_t old_mask;
	struct sigaction old_file_limit_action;
	struct sigaction old_pipe_action;
	bool write_signals_ignored;
	int signal_fd, epoll_fd;
	int timer_fd;              /* expires when the delay is over; -1: no delay */
	int switch_fd;             /* expires when a new file is due; -1: never */
	uint64_t begun_size;       /* of the file before the first record from a ring */
	bool switch_now;           /* a new file is due */
	struct name_list finished; /* --switch-output: names of the complete files */
	struct record_result *result;
	uint64_t wakeups;
	size_t live;          /* number of counters whose threads have not ended */
	bool dropped;         /* the kernel took the counters from a workload that goes on */
	uint64_t target_time; /* ns that the threads of -p, -t or -u had run before */
	int signal;
	bool counting; /* counters are on, or will be after the exec */
	bool done;
	char *online_cpus;       /* system-wide: as they were last seen; NULL: not seen yet */
	struct timespec flushed; /* when writer_flush() was last called */
};

/* Prints a message through the options. */
void recording_say(const struct recording *recording, enum record_notice notice, const char *format,
		   ...) __attribute__((format(printf, 3, 4)));

/* ---- record.c ---- */

/* Writes records that this program made into the file; the scan sees them. */
struct error *recording_add(struct recording *recording, const void *records, size_t size);
struct error *recording_add_kernel(struct recording *recording);
/* Writes the records that describe the processes as they are now. */
struct error *recording_add_existing(struct recording *recording);
/* Tells the user which CPUs went offline or came online since the last call. */
void recording_check_cpus(struct recording *recording);

/* ---- rights.c ---- */

/* Returns why there are no samples, to be freed. Call it when the workload was waited for. */
char *recording_explain_empty(const struct recording *recording);
/* Returns what of the workload is not in a recording with samples, to be freed, or NULL. */
char *recording_explain_rest(const struct recording *recording);

/* ---- output.c ---- */

/* Writes whole records of this program into the file; with -z, many are packed. */
struct error *recording_write(struct recording *recording, const void *records, size_t size);
/* Moves the records that all rings have now into the file, or into `early`. *moved tells whether
 * there were any. Rings that the kernel overwrites are read only with `snapshot`. */
struct error *recording_drain(struct recording *recording, bool snapshot, bool *moved);
/* Writes a LOST_SAMPLES record for each counter that lost samples. */
struct error *recording_add_lost(struct recording *recording);
struct error *recording_open_output(struct recording *recording);
/* Writes records and features that come first. The first call also starts counting. */
struct error *recording_begin_output(struct recording *recording);
/* Closes the output, and adds its figures to the result. */
struct error *recording_close_output(struct recording *recording);
/* Completes the output and begins the next file of --switch-output. */
struct error *recording_switch_output(struct recording *recording);
