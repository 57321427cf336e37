// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Goes through the records of a session: pass 1, which takes everything except samples and cuts the
 * streams into chunks; then loops over all records, and over all samples.
 *
 * A broken record ends its stream with one warning; the records before it stay valid.
 */
#include <sys/mman.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/ingest/header.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/session_private.h"
#include "profiler/ingest/timeline.h"

/* ---- pass 1 ---- */

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

/* The state of pass 1 over one stream. */
struct collector {
	struct session *session;
	const struct stream *stream;
	uint32_t stream_index;
	uint64_t clock;      /* the latest time of a state record so far */
	bool compressed;     /* a record is compressed, so the stream must be decompressed */
	bool may_decompress; /* false: the stream has been decompressed */
};

/* Reads the trailer of a record. Events with different fields all have PERF_SAMPLE_IDENTIFIER,
 * which is the last word of the record. False: it has none. */
static bool read_sample_id(const struct session *session, const uint8_t *record, size_t size,
			   struct sample_id *id)
{
	const struct event_table *events = &session->events;

	if (!events->count)
		return false;
	const struct perf_event_attr *attr = &events->events[0].attr;

	if (!sample_id_parse(attr, record, size, session->header.swap, id))
		return false;
	if (events->count > 1 && attr->sample_type & PERF_SAMPLE_IDENTIFIER) {
		uint32_t index = event_table_resolve(events, id->id);

		if (index != EVENT_NONE && index != 0 &&
		    !sample_id_parse(&events->events[index].attr, record, size,
				     session->header.swap, id))
			return false;
	}
	return true;
}

bool session_record_time(const struct session *session, const uint8_t *record, size_t size,
			 uint64_t *time)
{
	struct sample_id id;

	if (!read_sample_id(session, record, size, &id))
		return false;
	*time = id.time;
	return id.has_time;
}

static void collect_state(struct collector *collector, const uint8_t *record, size_t size,
			  uint64_t position)
{
	struct session *session = collector->session;
	uint64_t time;

	if (!session_record_time(session, record, size, &time))
		time = collector->clock;
	raise_to(collector->clock, time);
	array_add(session->states, session->state_count, session->state_capacity) =
		(struct state_record){
			.moment = { time, position },
			.data = record,
			.size = (uint32_t)size,
		};
}

static void collect_attr(struct session *session, const struct stream *stream,
			 const uint8_t *record, size_t size, size_t offset)
{
	const uint8_t *bytes = record + RECORD_HEADER_SIZE;
	size_t left = size - RECORD_HEADER_SIZE;
	struct perf_event_attr attr;

	/* Only pipes have attrs in records; files have them in the header. */
	if (!session->header.pipe)
		return;
	if (left < PERF_ATTR_SIZE_VER0 || attr_size(bytes, session->header.swap) > left ||
	    !attr_parse(bytes, left, session->header.swap, &attr)) {
		session_warn(session, "%s: bad event attribute, skipped",
			     stream_place(session, stream, offset));
		return;
	}
	size_t used = attr_size(bytes, session->header.swap);

	event_table_add(&session->events, &attr, bytes + used, (left - used) / 8,
			session->header.swap);
}

static void collect_event_update(struct session *session, const uint8_t *record, size_t size)
{
	struct cursor cursor = cursor_of(record, size, session->header.swap);

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	uint64_t kind = cursor_u64(&cursor);
	uint64_t id = cursor_u64(&cursor);
	const char *name = kind == PERF_EVENT_UPDATE__NAME ? cursor_string(&cursor) : NULL;
	uint32_t event = event_table_find(&session->events, id);

	if (name && event != EVENT_NONE)
		event_table_name(&session->events, event, name);
}

static void collect_feature(struct session *session, const struct stream *stream,
			    const uint8_t *record, size_t size, size_t offset)
{
	struct cursor cursor = cursor_of(record, size, session->header.swap);

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	uint64_t feature = cursor_u64(&cursor);

	/* A record without content marks the end of the features. */
	if (cursor.failed || !cursor_left(&cursor) || feature >= FEATURE_BITS ||
	    session->header.features[feature].data)
		return;
	session->header.features[feature] = (struct feature_section){
		.data = record + cursor.position,
		.size = cursor_left(&cursor),
		.offset = stream_file_offset(stream, offset) + cursor.position,
	};
}

