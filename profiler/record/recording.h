/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a recording, shared by the files that make it: for record*.c alone. */
#ifndef DTPROF_RECORD_RECORDING_H
#define DTPROF_RECORD_RECORDING_H

#include <signal.h>
#include <time.h>

#include "profiler/record/compress.h"
#include "profiler/record/control.h"
#include "profiler/record/counters.h"
#include "profiler/record/sample_filter.h"
#include "profiler/record/record.h"
#include "profiler/record/record_scan.h"
#include "profiler/record/rights.h"
#include "profiler/record/synthesize.h"
#include "profiler/record/workload.h"
#include "profiler/record/writer.h"

struct recording {
	const struct record_options *options;
	struct attr_options attr;
	struct rights rights;
	struct event_list events;
	struct thread_ids threads; /* that counters are opened for; one -1: system-wide */
	struct counters counters;
	struct sample_filter filter;
	struct sample_filter_program filter_program;
	struct workload workload;
	bool stop_workload; /* it must be mapped before events can be opened: breakpoints on names */
	struct writer *writer;
	struct compressor *compressor; /* NULL: none */
	struct record_scan scan;
	struct strbuf kernel_records; /* recording_add_kernel() */
	struct strbuf *early;         /* takes what the rings have while /proc is read; else NULL */
	struct control control;
	sigset_t old_mask;
	struct sigaction old_file_limit_action;
	struct sigaction old_pipe_action;
	bool write_signals_ignored;
	int signal_fd;
	int epoll_fd;
	int timer_fd;              /* runs out when the delay is over; -1: there is none */
	int switch_fd;             /* runs out when a new file is due; -1: there is none */
	uint64_t begun_size;       /* of the file before what was recorded: the processes at its begin */
	bool switch_now;           /* a new file is asked for */
	struct name_list finished; /* files that are complete, with --switch-output */
	struct record_result *result;
	uint64_t wakeups;
	size_t live; /* counters whose threads have not ended */
	int signal;
	bool counting; /* counters are on, or will be with the exec */
	bool done;
	char *online_cpus;       /* of a system-wide recording, as they were last seen; NULL: not yet */
	struct timespec flushed; /* when the file's header was last brought up to date */
};

void recording_say(const struct recording *recording, enum record_notice notice, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The events with their attrs, tried on this kernel: record_events.c. */
struct error *recording_choose_events(struct recording *recording);
/* Move records to the file until the recording is done: record_loop.c. */
struct error *recording_loop(struct recording *recording);
/*
 * One round over all rings; *moved: there was something. Rings that the kernel overwrites are taken only with
 * `snapshot`.
 */
struct error *recording_drain(struct recording *recording, bool snapshot, bool *moved);
/* Records that this program makes itself: into the file, seen by the scan. */
struct error *recording_add(struct recording *recording, const void *records, size_t size);
/* Commands that have come through --control: record_control.c. *closed: no more will come. */
struct error *recording_handle_control(struct recording *recording, bool *closed);
/* Say which CPUs went offline or came online since the last call: record_cpus.c. */
void recording_check_cpus(struct recording *recording);
/* What the kernel counted as lost, as LOST_SAMPLES records: record_lost.c. */
struct error *recording_add_lost(struct recording *recording);

/* The kernel, and the processes as they are now: record_existing.c. */
struct error *recording_add_kernel(struct recording *recording);
struct error *recording_add_existing(struct recording *recording);

/* The output: record_output.c. Opened, begun with what stands first, closed with its figures added to the
 * result. */
struct error *recording_open_output(struct recording *recording);
struct error *recording_begin_output(struct recording *recording);
struct error *recording_close_output(struct recording *recording);
/* There will be several files, and going over to the next one. */
bool recording_switches(const struct recording *recording);
struct error *recording_switch_output(struct recording *recording);

#endif
