// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of a stream: see pipe_format.h. */
#include "profiler/record/pipe_format.h"

#include <perf/event.h>
#include <string.h>

#include "profiler/base/memory.h"

#define MAX_RECORD_SIZE 65528

static void put_header(struct strbuf *stream, uint32_t type, size_t size)
{
	struct perf_event_header header = { .type = type, .size = size };

	strbuf_add(stream, &header, sizeof(header));
}

static struct error *put_attr(struct strbuf *stream, const struct event_list *events, size_t event,
			      const struct counters *counters)
{
	size_t ids = 0, size;

	for (size_t i = 0; i < counters->count; i++)
		ids += counters->items[i].event == event;
	size = sizeof(struct perf_event_header) + sizeof(struct perf_event_attr) + ids * sizeof(uint64_t);
	if (size > MAX_RECORD_SIZE)
		return error_create(
			ERROR_UNSUPPORTED,
			"event '%s' has %zu counters, more than a record of a stream holds: write to a file",
			events->items[event].name, ids);
	put_header(stream, PERF_RECORD_HEADER_ATTR, size);
	strbuf_add(stream, &events->items[event].attr, sizeof(struct perf_event_attr));
	for (size_t i = 0; i < counters->count; i++) {
		if (counters->items[i].event == event)
			strbuf_add(stream, &counters->items[i].id, sizeof(uint64_t));
	}
	return NULL;
}

struct error *pipe_put_events(struct strbuf *stream, const struct event_list *events,
			      const struct counters *counters)
{
	const struct file_pipe_header header = { .magic = PERF_MAGIC_V2, .size = sizeof(header) };

	strbuf_add(stream, &header, sizeof(header));
	for (size_t i = 0; i < events->count; i++)
		RETURN_ERROR(put_attr(stream, events, i, counters));
	return NULL;
}

static void put_padding(struct strbuf *stream, size_t size)
{
	static const char zeros[8];

	strbuf_add(stream, zeros, (8 - size % 8) % 8);
}

/* The record tells the size of what follows it, which may be more than a record holds. */
static void put_tracing_data(struct strbuf *stream, const struct strbuf *content)
{
	uint32_t sizes[2] = { (content->length + 7) & ~7ULL, 0 };

	put_header(stream, PERF_RECORD_HEADER_TRACING_DATA, sizeof(struct perf_event_header) + sizeof(sizes));
	strbuf_add(stream, sizes, sizeof(sizes));
	strbuf_add(stream, content->data, content->length);
	put_padding(stream, content->length);
}

/* The feature is a sequence of records already, but for their type. */
static void put_build_ids(struct strbuf *stream, const struct strbuf *content)
{
	size_t start = stream->length;
	struct perf_event_header header;

	strbuf_add(stream, content->data, content->length);
	for (size_t at = start; at + sizeof(header) <= stream->length; at += header.size) {
		memcpy(&header, stream->data + at, sizeof(header));
		header.type = PERF_RECORD_HEADER_BUILD_ID;
		memcpy(stream->data + at, &header, sizeof(header));
	}
}

void pipe_put_feature(struct strbuf *stream, enum feature feature, const struct strbuf *content)
{
	const uint64_t id = feature;
	size_t size = sizeof(struct perf_event_header) + sizeof(id) + content->length;

	if (feature == FEATURE_TRACING_DATA) {
		put_tracing_data(stream, content);
	} else if (feature == FEATURE_BUILD_ID) {
		put_build_ids(stream, content);
	} else if (size + 7 <= MAX_RECORD_SIZE) {
		put_header(stream, PERF_RECORD_HEADER_FEATURE, (size + 7) & ~7ULL);
		strbuf_add(stream, &id, sizeof(id));
		strbuf_add(stream, content->data, content->length);
		put_padding(stream, size);
	}
}