static void collect_tracing_data(struct session *session, const struct stream *stream,
				 const uint8_t *record, size_t size, uint64_t extra, size_t offset)
{
	struct feature_section *section = &session->header.features[FEATURE_TRACING_DATA];

	size_t inside = record_tracing_data_inside(record, size, session->header.swap);
	size_t start = size - inside;

	if (section->data || (extra == 0 && inside == 0))
		return;
	*section = (struct feature_section){
		.data = record + start,
		.size = inside ?: (size_t)extra,
		.offset = stream_file_offset(stream, offset) + start,
	};
}

/* Returns word `index` of a record, or 0 if it is too short. PERF_RECORD_LOST has an id and a
 * number, PERF_RECORD_LOST_SAMPLES has the number. */
static uint64_t collect_word(const struct session *session, const uint8_t *record, size_t size,
			     size_t index)
{
	struct cursor cursor = cursor_of(record, size, session->header.swap);

	cursor_skip(&cursor, RECORD_HEADER_SIZE + 8 * index);
	return cursor_u64(&cursor);
}

static void collect_record(struct collector *collector, const struct record_header *header,
			   const uint8_t *record, size_t offset, uint64_t extra)
{
	struct session *session = collector->session;
	size_t size = header->size;

	if (record_is_state(header->type)) {
		collect_state(collector, record, size, collector->stream->base + offset);
		return;
	}
	switch (header->type) {
	case PERF_RECORD_LOST:
		session->totals.lost_events += collect_word(session, record, size, 1);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		session->totals.lost_samples += collect_word(session, record, size, 0);
		break;
	case PERF_RECORD_CGROUP: session_take_cgroup(session, record, size); break;
	case RECORD_CALLCHAIN_DEFERRED: session->has_deferred = true; break;
	case PERF_RECORD_AUXTRACE:
		session->totals.aux_records++;
		session->totals.aux_bytes += extra;
		break;
	case PERF_RECORD_HEADER_ATTR:
		collect_attr(session, collector->stream, record, size, offset);
		break;
	case PERF_RECORD_EVENT_UPDATE: collect_event_update(session, record, size); break;
	case PERF_RECORD_HEADER_FEATURE:
		collect_feature(session, collector->stream, record, size, offset);
		break;
	case PERF_RECORD_HEADER_TRACING_DATA:
		collect_tracing_data(session, collector->stream, record, size, extra, offset);
		break;
	case PERF_RECORD_HEADER_BUILD_ID:
		(void)session_take_build_id(session, record, size, false, true);
		break;
	case PERF_RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		if (!collector->may_decompress)
			session_warn(session,
				     "%s: compressed records within compressed records, skipped",
				     stream_place(session, collector->stream, offset));
		collector->compressed = collector->may_decompress;
		break;
	default: break;
	}
}

/* Ends the chunk at `offset`, unless it is empty, and begins the next one there. */
static void collect_end_chunk(struct collector *collector, struct chunk *chunk, size_t offset)
{
	struct session *session = collector->session;

	if (offset > chunk->begin) {
		const uint8_t *data = session->streams[chunk->stream].data;

		chunk->end = offset;
		perf_file_done_with_part(&session->file, data + chunk->begin, data + offset);
		array_add(session->chunks, session->chunk_count, session->chunk_capacity) = *chunk;
	}
	chunk->begin = offset;
	chunk->clock = collector->clock;
}

void stream_map_ahead(const struct stream *stream, size_t offset)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)(stream->data + offset) & ~(page - 1);
	size_t left = stream->size - offset;
	uintptr_t end = (uintptr_t)(stream->data + offset) +
			(left < CHUNK_SIZE + UINT16_MAX ? left : CHUNK_SIZE + UINT16_MAX);

	(void)madvise((void *)begin, end - begin, MADV_POPULATE_READ);
}

