// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording from beginning to end: see record.h. */
#include "profiler/record/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/record/breakpoint.h"
#include "profiler/record/recording.h"

#define OPEN_TRIES 100
/* What most samples have, and the frames of most call chains. */
#define SAMPLE_BYTES     64
#define CHAIN_BYTES      256
#define MAX_DEFAULT_RING (8UL << 20)
#define WAKEUP_BYTES     (256UL << 10)

void recording_say(const struct recording *recording, enum record_notice notice, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	_cleanup_free_ char *message = xvasprintf(format, arguments);
	va_end(arguments);
	recording->options->say(recording->options->say_data, notice, message);
}

/* Signals are read from a descriptor, so that they wake the same wait as the ring buffers do. */
static struct error *take_signals(struct recording *recording)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR2 };
	sigset_t mask;

	sigemptyset(&mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(&mask, signals[i]);
	if (sigprocmask(SIG_BLOCK, &mask, &recording->old_mask))
		return error_errno(errno, "sigprocmask");
	recording->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return recording->signal_fd < 0 ? error_errno(errno, "signalfd") : NULL;
}

/*
 * A limit on file sizes or a closed pipe are errors of write(), said like others. After the workload is
 * forked: it must not inherit this.
 */
static void ignore_write_signals(struct recording *recording)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGXFSZ, &ignore, &recording->old_file_limit_action);
	sigaction(SIGPIPE, &ignore, &recording->old_pipe_action);
	recording->write_signals_ignored = true;
}

/* The bytes that a CPU's events may make in a second; call chains and stacks are of unknown length, up to a
 * limit. */
static uint64_t bytes_a_second(const struct recording *recording)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < recording->events.count; i++) {
		const struct perf_event_attr *attr = &recording->events.items[i].attr;
		uint64_t registers = __builtin_popcountll(attr->sample_regs_intr) +
				     __builtin_popcountll(attr->sample_regs_user);
		uint64_t size = SAMPLE_BYTES + 8 * registers + attr->sample_stack_user;

		if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
			size += CHAIN_BYTES;
		if (attr->freq)
			bytes += size * attr->sample_freq;
	}
	return bytes;
}

/*
 * The ring size that everybody may lock: kernel.perf_event_mlock_kb without the page of the header. Who may
 * lock more gets room for a second of samples: a recorder that waits for a busy CPU then loses none.
 */
static unsigned int default_pages(const struct recording *recording)
{
	const struct rights *rights = &recording->rights;
	uint64_t page = sysconf(_SC_PAGESIZE), pages = 1;
	uint64_t second = rights->may_lock ? bytes_a_second(recording) : 0;

	while (pages * 2 * page + page <= rights->lockable_kilobytes * 1024)
		pages *= 2;
	while (pages * page < second && pages * 2 * page <= MAX_DEFAULT_RING)
		pages *= 2;
	return pages;
}

static struct error *find_threads(struct recording *recording)
{
	thread_ids_release(&recording->threads);
	if (target_given(&recording->options->target))
		return target_threads(&recording->options->target, &recording->threads);
	thread_ids_add(&recording->threads, recording->workload.pid);
	return NULL;
}

/* Names of the program's variables have their addresses only now that it is mapped. */
static struct error *resolve_breakpoints(struct recording *recording)
{
	_cleanup_thread_ids_ struct thread_ids processes = { 0 };

	if (!breakpoint_pending(&recording->events))
		return NULL;
	thread_processes(&recording->threads, &processes);
	return breakpoint_resolve(&recording->events, recording->options->root, &processes);
}

/*
 * Of a large ring the kernel is asked to tell when there is something to write, not when it is half full:
 * what is in it when this process or the machine comes to its end is lost.
 */
static void set_watermark(struct recording *recording, unsigned int pages)
{
	uint64_t size = pages * (uint64_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; size > 2 * WAKEUP_BYTES && i < recording->events.count; i++) {
		recording->events.items[i].attr.watermark = 1;
		recording->events.items[i].attr.wakeup_watermark = WAKEUP_BYTES;
	}
}

static struct error *open_counters(struct recording *recording)
{
	const struct record_options *options = recording->options;
	struct counters_options counters = { .cpu_list = options->target.cpu_list,
					     .per_thread = options->per_thread,
					     .pages = options->pages ? options->pages
								     : default_pages(recording) };
	struct error *error = NULL;

	set_watermark(recording, counters.pages);
	/* A thread of the list may have ended by the time that it is opened: then look again. */
	for (int tries = 0; tries < OPEN_TRIES; tries++) {
		RETURN_ERROR(find_threads(recording));
		RETURN_ERROR(resolve_breakpoints(recording));
		error = counters_open(&recording->events, &recording->threads, &counters, &recording->rights,
				      &recording->counters);
		if (!error || error->code != ERROR_NOT_FOUND)
			return error;
		if (tries + 1 < OPEN_TRIES)
			error_free(error);
	}
	return error;
}

