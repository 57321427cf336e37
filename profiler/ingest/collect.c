// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pass 1 over a session's records: hops from header to header, takes what is no sample, and cuts the streams
 * into chunks.
 *
 * What is wrong with a record ends its stream with one warning: what was read up to there stays good.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profiler/base/cursor.h"
#include "profiler/ingest/attr.h"
#include "profiler/ingest/session_private.h"

#define CHUNK_SIZE ((size_t)1 << 20)

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

struct collector {
	struct session *session;
	const struct stream *stream;
	uint32_t stream_index;
	uint64_t clock;      /* youngest time of a state record so far */
	bool compressed;     /* a compressed record was met: the stream must be decompressed first */
	bool may_decompress; /* false: it has been */
};

bool session_record_time(const struct session *session, const uint8_t *record, size_t size, uint64_t *time)
{
	const struct event_table *events = &session->events;
	struct sample_id id;

	if (!events->count)
		return false;
	/* With several events of different fields all have PERF_SAMPLE_IDENTIFIER, which is the record's last
	 * word. */
	const struct perf_event_attr *attr = &events->events[0].attr;

	if (!sample_id_parse(attr, record, size, session->header.swap, &id))
		return false;
	if (events->count > 1 && attr->sample_type & PERF_SAMPLE_IDENTIFIER) {
		uint32_t index = event_table_resolve(events, id.id);

		if (index != EVENT_NONE && index != 0 &&
		    !sample_id_parse(&events->events[index].attr, record, size, session->header.swap, &id))
			return false;
	}
	*time = id.time;
	return id.has_time;
}

static void collect_state(struct collector *collector, const uint8_t *record, size_t size, uint64_t position)
{
	struct session *session = collector->session;
	uint64_t time;

	if (!session_record_time(session, record, size, &time))
		time = collector->clock;
	if (time > collector->clock)
		collector->clock = time;
	if (record_header(record, session->header.swap).type == PERF_RECORD_EXIT)
		parallelism_add(&session->parallelism, (struct moment){ time, position }, -1, false);
	array_reserve(session->states, session->state_count, session->state_capacity);
	session->states[session->state_count++] = (struct state_record){
		.moment = { time, position },
		.data = record,
		.size = (uint32_t)size,
	};
}

static void collect_switch(struct collector *collector, const struct record_header *header,
			   const uint8_t *record, uint64_t position)
{
	struct session *session = collector->session;
	struct moment moment = { collector->clock, position };

	(void)session_record_time(session, record, header->size, &moment.time);
	parallelism_add(&session->parallelism, moment, header->misc & PERF_RECORD_MISC_SWITCH_OUT ? -1 : 1,
			true);
}

static void collect_attr(struct session *session, const struct stream *stream, const uint8_t *record,
			 size_t size, size_t offset)
{
	const uint8_t *bytes = record + RECORD_HEADER_SIZE;
	size_t left = size - RECORD_HEADER_SIZE;
	struct perf_event_attr attr;

	/* In a file the attrs stand in the header; the records are for pipes. */
	if (!session->header.pipe)
		return;
	if (left < PERF_ATTR_SIZE_VER0 || attr_size(bytes, session->header.swap) > left ||
	    !attr_parse(bytes, left, session->header.swap, &attr)) {
		session_warn(session, "%s: bad event attribute, passed over",
			     stream_place(session, stream, offset));
		return;
	}
	size_t used = attr_size(bytes, session->header.swap);

	event_table_add(&session->events, &attr, bytes + used, (left - used) / 8, session->header.swap);
}

static void collect_event_update(struct session *session, const uint8_t *record, size_t size)
{
	struct cursor cursor = cursor_of(record, size, session->header.swap);

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	uint64_t kind = cursor_u64(&cursor);
	uint64_t id = cursor_u64(&cursor);
	const char *name = kind == 2 ? cursor_string(&cursor) : NULL; /* PERF_EVENT_UPDATE__NAME */
	uint32_t event = event_table_find(&session->events, id);

	if (name && event != EVENT_NONE)
		event_table_name(&session->events, event, name);
}

