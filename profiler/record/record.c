// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording from beginning to end: see record.h. */
#include "profiler/record/record.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/base/parallel.h"
#include "profiler/record/breakpoint.h"
#include "profiler/record/feature.h"
#include "profiler/record/recording.h"
#include "profiler/record/tracing_data.h"

#define OPEN_TRIES     100
#define DRAIN_INTERVAL 20000000 /* ns */

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
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
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

/* The ring size that everybody may lock: kernel.perf_event_mlock_kb without the page of the header. */
static unsigned int default_pages(const struct rights *rights)
{
	uint64_t page = sysconf(_SC_PAGESIZE), pages = 1;

	while (pages * 2 * page + page <= rights->lockable_kilobytes * 1024)
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

static struct error *open_counters(struct recording *recording)
{
	const struct record_options *options = recording->options;
	struct counters_options counters = { .cpu_list = options->target.cpu_list,
					     .per_thread = options->per_thread,
					     .pages = options->pages ? options->pages
								     : default_pages(&recording->rights) };
	struct error *error = NULL;

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

/* The processes that are there already; none if all that is recorded is a workload that is yet to call exec.
 */
static struct error *running_processes(const struct recording *recording, struct thread_ids *processes)
{
	const struct target *target = &recording->options->target;

	if (target->system_wide)
		return all_processes(processes);
	if (target_given(target) || recording->stop_workload)
		thread_processes(&recording->threads, processes);
	return NULL;
}

struct synthesis_work {
	const struct thread_ids *processes;
	const struct synthesis_options *options;
	struct strbuf *records;
};

static void *synthesize(void *data)
{
	const struct synthesis_work *work = data;

	synthesize_processes(work->processes, work->options, work->records);
	return NULL;
}

/*
 * Counting is on while /proc is read, which takes a while on a machine with many processes: so that no ring
 * buffer fills up meanwhile, its records wait in memory. In the file they follow those of /proc, which belong
 * to time 0.
 */
static struct error *add_processes(struct recording *recording, const struct thread_ids *processes,
				   const struct synthesis_options *options, struct strbuf *records)
{
	struct synthesis_work work = { .processes = processes, .options = options, .records = records };
	_cleanup_strbuf_ struct strbuf early = STRBUF_INIT;
	struct error *error = NULL;
	bool moved, more = true;
	pthread_t thread;

	if (pthread_create(&thread, NULL, synthesize, &work))
		return error_create(ERROR_OTHER, "cannot start a thread");
	recording->early = &early;
	while (more) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += DRAIN_INTERVAL;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		more = pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT;
		if (!error)
			error = recording_drain(recording, &moved);
	}
	recording->early = NULL;
	RETURN_ERROR(error);
	RETURN_ERROR(recording_add(recording, records->data, records->length));
	return early.length ? writer_add_record(recording->writer, early.data, early.length) : NULL;
}

/* What is there already. A workload has only its name until it calls exec. */
static struct error *add_synthesized(struct recording *recording)
{
	const struct record_options *options = recording->options;
	struct synthesis_options synthesis = { .threads = parallel_default_threads() };
	_cleanup_thread_ids_ struct thread_ids processes = { 0 };
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT;
	bool restricted, kernel = false;

	synthesis.id_size = attr_sample_id_size(&recording->events.items[0].attr);
	for (size_t i = 0; i < recording->events.count; i++) {
		kernel = kernel || !recording->events.items[i].attr.exclude_kernel;
		synthesis.data_maps = synthesis.data_maps || recording->events.items[i].attr.mmap_data;
	}
	synthesize_kernel(options->root, &synthesis, &records, &restricted);
	if (restricted && kernel)
		recording_say(recording, RECORD_WARNING,
			      "the kernel hides its addresses, so its samples will have no symbols; as root: "
			      "sysctl "
			      "kernel.kptr_restrict=0");
	RETURN_ERROR(running_processes(recording, &processes));
	if (!processes.count && recording->workload.pid)
		synthesize_comm(recording->workload.pid, recording->workload.pid, "dtprof-exec", &synthesis,
				&records);
	return add_processes(recording, &processes, &synthesis, &records);
}

static void add_compression_feature(struct recording *recording)
{
	struct strbuf content = STRBUF_INIT;

	if (!recording->compressor)
		return;
	compressor_put_feature(recording->compressor, &content);
	writer_set_feature(recording->writer, FEATURE_COMPRESSED, &content);
}

/* Without the formats nobody can read the samples of tracepoints. */
static struct error *add_tracing_data(struct recording *recording)
{
	struct strbuf content = STRBUF_INIT;
	struct error *error = tracing_data_read(&recording->events, recording->options->root, &content);

	if (!error && content.length)
		writer_set_feature(recording->writer, FEATURE_TRACING_DATA, &content);
	strbuf_release(&content);
	return error;
}

/* What is known from the start; a stream has it in front of its records. */
static void add_first_features(struct recording *recording)
{
	const struct record_options *options = recording->options;

	feature_add_machine(recording->writer, options->root, options->version);
	feature_add_command(recording->writer, options->argc, options->argv);
	feature_add_events(recording->writer, &recording->events, &recording->counters);
	add_compression_feature(recording);
}

static void add_last_features(struct recording *recording)
{
	const struct record_options *options = recording->options;
	struct strbuf build_ids = STRBUF_INIT;

	if (recording->scan.samples)
		feature_add_sample_time(recording->writer, recording->scan.first_time,
					recording->scan.last_time);
	if (strcmp(options->output, "-"))
		add_compression_feature(recording);
	if (options->no_build_ids)
		return;
	object_table_finish(&recording->scan.objects, options->root, &build_ids);
	if (build_ids.length)
		writer_set_feature(recording->writer, FEATURE_BUILD_ID, &build_ids);
	strbuf_release(&build_ids);
}

/*
 * Counting begins before what runs is read, so that nothing falls between: what both the kernel and /proc
 * tell is told twice, which does no harm.
 */
static struct error *run(struct recording *recording)
{
	if (!recording->attr.enable_on_exec) {
		counters_enable(&recording->counters, &recording->events, true);
		if (!recording->attr.delayed)
			counters_enable(&recording->counters, &recording->events, false);
	}
	add_first_features(recording);
	RETURN_ERROR(add_tracing_data(recording));
	RETURN_ERROR(add_synthesized(recording));
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
	RETURN_ERROR(recording_drain(recording, &moved));
	return recording_add_lost(recording);
}

static struct error *record_into_file(struct recording *recording, struct record_result *result)
{
	struct error *error = run(recording), *last;

	/* Nothing was recorded: leave no file, and keep the one that was there. */
	if (error && recording->workload.pid && !recording->scan.samples) {
		writer_abandon(recording->writer);
		recording->writer = NULL;
		return error;
	}
	workload_poll(&recording->workload);
	result->workload_ended = recording->workload.ended;
	workload_end(&recording->workload);
	if (!error)
		error = finish_records(recording);
	add_last_features(recording);
	last = writer_finish(recording->writer);
	if (error && last)
		error_free(last);
	else if (last)
		error = last;
	result->bytes = writer_size(recording->writer);
	if (recording->compressor)
		result->uncompressed_bytes = result->bytes - compressor_packed_size(recording->compressor) +
					     compressor_original_size(recording->compressor);
	return error;
}

static struct error *start(struct recording *recording, struct record_result *result)
{
	const struct record_options *options = recording->options;
	struct workload_options workload;

	RETURN_ERROR(rights_read(options->root, &recording->rights));
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
	RETURN_ERROR(
		writer_create(options->output, &recording->events, &recording->counters, &recording->writer));
	if (options->compression)
		RETURN_ERROR(compressor_create(options->compression, recording->counters.rings[0].size,
					       &recording->compressor));
	recording->scan.sample_time_offset = attr_sample_time_offset(&recording->events.items[0].attr);
	return record_into_file(recording, result);
}

static void release(struct recording *recording)
{
	workload_end(&recording->workload);
	counters_close(&recording->counters);
	writer_destroy(recording->writer);
	compressor_destroy(recording->compressor);
	object_table_release(&recording->scan.objects);
	event_list_release(&recording->events);
	thread_ids_release(&recording->threads);
	closep(&recording->epoll_fd);
	closep(&recording->timer_fd);
	if (recording->write_signals_ignored) {
		sigaction(SIGXFSZ, &recording->old_file_limit_action, NULL);
		sigaction(SIGPIPE, &recording->old_pipe_action, NULL);
	}
	if (recording->signal_fd >= 0) {
		struct signalfd_siginfo again;

		/* The same Ctrl-C may have come twice, by the terminal and by who started this: it is done
		 * with. */
		while (read(recording->signal_fd, &again, sizeof(again)) == sizeof(again))
			;
		close(recording->signal_fd);
		sigprocmask(SIG_SETMASK, &recording->old_mask, NULL);
	}
}

struct error *record_run(const struct record_options *options, struct record_result *result)
{
	struct recording recording = {
		.options = options, .attr = options->attr, .signal_fd = -1, .epoll_fd = -1, .timer_fd = -1
	};
	struct error *error;

	*result = (struct record_result){ 0 };
	recording.attr.system_wide = options->target.system_wide;
	recording.attr.delayed = recording.attr.separate_follower = options->delay > 0;
	recording.attr.enable_on_exec = options->workload && !target_given(&options->target);
	error = start(&recording, result);
	result->wakeups = recording.wakeups;
	result->samples = recording.scan.samples;
	result->lost_samples = recording.scan.lost_samples;
	result->lost_records = recording.scan.lost_records;
	result->throttles = recording.scan.throttles;
	result->signal = recording.signal;
	result->workload_status = recording.workload.status;
	release(&recording);
	return error;
}
