// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of a recording: one, or with --switch-output one after the other. See recording.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/base/parallel.h"
#include "profiler/record/feature.h"
#include "profiler/record/recording.h"
#include "profiler/record/tracing_data.h"

#define CPUS_A_THREAD 16

/* Hundredths of a second that a file's name may be ahead of it. */
#define RENAME_TRIES 1000

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
 * One thread keeps up with some dozen CPUs, and what it takes from the machine is what is not measured;
 * another is started for each group of CPUs beyond.
 */
static unsigned int packing_threads(const struct recording *recording)
{
	size_t groups = (recording->counters.ring_count + CPUS_A_THREAD - 1) / CPUS_A_THREAD;
	unsigned int limit = parallel_default_threads();

	if (recording->options->packing_threads)
		return recording->options->packing_threads;
	return groups < limit ? groups : limit;
}

struct error *recording_open_output(struct recording *recording)
{
	const struct record_options *options = recording->options;

	RETURN_ERROR(
		writer_create(options->output, &recording->events, &recording->counters, &recording->writer));
	if (options->compression)
		RETURN_ERROR(compressor_create(options->compression, recording->counters.rings[0].size,
					       packing_threads(recording), &recording->compressor));
	recording->scan.sample_time_offset = attr_sample_time_offset(&recording->events.items[0].attr);
	return NULL;
}

/*
 * Counting begins before what runs is read, so that nothing falls between: what both the kernel and /proc
 * tell is told twice, which does no harm. A workload's begins with its exec.
 */
static void start_counting(struct recording *recording)
{
	recording->counting = true;
	if (recording->attr.enable_on_exec)
		return;
	counters_enable(&recording->counters, &recording->events, true);
	if (!recording->attr.delayed)
		counters_enable(&recording->counters, &recording->events, false);
}

struct error *recording_begin_output(struct recording *recording)
{
	add_first_features(recording);
	RETURN_ERROR(add_tracing_data(recording));
	RETURN_ERROR(recording_add_kernel(recording));
	recording_check_cpus(recording);
	if (!recording->counting)
		start_counting(recording);
	RETURN_ERROR(recording_add_existing(recording));
	recording->begun_size = writer_size(recording->writer);
	return NULL;
}

/* Figures of a file that is complete are added up; the next begins at 0. */
static void sum_up(struct recording *recording)
{
	struct record_result *result = recording->result;
	struct record_scan *scan = &recording->scan;
	uint64_t bytes = writer_size(recording->writer);

	result->samples += writer_samples(recording->writer);
	result->lost_samples += scan->lost_samples;
	result->lost_records += scan->lost_records;
	result->throttles += scan->throttles;
	result->bytes += bytes;
	if (recording->compressor)
		result->uncompressed_bytes += bytes - compressor_packed_size(recording->compressor) +
					      compressor_original_size(recording->compressor);
	object_table_release(&scan->objects);
	*scan = (struct record_scan){ .sample_time_offset = scan->sample_time_offset };
}

/* perf.data.2026112014350712: to the hundredth of a second, as perf names them. */
static char *dated_name(const char *output, const struct timeval *when)
{
	char stamp[32];
	struct tm local;

	localtime_r(&when->tv_sec, &local);
	strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &local);
	return xasprintf("%s.%s%02u", output, stamp, (unsigned int)(when->tv_usec / 10000));
}

/* Two files of one hundredth must not be one: the later one takes the next name that is free. */
static struct error *rename_output(struct recording *recording)
{
	const char *output = recording->options->output;
	struct timeval now;

	gettimeofday(&now, NULL);
	for (unsigned int tries = 0; tries < RENAME_TRIES; tries++) {
		_cleanup_free_ char *path = dated_name(output, &now);

		/* link() does not replace what is there, on any file system that has it */
		if (link(output, path) == 0 ? unlink(output) == 0
					    : errno != EEXIST && rename(output, path) == 0) {
			recording_say(recording, RECORD_NOTE, "Dump %s", path);
			name_list_add(&recording->finished, path);
			return NULL;
		}
		if (errno != EEXIST)
			return error_errno(errno, "cannot rename %s to %s", output, path);
		now.tv_usec += 10000;
		if (now.tv_usec >= 1000000) {
			now.tv_usec -= 1000000;
			now.tv_sec++;
		}
	}
	return error_create(ERROR_OTHER, "cannot rename %s: all names of the next seconds are taken", output);
}

/* Of the files that are complete only so many are kept: the oldest goes. */
static void remove_oldest(struct recording *recording)
{
	struct name_list *finished = &recording->finished;

	if (!recording->options->switch_files || finished->count <= recording->options->switch_files)
		return;
	unlink(finished->names[0]);
	free(finished->names[0]);
	memmove(finished->names, finished->names + 1, --finished->count * sizeof(*finished->names));
}

struct error *recording_close_output(struct recording *recording)
{
	struct error *error;

	recording_check_cpus(recording);
	add_last_features(recording);
	error = writer_finish(recording->writer);
	sum_up(recording);
	writer_destroy(recording->writer);
	compressor_destroy(recording->compressor);
	recording->writer = NULL;
	recording->compressor = NULL;
	if (!error && recording_switches(recording)) {
		error = rename_output(recording);
		remove_oldest(recording);
	}
	return error;
}

bool recording_switches(const struct recording *recording)
{
	const struct record_options *options = recording->options;

	return options->switch_on_signal || options->switch_size || options->switch_seconds;
}

struct error *recording_switch_output(struct recording *recording)
{
	bool moved;

	recording->switch_now = false;
	RETURN_ERROR(recording_drain(recording, true, &moved));
	RETURN_ERROR(recording_close_output(recording));
	RETURN_ERROR(recording_open_output(recording));
	return recording_begin_output(recording);
}