static void collect_feature(struct session *session, const struct stream *stream, const uint8_t *record,
			    size_t size, size_t offset)
{
	struct cursor cursor = cursor_of(record, size, session->header.swap);

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	uint64_t feature = cursor_u64(&cursor);

	/* Without content it is the mark of their end: the first number that its writer did not know. */
	if (cursor.failed || !cursor_left(&cursor) || feature >= FEATURE_BITS ||
	    session->header.features[feature].data)
		return;
	session->header.features[feature] = (struct feature_section){
		.data = record + cursor.position,
		.size = cursor_left(&cursor),
		.offset = stream_file_offset(stream, offset) + cursor.position,
	};
}

static void collect_tracing_data(struct session *session, const struct stream *stream, const uint8_t *record,
				 size_t size, uint64_t extra, size_t offset)
{
	struct feature_section *section = &session->header.features[FEATURE_TRACING_DATA];

	if (section->data || extra == 0)
		return;
	*section = (struct feature_section){
		.data = record + size,
		.size = (size_t)extra,
		.offset = stream_file_offset(stream, offset) + size,
	};
}

/* PERF_RECORD_LOST: id, lost; PERF_RECORD_LOST_SAMPLES: lost */
static uint64_t collect_word(const struct session *session, const uint8_t *record, size_t size, size_t index)
{
	struct cursor cursor = cursor_of(record, size, session->header.swap);

	cursor_skip(&cursor, RECORD_HEADER_SIZE + 8 * index);
	return cursor_u64(&cursor);
}

uint64_t record_extra(const uint8_t *record, const struct record_header *header, bool swap)
{
	struct cursor cursor = cursor_of(record, header->size, swap);

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	if (header->type == PERF_RECORD_AUXTRACE)
		return cursor_u64(&cursor);
	return header->type == PERF_RECORD_HEADER_TRACING_DATA ? cursor_u32(&cursor) : 0;
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
	case PERF_RECORD_LOST: session->totals.lost_events += collect_word(session, record, size, 1); break;
	case PERF_RECORD_LOST_SAMPLES:
		session->totals.lost_samples += collect_word(session, record, size, 0);
		break;
	case PERF_RECORD_THROTTLE: session->totals.throttles++; break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		collect_switch(collector, header, record, collector->stream->base + offset);
		break;
	case PERF_RECORD_CGROUP: session_take_cgroup(session, record, size); break;
	case PERF_RECORD_AUXTRACE:
		session->totals.aux_records++;
		session->totals.aux_bytes += extra;
		break;
	case PERF_RECORD_HEADER_ATTR: collect_attr(session, collector->stream, record, size, offset); break;
	case PERF_RECORD_EVENT_UPDATE: collect_event_update(session, record, size); break;
	case PERF_RECORD_HEADER_FEATURE:
		collect_feature(session, collector->stream, record, size, offset);
		break;
	case PERF_RECORD_HEADER_TRACING_DATA:
		collect_tracing_data(session, collector->stream, record, size, extra, offset);
		break;
	case PERF_RECORD_HEADER_BUILD_ID: session_take_build_id(session, record, size); break;
	case PERF_RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		if (!collector->may_decompress)
			session_warn(session, "%s: compressed records within compressed records, passed over",
				     stream_place(session, collector->stream, offset));
		collector->compressed = collector->may_decompress;
		break;
	default: break;
	}
}

static void collect_cut(struct collector *collector, struct chunk *chunk, size_t offset)
{
	struct session *session = collector->session;

	if (offset > chunk->begin) {
		chunk->end = offset;
		array_reserve(session->chunks, session->chunk_count, session->chunk_capacity);
		session->chunks[session->chunk_count++] = *chunk;
	}
	chunk->begin = offset;
	chunk->clock = collector->clock;
}

/*
 * Have the pages of the next chunk mapped at once, which costs half of what faults cost one by one. Older
 * kernels refuse, and the faults come.
 */
static void collect_map_ahead(const struct stream *stream, size_t offset)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)(stream->data + offset) & ~(page - 1);
	size_t left = stream->size - offset;
	uintptr_t end = (uintptr_t)(stream->data + offset) +
			(left < CHUNK_SIZE + UINT16_MAX ? left : CHUNK_SIZE + UINT16_MAX);

	(void)madvise((void *)begin, end - begin, MADV_POPULATE_READ);
}

