// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Moves records from the ring buffers into the files: see recording.h.
 *
 * Copying is cheap, and one thread does it. Packing is not: several rings are packed at a time,
 * each by a thread of its own, and written in their order.
 */
#include "profiler/record/recording.h"

#include <sys/time.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "profiler/record/writer.h"
#include "profiler/record/event.h"

/* ---- losses ---- */

/* Words of a LOST_SAMPLES record: header, number of samples, and a trailer of up to six. */
#define LOST_RECORD_WORDS_MAX 8

/* Builds a LOST_SAMPLES record of a counter with its trailer. Returns its size. */
static size_t build_lost_record(const struct perf_event_attr *attr, const struct counter *counter,
				uint64_t lost, uint64_t time,
				uint64_t record[LOST_RECORD_WORDS_MAX])
{
	struct perf_event_header header = { .type = PERF_RECORD_LOST_SAMPLES };
	size_t count = 1;

	record[count++] = lost;
	if (attr->sample_type & PERF_SAMPLE_TID)
		record[count++] = counter->tid < 0
					  ? UINT64_MAX
					  : (uint32_t)counter->tid | (uint64_t)counter->tid << 32;
	if (attr->sample_type & PERF_SAMPLE_TIME)
		record[count++] = time;
	if (attr->sample_type & PERF_SAMPLE_ID)
		record[count++] = counter->id;
	if (attr->sample_type & PERF_SAMPLE_STREAM_ID)
		record[count++] = counter->id;
	if (attr->sample_type & PERF_SAMPLE_CPU)
		record[count++] = (uint32_t)counter->cpu;
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		record[count++] = counter->id;
	header.size = count * sizeof(*record);
	memcpy(record, &header, sizeof(header));
	return header.size;
}

/* The kernel counts the lost samples of each counter (PERF_FORMAT_LOST). LOST records in the ring
 * are of all types, and the last ones are never written. */
struct error *recording_add_lost(struct recording *recording)
{
	array_each (const struct counter, counter, recording->counters.items,
		    recording->counters.count) {
		const struct perf_event_attr *attr = &recording->events.items[counter->event].attr;
		uint64_t lost = counter_lost(counter, attr), record[LOST_RECORD_WORDS_MAX];

		if (lost) {
			size_t size = build_lost_record(attr, counter, lost,
							recording->scan.last_time, record);

			RETURN_ERROR(recording_add(recording, record, size));
		}
	}
	return NULL;
}

/* ---- from the rings into the file ---- */

/* Rings that each packing thread (lane of the compressor) handles between two writes. */
#define RINGS_PER_LANE 4
/* Bytes written at a time. On a full disk the file ends after the last of these. */
#define WRITE_SIZE (256UL << 10)
/* Bytes that are packed at a time if a ring is smaller: WRITE_SIZE and one record more. */
#define PACKED_MIN 1024
#define PACKED_MAX (WRITE_SIZE + UINT16_MAX + 1)

/* The records that were taken from one ring. */
struct taken {
	struct ring *ring; /* NULL: the ring was empty */
	struct ring_span span;
	struct iovec parts[2];
	int part_count;
	uint64_t samples;     /* number of samples in the span */
	struct strbuf packed; /* with -z: the COMPRESSED2 records */
	struct error *error;  /* of packing */
};

struct batch {
	struct recording *recording;
	struct taken *taken;
};

/* Sets `parts` to the bytes [start, end) of the span, and returns how many (1 or 2). */
static int span_parts(const struct ring_span *span, size_t start, size_t end, struct iovec parts[2])
{
	size_t middle = span->size[0];
	int count = 0;

	if (start < middle)
		parts[count++] = (struct iovec){ (void *)(span->data[0] + start),
						 (end < middle ? end : middle) - start };
	if (end > middle) {
		size_t from = start > middle ? start : middle;

		parts[count++] =
			(struct iovec){ (void *)(span->data[1] + from - middle), end - from };
	}
	return count;
}

static struct error *take_ring(struct recording *recording, struct ring *ring, struct taken *taken)
{
	uint64_t samples = recording->scan.samples;

	/* A ring that is overwritten must be paused while it is read. */
	if (ring->overwrite)
		RETURN_ERROR(ring_pause(ring, true));
	if (!ring_peek(ring, &taken->span))
		return ring->overwrite ? ring_pause(ring, false) : NULL;
	taken->ring = ring;
	record_scan_span(&recording->scan, &taken->span);
	taken->samples = recording->scan.samples - samples;
	taken->part_count = span_parts(&taken->span, 0, taken->span.size[0] + taken->span.size[1],
				       taken->parts);
	return NULL;
}