/* Warns that a stream cannot be read beyond `offset`. */
static void collect_warn_end(const struct collector *collector, size_t offset, size_t size,
			     const char *what)
{
	const struct stream *stream = collector->stream;

	if (stream->cut && size >= RECORD_HEADER_SIZE)
		return;

	_cleanup_free_ char *message =
		xasprintf("%s: %s of %zu bytes where %zu are left; the rest is not read",
			  stream_place(collector->session, stream, offset), what, size,
			  stream->size - offset);

	/* a warning has said that the end of a stream is cut */
	if (stream->cut)
		session_warn(collector->session, "%s", message);
	else
		session_warn_incomplete(collector->session, "%s", message);
}

/* Counts the samples from `offset` on, as long as they have the same size as the first and begin
 * before `end`. Returns the offset after them. (Samples come in long runs, and most are as long as
 * the one before.) */
static size_t collect_samples(const struct stream *stream, size_t offset, size_t end,
			      const struct record_header *header, uint64_t *samples)
{
	const uint8_t *first = stream->data + offset;
	const uint8_t *record = first;
	const uint8_t *last = stream->data + stream->size - header->size;
	uint64_t word;

	lower_to(last, stream->data + end);
	memcpy(&word, record, sizeof(word));
	/* Compare type and size in the file's byte order, but not the misc field between them. */
	const uint64_t mask = ~(UINT64_C(0xffff) << 32);
	uint64_t other;

	do {
		record += header->size;
		if (record > last)
			break;
		record_read_ahead(record, header->size);
		memcpy(&other, record, sizeof(other));
	} while (!((word ^ other) & mask));
	*samples += (uint64_t)(record - first) / header->size;
	return (size_t)(record - stream->data);
}

/* Takes the records of a stream and cuts it into chunks. Stops at a compressed record. */
static void collect_stream(struct collector *collector)
{
	struct session *session = collector->session;
	const struct stream *stream = collector->stream;
	bool swap = session->header.swap;
	struct chunk chunk = { .stream = collector->stream_index, .clock = collector->clock };
	struct record_header header;
	uint64_t samples = 0;
	size_t offset = 0;

	while (stream_record(stream, offset, swap, &header)) {
		const uint8_t *record = stream->data + offset;

		if (offset - chunk.begin >= CHUNK_SIZE) {
			collect_end_chunk(collector, &chunk, offset);
			stream_map_ahead(stream, offset);
		}
		if (header.type == PERF_RECORD_SAMPLE) {
			offset = collect_samples(stream, offset, chunk.begin + CHUNK_SIZE, &header,
						 &samples);
			continue;
		}
		uint64_t extra = record_extra(record, &header, swap);

		if (extra > stream->size - offset - header.size) {
			collect_warn_end(collector, offset, extra, "a trace");
			collect_end_chunk(collector, &chunk, offset);
			goto out;
		}
		collect_record(collector, &header, record, offset, extra);
		if (collector->compressed)
			return;
		offset += header.size + extra;
	}
	collect_end_chunk(collector, &chunk, offset);
	if (stream->size - offset >= RECORD_HEADER_SIZE)
		collect_warn_end(collector, offset, record_header(stream->data + offset, swap).size,
				 "a record");
	else if (stream->size > offset)
		collect_warn_end(collector, offset, RECORD_HEADER_SIZE, "a record");
out:
	session->totals.samples += samples;
}

/* Drops everything that the first try at a stream, which turned out to be compressed, collected. */
static void collect_undo(struct session *session, const struct session_totals *totals,
			 size_t chunks, size_t states)
{
	session->totals = *totals;
	session->chunk_count = chunks;
	session->state_count = states;
	if (session->header.pipe) {
		event_table_deinit(&session->events);
		memset(session->header.features, 0, sizeof(session->header.features));
	}
}

struct error *session_collect(struct session *session)
{
	uint64_t clock = 0;

	for (uint32_t i = 0; i < session->stream_count; i++) {
		struct session_totals totals = session->totals;
		size_t chunks = session->chunk_count, states = session->state_count;
		struct collector collector = {
			.session = session,
			.stream = &session->streams[i],
			.stream_index = i,
			.clock = clock,
			.may_decompress = true,
		};

		collect_stream(&collector);
		if (collector.compressed) {
			collect_undo(session, &totals, chunks, states);
			RETURN_ERROR(session_decompress(session, i));
			collector.compressed = false;
			collector.may_decompress = false;
			collector.clock = clock;
			collect_stream(&collector);
		}
		clock = collector.clock;
	}
	return NULL;
}

