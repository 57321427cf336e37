// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples one by one, and where their addresses are: see session.h. */
#include "profiler/ingest/placer.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session_private.h"

/* The event of a sample by its id; NULL: the file does not declare it. */
static const struct event *sample_event(const struct session *session, const uint8_t *record, size_t size)
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

/* The sample at `offset`; false: it is of no event that the file declares, or broken, and was counted as
 * such. */
static bool sample_read(struct session *session, const struct stream *stream, size_t offset, uint64_t clock,
			struct sample *sample)
{
	const uint8_t *record = stream->data + offset;
	size_t size = record_header(record, session->header.swap).size;
	const struct event *event = sample_event(session, record, size);

	if (!event) {
		session->totals.unknown_samples++;
		return false;
	}
	if (!sample_parse(event, record, size, session->header.swap, sample)) {
		if (!session->totals.bad_samples++)
			session->first_bad = stream->base + offset;
		return false;
	}
	sample->position = stream->base + offset;
	sample->clock = sample->type & PERF_SAMPLE_TIME ? sample->time : clock;
	return true;
}

static struct error *chunk_each_sample(struct session *session, const struct chunk *chunk,
				       struct error *(*visit)(const struct sample *sample, void *data),
				       void *data)
{
	const struct stream *stream = &session->streams[chunk->stream];
	bool swap = session->header.swap;
	uint64_t clock = chunk->clock;
	struct sample sample;

	for (size_t offset = chunk->begin; offset < chunk->end;) {
		const uint8_t *record = stream->data + offset;
		struct record_header header = record_header(record, swap);
		uint64_t time;

		if (header.type == PERF_RECORD_SAMPLE) {
			bool good = sample_read(session, stream, offset, clock, &sample);
			struct error *error = good ? visit(&sample, data) : NULL;

			// cppcheck-suppress returnDanglingLifetime; errors are of the heap
			RETURN_ERROR(error);
		} else if (record_is_state(header.type) &&
			   session_record_time(session, record, header.size, &time) && time > clock) {
			clock = time;
		}
		offset += header.size + record_extra(record, &header, swap);
	}
	return NULL;
}

struct error *session_each_sample(struct session *session,
				  struct error *(*visit)(const struct sample *sample, void *data), void *data)
{
	session->totals.unknown_samples = 0;
	session->totals.bad_samples = 0;
	for (size_t i = 0; i < session->chunk_count; i++)
		RETURN_ERROR(chunk_each_sample(session, &session->chunks[i], visit, data));
	return NULL;
}

static struct moment sample_moment(const struct session *session, const struct sample *sample)
{
	return session_moment(session, true, sample->clock, sample->clock, sample->position);
}

char session_sample_level(const struct sample *sample)
{
	return placer_level(sample->misc);
}

uint32_t session_sample_comm(struct session *session, const struct sample *sample)
{
	struct task_view view;

	timeline_task(&session->timeline, sample->pid, sample->tid, sample_moment(session, sample), &view);
	return view.comm == COMM_NONE ? session_thread_comm(session, sample->tid) : view.comm;
}

void session_locate(struct session *session, const struct sample *sample, char level, uint64_t address,
		    struct place *place)
{
	struct moment moment = sample_moment(session, sample);
	struct task_view task = { .space = SPACE_NONE };
	struct map_view view;

	*place = (struct place){ 0 };
	/* Where hardware leaves an address out (of a branch, of data), it is 0; a kernel's map may begin
	 * there. */
	if (!address)
		return;
	if (level == '.')
		timeline_task(&session->timeline, sample->pid, sample->tid, moment, &task);
	timeline_map(&session->timeline, placer_space(&session->timeline, level, task.space), address, moment,
		     &view);
	const struct map *map = view.map == MAP_NONE ? NULL : &session->timeline.maps[view.map];

	place->dso = map ? map->dso : NULL;
	place->address = address;
	if (!place->dso)
		return;
	place->address = session_file_address(session, map->dso, map_file_offset(map, address));
	place->map_start = map->start;
}
