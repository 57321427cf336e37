// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the ring buffers have, into the file: see recording.h.
 *
 * Copying is cheap and one thread does it. Packing is not: where there are many rings they are packed several
 * at a time, each by a thread of its own, and written in their order.
 */
#include <stdlib.h>
#include <string.h>

#include <perf/event.h>

#include "profiler/base/memory.h"
#include "profiler/base/parallel.h"
#include "profiler/record/recording.h"

/* Rings that are peeked at, packed and given back together, for each thread that packs. */
#define RINGS_A_LANE 4
/* Bytes that are written at a time: when the disk is full the file ends behind the last of these. */
#define WRITE_SIZE (256UL << 10)

struct taken {
	struct ring *ring; /* NULL: it had nothing */
	struct ring_span span;
	struct iovec parts[2];
	int part_count;
	uint64_t samples;
	struct strbuf packed;
	struct error *error;
};

struct batch {
	struct recording *recording;
	struct taken *taken;
};

/* The bytes from `start` to `end` of the span, in at most two parts. */
static int span_parts(const struct ring_span *span, size_t start, size_t end, struct iovec parts[2])
{
	size_t middle = span->size[0];
	int count = 0;

	if (start < middle)
		parts[count++] = (struct iovec){ (void *)(span->data[0] + start),
						 (end < middle ? end : middle) - start };
	if (end > middle) {
		size_t from = start > middle ? start : middle;

		parts[count++] = (struct iovec){ (void *)(span->data[1] + from - middle), end - from };
	}
	return count;
}

static struct error *take(struct recording *recording, struct ring *ring, struct taken *taken)
{
	uint64_t samples = recording->scan.samples;

	/* A ring that is overwritten stands still while it is read. */
	if (ring->overwrite)
		RETURN_ERROR(ring_pause(ring, true));
	if (!ring_peek(ring, &taken->span))
		return ring->overwrite ? ring_pause(ring, false) : NULL;
	taken->ring = ring;
	record_scan_span(&recording->scan, &taken->span);
	taken->samples = recording->scan.samples - samples;
	taken->part_count =
		span_parts(&taken->span, 0, taken->span.size[0] + taken->span.size[1], taken->parts);
	return NULL;
}

static void pack(size_t item, unsigned int thread, void *data)
{
	const struct batch *batch = data;
	struct taken *taken = &batch->taken[item];

	if (taken->ring)
		taken->error = compressor_pack(batch->recording->compressor, thread, taken->parts,
					       taken->part_count, &taken->packed);
}

static struct error *write_span(struct recording *recording, const struct taken *taken)
{
	size_t total = taken->span.size[0] + taken->span.size[1];

	for (size_t start = 0; start < total;) {
		struct iovec parts[2];
		uint64_t samples;
		size_t end = record_scan_cut(&taken->span, start, WRITE_SIZE, &samples);
		int count = span_parts(&taken->span, start, end, parts);

		RETURN_ERROR(writer_add(recording->writer, parts, count, samples));
		start = end;
	}
	return NULL;
}

/* Into the file, or into memory while /proc is read. */
static struct error *store(struct recording *recording, struct taken *taken)
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
	return write_span(recording, taken);
}

static struct error *give_back(struct taken *taken)
{
	ring_consume(taken->ring, &taken->span);
	return taken->ring->overwrite ? ring_pause(taken->ring, false) : NULL;
}

static struct error *store_batch(struct recording *recording, struct taken *taken, size_t count, bool *moved)
{
	struct error *error = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!taken[i].ring)
			continue;
		*moved = true;
		if (!error)
			error = store(recording, &taken[i]);
		struct error *pause = give_back(&taken[i]);

		if (!error)
			error = pause;
		else
			error_free(pause);
		error_free(taken[i].error);
		strbuf_reset(&taken[i].packed);
		taken[i] = (struct taken){ .packed = taken[i].packed };
	}
	return error;
}

static struct error *drain_batch(struct recording *recording, struct taken *taken, size_t first, size_t count,
				 bool snapshot, bool *moved)
{
	struct batch batch = { .recording = recording, .taken = taken };
	struct error *error = NULL;

	for (size_t i = 0; !error && i < count; i++) {
		struct ring *ring = &recording->counters.rings[first + i];

		if (snapshot || !ring->overwrite)
			error = take(recording, ring, &taken[i]);
	}
	if (recording->compressor && !recording->early)
		parallel_for(count, compressor_lanes(recording->compressor), pack, &batch);

	struct error *store_error = store_batch(recording, taken, count, moved);

	if (!error)
		return store_error;
	error_free(store_error);
	return error;
}

/*
 * A round takes from each ring what is there. What comes later is younger than the oldest of this round, so
 * readers may sort round by round: that is what FINISHED_ROUND promises.
 */
struct error *recording_drain(struct recording *recording, bool snapshot, bool *moved)
{
	const struct perf_event_header finished = { .type = PERF_RECORD_FINISHED_ROUND,
						    .size = sizeof(finished) };
	size_t count = recording->counters.ring_count;
	unsigned int lanes = recording->compressor ? compressor_lanes(recording->compressor) : 1;
	size_t size = lanes > 1 ? lanes * RINGS_A_LANE : 1;
	struct taken *taken = xcalloc(size, sizeof(*taken));
	struct error *error = NULL;

	for (size_t i = 0; i < size; i++)
		taken[i].packed = (struct strbuf)STRBUF_INIT;
	*moved = false;
	for (size_t first = 0; !error && first < count; first += size)
		error = drain_batch(recording, taken, first, count - first < size ? count - first : size,
				    snapshot, moved);
	for (size_t i = 0; i < size; i++)
		strbuf_release(&taken[i].packed);
	free(taken);
	RETURN_ERROR(error);
	return *moved && !recording->early ? writer_add_record(recording->writer, &finished, sizeof(finished))
					   : NULL;
}