static struct error *run(struct recording *recording)
{
	RETURN_ERROR(recording_begin_output(recording));
	if (recording->stop_workload)
		RETURN_ERROR(workload_continue(&recording->workload));
	else if (recording->workload.pid)
		RETURN_ERROR(workload_start(&recording->workload));
	return recording_loop(recording);
}

/* All that is left in the rings, and what only the end knows. */
static struct error *finish_records(struct recording *recording)
{
	bool moved;

	counters_disable(&recording->counters, &recording->events, false);
	counters_disable(&recording->counters, &recording->events, true);
	RETURN_ERROR(recording_drain(recording, true, &moved));
	return recording_add_lost(recording);
}

static struct error *first_of(struct error *first, struct error *second)
{
	if (!first)
		return second;
	error_free(second);
	return first;
}

static struct error *record_into_file(struct recording *recording)
{
	struct error *error = run(recording);

	/* Nothing was recorded: leave no file, and keep the one that was there. */
	if (error && recording->workload.pid && !recording->scan.samples && !recording->result->bytes) {
		writer_abandon(recording->writer);
		recording->writer = NULL;
		return error;
	}
	workload_poll(&recording->workload);
	recording->result->workload_ended = recording->workload.ended;
	recording->result->workload_status = recording->workload.status;
	workload_terminate(&recording->workload);
	if (!error)
		error = finish_records(recording);
	if (recording->writer)
		error = first_of(error, recording_close_output(recording));
	return error;
}

static struct error *start(struct recording *recording)
{
	const struct record_options *options = recording->options;
	struct workload_options workload;

	RETURN_ERROR(rights_read(options->root, &recording->rights));
	if (options->filter)
		RETURN_ERROR(sample_filter_parse(options->filter, &recording->filter));
	if (options->control)
		RETURN_ERROR(control_open(options->control, &recording->control));
	RETURN_ERROR(recording_choose_events(recording));
	RETURN_ERROR(take_signals(recording));
	workload = (struct workload_options){ .mask = &recording->old_mask,
					      .stop = recording->stop_workload,
					      .divert_output = strcmp(options->output, "-") == 0 };
	if (options->workload)
		RETURN_ERROR(workload_prepare(options->workload, &workload, &recording->workload));
	if (recording->stop_workload)
		RETURN_ERROR(workload_start(&recording->workload));
	ignore_write_signals(recording);
	RETURN_ERROR(open_counters(recording));
	if (options->filter)
		RETURN_ERROR(sample_filter_attach(&recording->filter, &recording->events,
						  &recording->counters, &recording->filter_program));
	RETURN_ERROR(recording_open_output(recording));
	return record_into_file(recording);
}

static void give_back_signals(struct recording *recording)
{
	struct signalfd_siginfo again;

	if (recording->write_signals_ignored) {
		sigaction(SIGXFSZ, &recording->old_file_limit_action, NULL);
		sigaction(SIGPIPE, &recording->old_pipe_action, NULL);
	}
	if (recording->signal_fd < 0)
		return;
	/* The same Ctrl-C may have come twice, by the terminal and by who started this: it is done with. */
	while (read(recording->signal_fd, &again, sizeof(again)) == sizeof(again))
		;
	close(recording->signal_fd);
	sigprocmask(SIG_SETMASK, &recording->old_mask, NULL);
}

/* The workload may take its time to end: from here on Ctrl-C ends this program, whose file is complete. */
static void release(struct recording *recording)
{
	workload_terminate(&recording->workload);
	workload_wait_for(&recording->workload, 1000);
	give_back_signals(recording);
	workload_wait(&recording->workload);
	counters_close(&recording->counters);
	sample_filter_program_close(&recording->filter_program);
	sample_filter_release(&recording->filter);
	writer_destroy(recording->writer);
	compressor_destroy(recording->compressor);
	object_table_release(&recording->scan.objects);
	event_list_release(&recording->events);
	thread_ids_release(&recording->threads);
	name_list_release(&recording->finished);
	strbuf_release(&recording->kernel_records);
	free(recording->online_cpus);
	control_close(&recording->control);
	closep(&recording->epoll_fd);
	closep(&recording->timer_fd);
	closep(&recording->switch_fd);
}

struct error *record_run(const struct record_options *options, struct record_result *result)
{
	struct recording recording = { .options = options,
				       .attr = options->attr,
				       .result = result,
				       .kernel_records = STRBUF_INIT,
				       .filter_program = { .program_fd = -1, .map_fd = -1 },
				       .control = CONTROL_INIT,
				       .signal_fd = -1,
				       .epoll_fd = -1,
				       .timer_fd = -1,
				       .switch_fd = -1 };
	struct error *error;

	*result = (struct record_result){ 0 };
	recording.attr.system_wide = options->target.system_wide;
	recording.attr.delayed = options->delay != 0;
	recording.attr.separate_follower =
		options->delay || options->control || options->cgroups || options->attr.overwrite;
	recording.attr.enable_on_exec = options->workload && !target_given(&options->target);
	error = start(&recording);
	result->wakeups = recording.wakeups;
	result->signal = recording.signal;
	result->filtered = sample_filter_dropped(&recording.filter_program);
	release(&recording);
	return error;
}