/* Packs the records of one ring in a lane of the compressor. */
static void pack_ring(size_t item, unsigned int thread, void *data)
{
	const struct batch *batch = data;
	struct taken *taken = &batch->taken[item];

	if (taken->ring)
		taken->error = compressor_pack(batch->recording->compressor, thread, taken->parts,
					       taken->part_count, &taken->packed);
}

/* Writes the records of a span; `pack` packs them before. */
static struct error *write_span(struct recording *recording, const struct ring_span *span,
				bool pack)
{
	size_t total = span->size[0] + span->size[1];
	_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;

	for (size_t start = 0; start < total;) {
		struct iovec parts[2];
		uint64_t samples;
		size_t end = record_scan_cut(span, start, WRITE_SIZE, &samples);
		int count = span_parts(span, start, end, parts);

		if (pack) {
			strbuf_reset(&packed);
			RETURN_ERROR(
				compressor_pack(recording->compressor, 0, parts, count, &packed));
			parts[0] = (struct iovec){ packed.data, packed.length };
			count = 1;
		}
		RETURN_ERROR(writer_add(recording->writer, parts, count, samples));
		start = end;
	}
	return NULL;
}

struct error *recording_write(struct recording *recording, const void *records, size_t size)
{
	const struct ring_span span = { .data = { records }, .size = { size } };

	return write_span(recording, &span, recording->compressor && size > PACKED_MIN);
}

/* Stores a span in the file, or in memory while /proc is read. */
static struct error *store_ring(struct recording *recording, struct taken *taken)
{
	for (int i = 0; recording->early && i < taken->part_count; i++)
		strbuf_add(recording->early, taken->parts[i].iov_base, taken->parts[i].iov_len);
	if (recording->early)
		return NULL;
	if (taken->error) {
		struct error *error = taken->error;

		taken->error = NULL;
		return error;
	}
	if (recording->compressor)
		return writer_add(recording->writer,
				  &(struct iovec){ taken->packed.data, taken->packed.length }, 1,
				  taken->samples);
	return write_span(recording, &taken->span, false);
}

/* Gives the ring's memory back to the kernel. */
static struct error *give_ring_back(struct taken *taken)
{
	ring_consume(taken->ring, &taken->span);
	return taken->ring->overwrite ? ring_pause(taken->ring, false) : NULL;
}

static struct error *store_batch(struct recording *recording, struct taken *taken, size_t count,
				 bool *moved)
{
	struct error *error = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!taken[i].ring)
			continue;
		*moved = true;
		if (!error)
			error = store_ring(recording, &taken[i]);
		struct error *pause = give_ring_back(&taken[i]);

		if (!error)
			error = pause;
		else
			error_destroy(pause);
		error_destroy(taken[i].error);
		strbuf_reset(&taken[i].packed);
		taken[i] = (struct taken){ .packed = taken[i].packed };
	}
	return error;
}

static struct error *drain_batch(struct recording *recording, struct taken *taken, size_t first,
				 size_t count, bool snapshot, bool *moved)
{
	struct batch batch = { .recording = recording, .taken = taken };
	struct error *error = NULL;

	for (size_t i = 0; !error && i < count; i++) {
		struct ring *ring = &recording->counters.rings[first + i];

		if (snapshot || !ring->overwrite)
			error = take_ring(recording, ring, &taken[i]);
	}
	if (recording->compressor && !recording->early)
		parallel_for(count, compressor_lanes(recording->compressor), pack_ring, &batch);

	struct error *store_error = store_batch(recording, taken, count, moved);

	if (!error)
		return store_error;
	error_destroy(store_error);
	return error;
}

/* Writes what the AUX area of a ring has. It is never packed, as in perf, and also written while
 * /proc is read, because the area would fill up: readers take its times from the data itself. */
static struct error *drain_aux(struct recording *recording, size_t index, bool *moved)
{
	static const char zeros[8];
	struct ring *ring = &recording->counters.rings[index];
	struct ring_span span;
	struct iovec parts[4];

	if (!ring_peek_aux(ring, &span))
		return NULL;
	uint64_t size = span.size[0] + span.size[1], padding = -size % sizeof(zeros);
	struct perf_record_auxtrace record = {
		.header = { .type = PERF_RECORD_AUXTRACE, .size = sizeof(record) },
		.size = size + padding,
		.offset = span.end - size,
		.idx = (uint32_t)index,
		.tid = (uint32_t)ring->tid,
		.cpu = (uint32_t)ring->cpu,
	};

	parts[0] = (struct iovec){ &record, sizeof(record) };
	parts[1] = (struct iovec){ (void *)span.data[0], span.size[0] };
	parts[2] = (struct iovec){ (void *)span.data[1], span.size[1] };
	parts[3] = (struct iovec){ (void *)zeros, padding };
	*moved = true;
	RETURN_ERROR(writer_add_trace(recording->writer, parts, COUNT_OF(parts)));
	recording->result->trace_bytes += size;
	ring_consume_aux(ring, &span);
	return NULL;
}