/* ---- all records ---- */

void session_each_record(const struct session *session,
			 void (*visit)(const struct session *session,
				       const struct raw_record *record, void *data),
			 void *data)
{
	bool swap = session->header.swap;

	array_each (const struct chunk, chunk, session->chunks, session->chunk_count) {
		const uint8_t *bytes = session->streams[chunk->stream].data;

		if (session->streams[chunk->stream].made)
			continue;
		for (size_t offset = chunk->begin; offset < chunk->end;) {
			struct record_header header = record_header(bytes + offset, swap);
			struct raw_record record = { .type = header.type,
						     .misc = header.misc,
						     .data = bytes + offset,
						     .size = header.size };

			visit(session, &record, data);
			offset += header.size + record_extra(bytes + offset, &header, swap);
		}
		perf_file_done_with_part(&session->file, bytes + chunk->begin, bytes + chunk->end);
	}
}

struct switch_visit {
	void (*visit)(const struct session_switch *item, void *data);
	void *data;
};

static void visit_switch(const struct session *session, const struct raw_record *record, void *data)
{
	const struct switch_visit *to = data;
	bool ended = record->type == PERF_RECORD_EXIT;
	struct sample_id id;

	if ((record->type != PERF_RECORD_SWITCH && record->type != PERF_RECORD_SWITCH_CPU_WIDE &&
	     !ended) ||
	    !read_sample_id(session, record->data, record->size, &id) || !id.has_time || id.tid < 0)
		return;
	to->visit(
		&(struct session_switch){
			.time = id.time,
			.tid = id.tid,
			.cpu = ended ? -1 : id.cpu,
			.ended = ended,
			.out = !ended && record->misc & PERF_RECORD_MISC_SWITCH_OUT,
			.preempted = !ended && record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT },
		to->data);
}

void session_each_switch(const struct session *session,
			 void (*visit)(const struct session_switch *item, void *data), void *data)
{
	struct switch_visit to = { visit, data };

	session_each_record(session, visit_switch, &to);
}

static void count_record_type(const struct session *session _unused_,
			      const struct raw_record *record, void *data)
{
	uint64_t *counts = data;

	counts[record->type < SESSION_RECORD_TYPES ? record->type : 0]++;
}

void session_count_records(const struct session *session, uint64_t counts[SESSION_RECORD_TYPES])
{
	memset(counts, 0, SESSION_RECORD_TYPES * sizeof(*counts));
	session_each_record(session, count_record_type, counts);
	/* The stream has the contents of these records in their place. */
	counts[PERF_RECORD_COMPRESSED] += session->totals.compressed[0];
	counts[RECORD_COMPRESSED2] += session->totals.compressed[1];
}

/* ---- samples ---- */

/* Returns the event of a sample, or NULL if the file does not declare its id. */
static const struct event *sample_event(const struct session *session, const uint8_t *record,
					size_t size)
{
	const struct event_table *events = &session->events;
	uint16_t place = events->count ? events->layouts[0].id : 0;

	if (events->count <= 1 || !place)
		return events->count ? &events->events[0] : NULL;
	struct cursor cursor = cursor_of(record, size, session->header.swap);

	cursor_skip(&cursor, place);
	uint64_t id = cursor_u64(&cursor);
	uint32_t index = cursor.failed ? EVENT_NONE : event_table_resolve(events, id);

	return index == EVENT_NONE ? NULL : &events->events[index];
}

uint64_t session_plain_time(const struct session *session, const uint8_t *record, size_t size)
{
	const struct event *event = sample_event(session, record, size);
	uint16_t place = event ? session->events.layouts[event->index].time : 0;
	struct cursor cursor = cursor_of(record, size, session->header.swap);

	if (!event)
		return UINT64_MAX;
	if (!place)
		return 0;
	cursor_skip(&cursor, place);
	uint64_t time = cursor_u64(&cursor);

	return cursor.failed ? UINT64_MAX : time;
}

