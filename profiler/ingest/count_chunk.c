// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The inner loop of counting: all samples of a chunk, read where their fields stand.
 *
 * Nearly all samples are plain: in this machine's byte order, with the fields that place them at fixed
 * offsets. The others are parsed whole.
 */
#include <string.h>

#include "profiler/ingest/counter.h"

static inline uint64_t load64(const uint8_t *record, uint16_t offset)
{
	uint64_t value;

	memcpy(&value, record + offset, 8);
	return value;
}

/* A field that the samples of this event may have. */
static inline uint64_t load_field(const uint8_t *record, uint16_t offset, uint64_t absent)
{
	return offset ? load64(record, offset) : absent;
}

/* For samples of layout->plain_size and more. */
ALWAYS_INLINE void count_read_plain(const struct event *event, const struct sample_layout *layout,
				    const uint8_t *record, struct count_sample *sample)
{
	sample->ip = load64(record, layout->ip);
	sample->time = load_field(record, layout->time, 0);
	sample->task = load64(record, layout->tid);
	sample->address = load_field(record, layout->address, 0);
	sample->cpu = (uint32_t)load_field(record, layout->cpu, UINT32_MAX);
	sample->period = load_field(record, layout->period, event->attr.sample_period);
	sample->weight = load_field(record, layout->weight, 0);
	if (layout->type & PERF_SAMPLE_WEIGHT_STRUCT)
		sample->weight &= UINT32_MAX;
	sample->data_source = load_field(record, layout->data_source, 0);
}

/* `whole` must be there as long as *sample. */
static __attribute__((noinline)) bool count_read_whole(const struct event *event, const uint8_t *record,
						       size_t size, bool swap, struct sample *whole,
						       struct count_sample *sample)
{
	if (!sample_parse(event, record, size, swap, whole))
		return false;
	*sample = count_sample_of(whole);
	return true;
}

/* The event of the id at `place` of the record, 0: the first; EVENT_NONE: the file does not declare it. */
ALWAYS_INLINE uint32_t count_event(struct counter *counter, const uint8_t *record, size_t size,
				   uint16_t place)
{
	const struct session *session = counter->session;

	if (!place)
		return 0;
	if (size < place + 8u)
		return EVENT_NONE;
	uint64_t id = load64(record, place);

	if (session->header.swap)
		id = __builtin_bswap64(id);
	if (id != counter->last_id || counter->last_event == EVENT_NONE) {
		counter->last_id = id;
		counter->last_event = event_table_resolve(&session->events, id);
	}
	return counter->last_event;
}

static void count_bad(struct counter *counter, uint64_t position)
{
	if (!counter->result.bad_samples++ || position < counter->result.first_bad)
		counter->result.first_bad = position;
}

/* `chosen`: the options let only some samples count. */
ALWAYS_INLINE void count_record(struct counter *counter, unsigned int fields, bool chosen, uint32_t index,
				const uint8_t *record, struct record_header header, uint64_t clock,
				uint64_t position)
{
	const struct session *session = counter->session;
	const struct event *event = &session->events.events[index];
	const struct sample_layout *layout = &session->events.layouts[index];
	struct count_sample sample;
	struct sample parsed;

	if (header.size >= layout->plain_size && !session->header.swap &&
	    !(fields & (COUNT_DATA_FIELDS | COUNT_MORE))) {
		sample.misc = header.misc;
		count_read_plain(event, layout, record, &sample);
	} else {
		/* `sample` has no address, so that it may stay in registers. */
		struct count_sample whole;

		if (!count_read_whole(event, record, header.size, session->header.swap, &parsed, &whole)) {
			count_bad(counter, position);
			return;
		}
		sample = whole;
	}
	if (chosen && !count_is_wanted(counter->options, sample.time, (int32_t)sample.cpu))
		return;
	count_add(counter, fields, index, &sample,
		  session_moment(session, layout->type & PERF_SAMPLE_TIME, sample.time, clock, position));
}

/* Bytes of a record that is no sample; the clock goes on with its time. */
static __attribute__((noinline)) size_t count_pass_over(const struct session *session, const uint8_t *record,
							struct record_header header, uint64_t *clock)
{
	bool swap = session->header.swap;
	uint64_t time;

	if (record_is_state(header.type) && session_record_time(session, record, header.size, &time) &&
	    time > *clock)
		*clock = time;
	return header.size + record_extra(record, &header, swap);
}

ALWAYS_INLINE void count_records(struct counter *counter, const struct chunk *chunk, unsigned int fields,
				 bool chosen)
{
	const struct session *session = counter->session;
	const struct stream *stream = &session->streams[chunk->stream];
	uint16_t id_place = session->events.count > 1 ? session->events.layouts[0].id : 0;
	const uint8_t *end = stream->data + chunk->end;
	uint64_t clock = chunk->clock;
	size_t size;

	/* Pass 1 has checked every record's size. */
	for (const uint8_t *record = stream->data + chunk->begin; record < end; record += size) {
		struct record_header header = record_header(record, session->header.swap);

		record_read_ahead(record);
		size = header.size;
		if (header.type != RECORD_SAMPLE) {
			size = count_pass_over(session, record, header, &clock);
			continue;
		}
		uint32_t event = count_event(counter, record, size, id_place);

		if (event == EVENT_NONE)
			counter->result.unknown_samples++;
		else
			count_record(counter, fields, chosen, event, record, header, clock,
				     stream->base + (uint64_t)(record - stream->data));
	}
}

/* The fields that reports ask for most are constants to the compiler: of the loop is left what they need. */
void count_chunk(struct counter *counter, const struct chunk *chunk)
{
	if (counter->options->ranges || counter->options->cpus) {
		count_records(counter, chunk, counter->fields, true);
		return;
	}
	switch (counter->fields) {
	case COUNT_PLACE: count_records(counter, chunk, COUNT_PLACE, false); break;
	case COUNT_PLACE | COUNT_STORE:
		count_records(counter, chunk, COUNT_PLACE | COUNT_STORE, false);
		break;
	case COUNT_PLACE | COUNT_COMM: count_records(counter, chunk, COUNT_PLACE | COUNT_COMM, false); break;
	case COUNT_DSO | COUNT_COMM: count_records(counter, chunk, COUNT_DSO | COUNT_COMM, false); break;
	default: count_records(counter, chunk, counter->fields, false); break;
	}
}