/* One call is one round: it takes from each ring the records that are there. Records of the next
 * round are newer than the oldest of this one, as FINISHED_ROUND promises to readers that sort
 * round by round. */
struct error *recording_drain(struct recording *recording, bool snapshot, bool *moved)
{
	const struct perf_event_header finished = { .type = PERF_RECORD_FINISHED_ROUND,
						    .size = sizeof(finished) };
	size_t count = recording->counters.ring_count;
	unsigned int lanes = recording->compressor ? compressor_lanes(recording->compressor) : 1;
	size_t size = lanes > 1 ? lanes * RINGS_PER_LANE : 1;
	struct taken *taken = xcalloc(size, sizeof(*taken));
	struct error *error = NULL;

	for (size_t i = 0; i < size; i++)
		taken[i].packed = (struct strbuf)STRBUF_INIT;
	*moved = false;
	for (size_t first = 0; !error && first < count; first += size)
		error = drain_batch(recording, taken, first,
				    count - first < size ? count - first : size, snapshot, moved);
	for (size_t i = 0; !error && i < count; i++)
		error = drain_aux(recording, i, moved);
	for (size_t i = 0; i < size; i++)
		strbuf_deinit(&taken[i].packed);
	free(taken);
	RETURN_ERROR(error);
	return *moved && !recording->early
		       ? writer_add_record(recording->writer, &finished, sizeof(finished))
		       : NULL;
}

/* ---- the files ---- */

/* CPUs whose records one packing thread packs; see packing_threads(). */
#define CPUS_PER_THREAD 16

#define US_PER_S    1000000
#define US_PER_NAME 10000 /* names of files differ by hundredths of a second */
/* Names that are tried, each later than the one before. */
#define RENAME_TRIES_MAX 1000

static void add_compression_feature(struct recording *recording)
{
	struct strbuf content = STRBUF_INIT;

	if (!recording->compressor)
		return;
	compressor_put_feature(recording->compressor, &content);
	writer_set_feature(recording->writer, FEATURE_COMPRESSED, &content);
}

/* Writes the formats of the tracepoints, without which their samples cannot be read. */
static struct error *add_tracing_data(struct recording *recording)
{
	_cleanup_strbuf_ struct strbuf content = STRBUF_INIT;
	struct error *error =
		tracing_data_read(&recording->events, recording->options->root, &content);

	if (!error && content.length)
		writer_set_feature(recording->writer, FEATURE_TRACING_DATA, &content);
	return error;
}

/* Adds the features that are known from the start. A stream has them before its records. */
static void add_first_features(struct recording *recording)
{
	const struct record_options *options = recording->options;

	feature_add_machine(recording->writer, options->root, options->version,
			    options->memory_costs);
	feature_add_command(recording->writer, options->argc, options->argv);
	feature_add_events(recording->writer, &recording->events, &recording->counters);
	if (recording->attr.has_clock)
		feature_add_clock(recording->writer, recording->attr.clock);
	add_compression_feature(recording);
}

static void add_bpf_features(struct recording *recording)
{
	struct strbuf infos = STRBUF_INIT, btf = STRBUF_INIT;

	_cleanup_error_ struct error *error =
		bpf_keep_write(&recording->bpf, recording->options->root, &infos, &btf);

	if (error)
		recording_say(recording, RECORD_WARNING, "%s", error->message);
	if (infos.length) {
		writer_set_feature(recording->writer, FEATURE_BPF_PROG_INFO, &infos);
		writer_set_feature(recording->writer, FEATURE_BPF_BTF, &btf);
	}
	strbuf_deinit(&infos);
	strbuf_deinit(&btf);
}

static void add_last_features(struct recording *recording)
{
	const struct record_options *options = recording->options;
	_cleanup_strbuf_ struct strbuf build_ids = STRBUF_INIT;

	if (recording->scan.samples)
		feature_add_sample_time(recording->writer, recording->scan.first_time,
					recording->scan.last_time);
	if (strcmp(options->output, "-"))
		add_compression_feature(recording);
	add_bpf_features(recording);
	if (options->no_build_ids)
		return;
	object_table_finish(&recording->scan.objects, options->root, &build_ids);
	if (build_ids.length)
		writer_set_feature(recording->writer, FEATURE_BUILD_ID, &build_ids);
}

/* Returns the number of packing threads: as the options say, or one for each CPUS_PER_THREAD rings,
 * at most one for each processor. One thread keeps up with about as many CPUs, and each takes time
 * away from the programs that are measured. */
static unsigned int packing_threads(const struct recording *recording)
{
	size_t groups = (recording->counters.ring_count + CPUS_PER_THREAD - 1) / CPUS_PER_THREAD;
	unsigned int limit = parallel_default_threads();

	if (recording->options->packing_threads)
		return recording->options->packing_threads;
	return groups < limit ? groups : limit;
}