/* Sets the period of a sample of a context switch to the time until the thread goes on; of one that
 * does not, until the end of the recording. False: the thread did not go to sleep, is idle (0), has
 * ended (-1), or is one of the kernel's own, which perf leaves out as well. */
static bool set_blocked_time(const struct session *session, struct sample *sample)
{
	uint64_t end;

	if (sample->tid <= 0 ||
	    (sample->type & PERF_SAMPLE_REGS_USER && !sample->user_registers.abi) ||
	    !sleeps_find(&session->sleeps, sample->tid, sample->time, &end))
		return false;
	end = end ?: session->sleeps.last;
	sample->period = end > sample->time ? end - sample->time : 0;
	return sample->period;
}

/* Parses the sample at `offset`. Returns false if its event is not declared or it is broken, and
 * counts it as such; or if it is none of its event's. */
static bool sample_read(struct session *session, const struct stream *stream, size_t offset,
			uint64_t clock, struct sample *sample)
{
	const uint8_t *record = stream->data + offset;
	size_t size = record_header(record, session->header.swap).size;
	const struct event *event = sample_event(session, record, size);

	if (!event) {
		session->totals.unknown_samples++;
		return false;
	}
	if (!sample_parse(event, record, size, session->header.swap, sample) ||
	    (event_is_embedded(event) && !sample_take_embedded(sample, session->header.swap))) {
		if (!session->totals.bad_samples++)
			session->first_bad = stream->base + offset;
		return false;
	}
	sample->position = stream->base + offset;
	sample->clock = sample->type & PERF_SAMPLE_TIME ? sample->time : clock;
	return event_needs_sleeps(event)
		       ? set_blocked_time(session, sample)
		       : contentions_take(&session->contentions, sample, session->header.swap);
}

struct error *session_chunk_samples(struct session *session, size_t number,
				    struct error *(*visit)(const struct sample *sample, void *data),
				    void *data)
{
	const struct chunk *chunk = &session->chunks[number];
	const struct stream *stream = &session->streams[chunk->stream];
	bool swap = session->header.swap;
	uint64_t clock = chunk->clock;
	struct sample sample;

	for (size_t offset = chunk->begin; offset < chunk->end;) {
		const uint8_t *record = stream->data + offset;
		struct record_header header = record_header(record, swap);
		uint64_t time;

		if (header.type == PERF_RECORD_SAMPLE) {
			record_read_ahead(record, header.size);
			bool good = sample_read(session, stream, offset, clock, &sample);
			struct error *error = good ? visit(&sample, data) : NULL;

			// cppcheck-suppress returnDanglingLifetime; errors are of the heap
			RETURN_ERROR(error);
			offset += header.size;
			continue;
		}
		if (record_is_state(header.type) &&
		    session_record_time(session, record, header.size, &time) && time > clock)
			clock = time;
		offset += header.size + record_extra(record, &header, swap);
	}
	return NULL;
}

struct error *session_each_sample(struct session *session,
				  struct error *(*visit)(const struct sample *sample, void *data),
				  void *data)
{
	session->totals.unknown_samples = 0;
	session->totals.bad_samples = 0;
	array_indexed (const struct chunk, chunk, i, session->chunks, session->chunk_count) {
		const struct stream *stream = &session->streams[chunk->stream];

		RETURN_ERROR(session_chunk_samples(session, i, visit, data));
		perf_file_done_with_part(&session->file, stream->data + chunk->begin,
					 stream->data + chunk->end);
	}
	return NULL;
}

bool session_sample_at(struct session *session, uint64_t position, uint64_t clock,
		       struct sample *sample)
{
	const struct stream *stream = NULL;
	struct record_header header;

	for (size_t i = 0; i < session->stream_count && !stream; i++)
		if (position - session->streams[i].base < session->streams[i].size)
			stream = &session->streams[i];
	return stream &&
	       stream_record(stream, position - stream->base, session->header.swap, &header) &&
	       header.type == PERF_RECORD_SAMPLE &&
	       sample_read(session, stream, position - stream->base, clock, sample);
}

char session_sample_level(const struct sample *sample)
{
	return placer_level(sample->misc);
}
