// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements slices.h.
 *
 * A recording is ordered but for what its processors' buffers held when they were emptied. So
 * samples are taken chunk by chunk, and those that are older than everything in the later chunks
 * are complete: they are sorted and counted. The others wait, with 40 bytes each.
 */
#include "profiler/ingest/slices.h"

#include "base/memory.h"
#include "profiler/ingest/count.h"
#include "profiler/ingest/session_private.h"

struct slices {
	struct session *session;
	struct sample_counter *counter;
	uint64_t *earliest; /* of each chunk and of all after it: the first time of a sample */
	size_t chunk;       /* the next one to be taken */
	struct ordered_sample *samples; /* taken, and not counted yet */
	size_t count, capacity;
	size_t sorted; /* the first ones are sorted, and all others are later */
	size_t done;   /* of the sorted ones */
};

/* Returns the first time of a chunk's samples; UINT64_MAX if it has none. */
static uint64_t first_time(const struct session *session, const struct chunk *chunk)
{
	const struct stream *stream = &session->streams[chunk->stream];
	bool swap = session->header.swap;
	uint64_t first = UINT64_MAX;

	for (size_t offset = chunk->begin; offset < chunk->end;) {
		const uint8_t *record = stream->data + offset;
		struct record_header header = record_header(record, swap);
		uint64_t time;

		if (header.type == PERF_RECORD_SAMPLE) {
			time = session_plain_time(session, record, header.size);
			first = time < first ? time : first;
		}
		offset += header.size + record_extra(record, &header, swap);
	}
	return first;
}

struct slices *slices_create(struct session *session, const struct count_options *options,
			     const struct sample_counts *outline)
{
	struct slices *slices = xcalloc(1, sizeof(*slices));
	size_t count = session->chunk_count;

	slices->session = session;
	slices->counter = sample_counter_create(session, options, outline);
	slices->earliest = xcalloc(count + 1, sizeof(*slices->earliest));
	slices->earliest[count] = UINT64_MAX;
	for (size_t i = count; i-- > 0;) {
		const struct chunk *chunk = &session->chunks[i];
		const uint8_t *data = session->streams[chunk->stream].data;
		uint64_t first = first_time(session, chunk), later = slices->earliest[i + 1];

		slices->earliest[i] = first < later ? first : later;
		perf_file_done_with_part(&session->file, data + chunk->begin, data + chunk->end);
	}
	perf_file_done_with(&session->file);
	return slices;
}

void slices_destroy(struct slices *slices)
{
	if (!slices)
		return;
	sample_counter_destroy(slices->counter);
	free_all(slices->earliest, slices->samples, slices);
}

COMPARISON(compare_samples, struct ordered_sample, ASCENDING(time) ASCENDING(position))

static void take_sample(const struct ordered_sample *sample, void *data)
{
	struct slices *slices = data;

	array_add(slices->samples, slices->count, slices->capacity) = *sample;
}

/* Takes chunks until a slice of samples is complete, and sorts those that are. */
static void take_chunks(struct slices *slices)
{
	size_t left = slices->count - slices->done;

	if (left)
		memmove(slices->samples, slices->samples + slices->done,
			left * sizeof(*slices->samples));
	slices->count = left;
	slices->done = slices->sorted = 0;
	while (!slices->sorted && slices->chunk < slices->session->chunk_count) {
		/* those that wait are sorted again, so that there must be as many new ones */
		size_t enough = 2 * slices->count + SLICE_SAMPLES;

		while (slices->chunk < slices->session->chunk_count && slices->count < enough)
			sample_counter_list(slices->counter, slices->chunk++, take_sample, slices);
		array_sort(slices->samples, slices->count, compare_samples);

		uint64_t limit = slices->earliest[slices->chunk];

		slices->sorted = slices->chunk == slices->session->chunk_count
					 ? slices->count
					 : partition_point(0, slices->count, i,
							   slices->samples[i].time < limit);
	}
}

/* Returns where a slice that begins at `done` ends: after the samples of one time. */
static size_t slice_end(const struct slices *slices)
{
	size_t end = slices->done + SLICE_SAMPLES;

	if (end >= slices->sorted)
		return slices->sorted;
	uint64_t time = slices->samples[end].time;
	size_t first = partition_point(slices->done, end, i, slices->samples[i].time < time);

	return first > slices->done ? first : end;
}

struct sample_counts *slices_next(struct slices *slices)
{
	/* samples that are broken, or not chosen, leave nothing */
	for (;;) {
		if (slices->done == slices->sorted)
			take_chunks(slices);
		if (slices->done == slices->sorted)
			return NULL;
		size_t end = slice_end(slices);

		for (; slices->done < end; slices->done++)
			sample_counter_add(slices->counter, &slices->samples[slices->done]);
		struct sample_counts *counts = sample_counter_take(slices->counter);

		perf_file_done_with(&slices->session->file);
		if (counts->count)
			return counts;
		sample_counts_destroy(counts);
	}
}