/* Why a stream ends at `offset` before its end. */
static void collect_warn_end(const struct collector *collector, size_t offset, size_t size, const char *what)
{
	const struct stream *stream = collector->stream;

	if (stream->cut && size >= RECORD_HEADER_SIZE)
		return;
	session_warn(collector->session, "%s: %s of %zu bytes where %zu are left; what follows is not read",
		     stream_place(collector->session, stream, offset), what, size, stream->size - offset);
}

/*
 * Samples stand in long runs and most are as long as the one before. Goes on from `offset`, where there is a
 * sample of `size` bytes, past all such samples that begin before `end`, and counts them.
 */
static size_t collect_samples(const struct stream *stream, size_t offset, size_t end,
			      const struct record_header *header, uint64_t *samples)
{
	const uint8_t *first = stream->data + offset;
	const uint8_t *record = first;
	const uint8_t *last = stream->data + stream->size - header->size;
	uint64_t word;

	if (last > stream->data + end)
		last = stream->data + end;
	memcpy(&word, record, sizeof(word));
	/* type and size, in the file's byte order; the bits of misc between them do not matter */
	const uint64_t mask = ~(UINT64_C(0xffff) << 32);
	uint64_t other;

	do {
		record += header->size;
		if (record > last)
			break;
		record_read_ahead(record);
		memcpy(&other, record, sizeof(other));
	} while (!((word ^ other) & mask));
	*samples += (uint64_t)(record - first) / header->size;
	return (size_t)(record - stream->data);
}

/* Returns where the stream's last whole record ends, or where a compressed one begins. */
static void collect_stream(struct collector *collector)
{
	struct session *session = collector->session;
	const struct stream *stream = collector->stream;
	bool swap = session->header.swap;
	struct chunk chunk = { .stream = collector->stream_index, .clock = collector->clock };
	uint64_t samples = 0;
	uint64_t others = 0;
	size_t offset = 0;

	while (stream->size - offset >= RECORD_HEADER_SIZE) {
		const uint8_t *record = stream->data + offset;
		struct record_header header = record_header(record, swap);
		size_t left = stream->size - offset;

		if (header.size < RECORD_HEADER_SIZE || header.size > left)
			break;
		if (offset - chunk.begin >= CHUNK_SIZE) {
			collect_cut(collector, &chunk, offset);
			collect_map_ahead(stream, offset);
		}
		if (header.type == PERF_RECORD_SAMPLE) {
			offset = collect_samples(stream, offset, chunk.begin + CHUNK_SIZE, &header, &samples);
			continue;
		}
		others++;
		uint64_t extra = record_extra(record, &header, swap);

		if (extra > left - header.size) {
			collect_warn_end(collector, offset, extra, "a trace");
			collect_cut(collector, &chunk, offset);
			goto out;
		}
		collect_record(collector, &header, record, offset, extra);
		if (collector->compressed)
			return;
		offset += header.size + extra;
	}
	collect_cut(collector, &chunk, offset);
	if (stream->size - offset >= RECORD_HEADER_SIZE)
		collect_warn_end(collector, offset, record_header(stream->data + offset, swap).size,
				 "a record");
	else if (stream->size > offset)
		collect_warn_end(collector, offset, RECORD_HEADER_SIZE, "a record");
out:
	session->totals.samples += samples;
	session->totals.records += samples + others;
}

/* Everything that a first try at a compressed stream collected is collected again. */
static void collect_forget(struct session *session, const struct session_totals *totals, size_t chunks,
			   size_t states, size_t steps)
{
	session->totals = *totals;
	session->parallelism.count = steps;
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
		size_t chunks = session->chunk_count;
		size_t states = session->state_count, steps = session->parallelism.count;
		struct collector collector = {
			.session = session,
			.stream = &session->streams[i],
			.stream_index = i,
			.clock = clock,
			.may_decompress = true,
		};

		collect_stream(&collector);
		if (collector.compressed) {
			collect_forget(session, &totals, chunks, states, steps);
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