struct error *recording_open_output(struct recording *recording)
{
	const struct record_options *options = recording->options;

	uint64_t size = recording->counters.rings[0].size;

	RETURN_ERROR(writer_create(options->output, &recording->events, &recording->counters,
				   &recording->writer));
	if (options->compression)
		RETURN_ERROR(compressor_create(options->compression,
					       size > PACKED_MAX ? size : PACKED_MAX,
					       packing_threads(recording), &recording->compressor));
	recording->scan.sample_time_offset =
		attr_sample_time_offset(&recording->events.items[0].attr);
	return NULL;
}

/* Starts counting. This comes before /proc is read, so that nothing is missed; a process that is
 * reported twice does no harm. For a workload, counting starts at its exec. */
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
	_cleanup_strbuf_ struct strbuf trace_info = STRBUF_INIT;

	add_first_features(recording);
	RETURN_ERROR(add_tracing_data(recording));
	RETURN_ERROR(recording_add_kernel(recording));
	synthesize_trace_info(recording->options->root, &recording->events,
			      recording->counters.rings, &trace_info);
	RETURN_ERROR(recording_add(recording, trace_info.data, trace_info.length));
	recording_check_cpus(recording);
	if (!recording->counting)
		start_counting(recording);
	RETURN_ERROR(recording_add_existing(recording));
	recording->begun_size = writer_size(recording->writer);
	return NULL;
}

/* Adds the figures of a complete file to the result. The next file starts at 0. */
static void add_to_result(struct recording *recording)
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
		result->uncompressed_bytes += bytes -
					      compressor_packed_size(recording->compressor) +
					      compressor_original_size(recording->compressor);
	object_table_deinit(&scan->objects);
	*scan = (struct record_scan){ .sample_time_offset = scan->sample_time_offset,
				      .held = scan->held };
}

/* Returns a name with hundredths of a second, as perf has them: perf.data.2026112014350712. */
static char *dated_name(const char *output, const struct timeval *when)
{
	char stamp[32];
	struct tm local;

	localtime_r(&when->tv_sec, &local);
	strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &local);
	return xasprintf("%s.%s%02u", output, stamp, (unsigned int)(when->tv_usec / US_PER_NAME));
}

/* Renames the output to the first dated name that is free, so that it replaces no other file. */
static struct error *rename_output(struct recording *recording)
{
	const char *output = recording->options->output;
	struct stat status;
	struct timeval now;

	if (lstat(output, &status) || !S_ISREG(status.st_mode))
		return error_other(
			"%s is not a regular file: it is not renamed (--switch-output needs one)",
			output);
	gettimeofday(&now, NULL);
	for (unsigned int tries = 0; tries < RENAME_TRIES_MAX; tries++) {
		_cleanup_free_ char *path = dated_name(output, &now);

		/* link() never replaces a file. rename() is for file systems without links. */
		if (link(output, path) == 0 ? unlink(output) == 0
					    : errno != EEXIST && rename(output, path) == 0) {
			recording_say(recording, RECORD_NOTE, "Dump %s", path);
			name_list_add(&recording->finished, path);
			return NULL;
		}
		if (errno != EEXIST)
			return error_errno(errno, "cannot rename %s to %s", output, path);
		now.tv_usec += US_PER_NAME;
		if (now.tv_usec >= US_PER_S) {
			now.tv_usec -= US_PER_S;
			now.tv_sec++;
		}
	}
	return error_other("cannot rename %s: all names of the next seconds are taken", output);
}

/* Removes the oldest file if there are more than --switch-output is to keep. */
static void remove_oldest(struct recording *recording)
{
	struct name_list *finished = &recording->finished;

	if (!recording->options->switch_files ||
	    finished->count <= recording->options->switch_files)
		return;
	unlink(finished->names[0]);
	free(finished->names[0]);
	memmove(finished->names, finished->names + 1, --finished->count * sizeof(*finished->names));
}

static bool recording_switches(const struct recording *recording)
{
	const struct record_options *options = recording->options;

	return options->switch_on_signal || options->switch_size || options->switch_seconds;
}

struct error *recording_close_output(struct recording *recording)
{
	struct error *error;

	recording_check_cpus(recording);
	add_last_features(recording);
	error = writer_finish(recording->writer);
	add_to_result(recording);
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

struct error *recording_switch_output(struct recording *recording)
{
	bool moved;

	recording->switch_now = false;
	RETURN_ERROR(recording_drain(recording, true, &moved));
	RETURN_ERROR(recording_close_output(recording));
	RETURN_ERROR(recording_open_output(recording));
	return recording_begin_output(recording);
}
