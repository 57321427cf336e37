// SPDX-License-Identifier: GPL-2.0-or-later
/* What was there before the recording, or before one of its files, as records: see recording.h. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/parallel.h"
#include "profiler/record/cgroup.h"
#include "profiler/record/recording.h"

#define DRAIN_INTERVAL 20000000 /* ns */

/*
 * The processes that are there already; none if all that is recorded is a workload that is yet to call exec.
 * Those of a later file have children by now.
 */
static struct error *running_processes(const struct recording *recording, struct thread_ids *processes)
{
	const struct target *target = &recording->options->target;
	bool later = recording->result->bytes > 0;

	if (target->system_wide)
		return all_processes(processes);
	if (target_given(target) || recording->stop_workload || later)
		thread_processes(&recording->threads, processes);
	return later ? add_descendants(processes) : NULL;
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
			error = recording_drain(recording, false, &moved);
	}
	recording->early = NULL;
	RETURN_ERROR(error);
	RETURN_ERROR(recording_add(recording, records->data, records->length));
	if (!early.length)
		return NULL;
	/* All samples so far are among these. */
	return writer_add(recording->writer, &(struct iovec){ early.data, early.length }, 1,
			  recording->scan.samples);
}

static struct synthesis_options synthesis_options(const struct recording *recording)
{
	struct synthesis_options options = { .threads = parallel_default_threads() };

	options.id_size = attr_sample_id_size(&recording->events.items[0].attr);
	for (size_t i = 0; i < recording->events.count; i++)
		options.data_maps = options.data_maps || recording->events.items[i].attr.mmap_data;
	return options;
}

/* The kernel and its modules stay where they are: read once, and before anything is counted, since it takes a
 * while. */
struct error *recording_add_kernel(struct recording *recording)
{
	const struct synthesis_options options = synthesis_options(recording);
	struct strbuf *records = &recording->kernel_records;
	bool restricted = false, kernel = false;

	for (size_t i = 0; i < recording->events.count; i++)
		kernel = kernel || !recording->events.items[i].attr.exclude_kernel;
	if (!records->length) {
		synthesize_kernel(recording->options->root, &options, records, &restricted);
		if (kernel)
			synthesize_bpf(recording->options->root, &options, records);
		if (recording->attr.cgroup)
			synthesize_cgroups(recording->options->root, &options, records);
	}
	if (restricted && kernel)
		recording_say(recording, RECORD_WARNING,
			      "the kernel hides its addresses, so its samples will have no symbols; as root: "
			      "sysctl "
			      "kernel.kptr_restrict=0");
	return recording_add(recording, records->data, records->length);
}

/* A workload has only its name until it calls exec. */
struct error *recording_add_existing(struct recording *recording)
{
	const struct synthesis_options options = synthesis_options(recording);
	_cleanup_thread_ids_ struct thread_ids processes = { 0 };
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT;
	pid_t workload = recording->workload.pid;

	RETURN_ERROR(running_processes(recording, &processes));
	if (processes.count)
		return add_processes(recording, &processes, &options, &records);
	if (workload)
		synthesize_comm(workload, workload, "dtprof-exec", &options, &records);
	return recording_add(recording, records.data, records.length);
}
