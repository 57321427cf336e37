// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pass 2: counting samples under the asked-for fields.
 *
 * Each thread takes chunks and counts in a table of its own, so nothing is shared but the timeline, which
 * does not change. The inner loop reads the fields it needs at their fixed places; samples whose fields have
 * none are parsed whole.
 */
#include "profiler/ingest/count.h"

#include <inttypes.h>

#include "profiler/base/parallel.h"
#include "profiler/ingest/placer.h"
#include "profiler/ingest/session_private.h"

/* For what the inner loop is made of: see count_item(). */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

struct counter {
	const struct session *session;
	unsigned int fields;
	struct count_result result;
	struct count_table last_values; /* of counters that samples read: by event id and tid */
	struct placer placer;
	uint64_t last_id; /* the event of the last sample, and its id */
	uint32_t last_event;
	bool started;
};

struct counting {
	const struct session *session;
	struct counter *counters; /* one a thread */
};

/* What counting needs of a sample, from either way of reading it. */
struct count_sample {
	uint64_t ip;
	uint64_t time;
	int32_t pid;
	int32_t tid;
	uint64_t period;
	uint64_t weight;
	uint64_t data_source;
	uint64_t address;
	int32_t cpu;
	uint16_t misc;
};

/* Operations of a data source, PERF_MEM_OP_* in its five lowest bits */
#define DATA_SOURCE_STORE (PERF_MEM_OP_STORE << PERF_MEM_OP_SHIFT)

unsigned int count_key_words(unsigned int fields)
{
	return 1 + !!(fields & COUNT_PLACE) + !!(fields & COUNT_COMM) + !!(fields & COUNT_CPU) +
	       !!(fields & (COUNT_PID | COUNT_TID)) + !!(fields & COUNT_WEIGHT) +
	       !!(fields & COUNT_DATA_SOURCE) + !!(fields & COUNT_DATA_ADDRESS);
}

static inline uint64_t load64(const uint8_t *record, uint16_t offset)
{
	uint64_t value;

	memcpy(&value, record + offset, 8);
	return value;
}

static inline void count_read_fast(const struct event *event, const struct sample_layout *layout,
				   const uint8_t *record, struct count_sample *sample)
{
	uint64_t weight = layout->weight ? load64(record, layout->weight) : 0;
	uint64_t task = layout->tid ? load64(record, layout->tid) : UINT64_MAX;

	sample->ip = layout->ip ? load64(record, layout->ip) : 0;
	sample->time = layout->time ? load64(record, layout->time) : 0;
	sample->pid = (int32_t)task;
	sample->tid = (int32_t)(task >> 32);
	sample->address = layout->address ? load64(record, layout->address) : 0;
	sample->cpu = layout->cpu ? (int32_t)load64(record, layout->cpu) : -1;
	sample->period = layout->period ? load64(record, layout->period) : event->attr.sample_period;
	sample->weight = layout->type & PERF_SAMPLE_WEIGHT_STRUCT ? weight & UINT32_MAX : weight;
	sample->data_source = layout->data_source ? load64(record, layout->data_source) : 0;
}

static struct count_sample count_sample_of(const struct sample *sample)
{
	return (struct count_sample){
		.ip = sample->ip,
		.time = sample->time,
		.pid = sample->pid,
		.tid = sample->tid,
		.period = sample->period,
		.weight = sample->weight,
		.data_source = sample->data_source,
		.address = sample->address,
		.cpu = sample->cpu,
		.misc = sample->misc,
	};
}

static __attribute__((noinline)) bool count_read_whole(const struct event *event, const uint8_t *record,
						       size_t size, bool swap, struct count_sample *sample)
{
	struct sample whole;

	if (!sample_parse(event, record, size, swap, &whole))
		return false;
	*sample = count_sample_of(&whole);
	return true;
}

/* Fields of weight and data source stand behind fields of variable length: no fixed place. */
static inline bool count_has_fixed_places(const struct sample_layout *layout)
{
	return (layout->weight || !(layout->type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))) &&
	       (layout->data_source || !(layout->type & PERF_SAMPLE_DATA_SRC));
}

/* The event by the id in the record; EVENT_NONE: the file does not declare it. */
static inline uint32_t count_event(struct counter *counter, const uint8_t *record, size_t size)
{
	const struct event_table *events = &counter->session->events;
	uint16_t place = events->layouts[0].id;

	if (events->count == 1 || !place)
		return 0;
	if (size < place + 8u)
		return EVENT_NONE;
	uint64_t id = load64(record, place);

	if (counter->session->header.swap)
		id = __builtin_bswap64(id);
	if (id != counter->last_id || counter->last_event == EVENT_NONE) {
		counter->last_id = id;
		counter->last_event = event_table_resolve(events, id);
	}
	return counter->last_event;
}

/* dso id + 1, the offset in its file, and the comm's word of the key. */
ALWAYS_INLINE uint32_t count_place(struct counter *counter, unsigned int fields,
				   const struct count_sample *sample, struct moment moment, uint64_t *offset,
				   uint64_t *comm)
{
	char level = placer_level(sample->misc);
	uint32_t space = SPACE_NONE;

	if (fields & COUNT_COMM || (fields & (COUNT_PLACE | COUNT_DSO) && level == '.')) {
		const struct placer_task *task =
			placer_task(&counter->placer, sample->pid, sample->tid, moment);

		*comm = task->comm == COMM_NONE ? COUNT_KEY_UNNAMED | (uint32_t)sample->tid : task->comm;
		space = task->space;
	}
	if (!(fields & (COUNT_PLACE | COUNT_DSO)))
		return 0;
	space = placer_space(&counter->session->timeline, level, space);
	const struct placer_map *map = placer_map(&counter->placer, space, sample->ip, moment);

	*offset = sample->ip + map->to_file;
	return map->dso;
}

ALWAYS_INLINE void count_add(struct counter *counter, unsigned int fields, uint32_t event,
			     const struct count_sample *sample, struct moment moment)
{
	uint64_t key[COUNT_KEY_WORDS];
	uint64_t comm = 0;
	uint64_t offset = 0;
	uint64_t place = count_place(counter, fields, sample, moment, &offset, &comm);
	uint64_t store = fields & COUNT_STORE ? !!(sample->data_source & DATA_SOURCE_STORE) : 0;
	uint64_t level =
		fields & (COUNT_PLACE | COUNT_DSO) ? sample->misc & PERF_RECORD_MISC_CPUMODE_MASK : 0;
	unsigned int words = 0;

	key[words++] = place | level << COUNT_KEY_LEVEL | store << COUNT_KEY_STORE |
		       (uint64_t)event << COUNT_KEY_EVENT;
	if (fields & COUNT_PLACE)
		key[words++] = offset;
	if (fields & COUNT_COMM)
		key[words++] = comm;
	if (fields & COUNT_CPU)
		key[words++] = (uint32_t)sample->cpu;
	if (fields & (COUNT_PID | COUNT_TID))
		key[words++] = (fields & COUNT_PID ? (uint64_t)(uint32_t)sample->pid << 32 : 0) |
			       (fields & COUNT_TID ? (uint32_t)sample->tid : 0);
	if (fields & COUNT_WEIGHT)
		key[words++] = sample->weight;
	if (fields & COUNT_DATA_SOURCE)
		key[words++] = sample->data_source;
	if (fields & COUNT_DATA_ADDRESS)
		key[words++] = sample->address;
	uint64_t *sums = count_table_get_words(&counter->result.table, key, words);

	sums[COUNTER_SAMPLES]++;
	sums[COUNTER_PERIOD] += sample->period;
	sums[COUNTER_WEIGHT] += sample->weight;
}

static void count_bad(struct counter *counter, uint64_t position)
{
	if (!counter->result.bad_samples++ || position < counter->result.first_bad)
		counter->result.first_bad = position;
}

ALWAYS_INLINE void count_record(struct counter *counter, unsigned int fields, const uint8_t *record,
				const struct record_header *header, uint64_t clock, uint64_t position)
{
	const struct session *session = counter->session;
	uint32_t index = count_event(counter, record, header->size);
	struct count_sample sample;

	if (index == EVENT_NONE) {
		counter->result.unknown_samples++;
		return;
	}
	const struct event *event = &session->events.events[index];
	const struct sample_layout *layout = &session->events.layouts[index];

	if (!session->header.swap && count_has_fixed_places(layout) && header->size >= layout->fixed_size) {
		sample.misc = header->misc;
		count_read_fast(event, layout, record, &sample);
	} else if (!count_read_whole(event, record, header->size, session->header.swap, &sample)) {
		count_bad(counter, position);
		return;
	}
	count_add(counter, fields, index, &sample,
		  session_moment(session, layout->type & PERF_SAMPLE_TIME, sample.time, clock, position));
}

static void counter_start(struct counter *counter)
{
	count_table_init(&counter->last_values, 2);
	count_table_init(&counter->result.table, count_key_words(counter->fields));
	placer_init(&counter->placer, &counter->session->timeline);
	counter->last_event = EVENT_NONE;
	counter->started = true;
}

ALWAYS_INLINE void count_chunk(struct counter *counter, const struct chunk *chunk, unsigned int fields)
{
	const struct session *session = counter->session;
	const struct stream *stream = &session->streams[chunk->stream];
	uint64_t clock = chunk->clock;
	bool swap = session->header.swap;

	/* Pass 1 has checked every record's size. */
	for (size_t offset = chunk->begin; offset < chunk->end;) {
		const uint8_t *record = stream->data + offset;
		struct record_header header = record_header(record, swap);

		if (header.type == RECORD_SAMPLE) {
			count_record(counter, fields, record, &header, clock, stream->base + offset);
			offset += header.size;
			continue;
		}
		uint64_t time;

		if (record_is_state(header.type) &&
		    session_record_time(session, record, header.size, &time) && time > clock)
			clock = time;
		offset += header.size + record_extra(record, &header, swap);
	}
}

/* The fields that reports ask for most are constants to the compiler: of the loop is left what they need. */
static void count_item(size_t item, unsigned int thread, void *data)
{
	struct counting *counting = data;
	struct counter *counter = &counting->counters[thread];
	const struct chunk *chunk = &counting->session->chunks[item];

	if (!counter->started)
		counter_start(counter);
	switch (counter->fields) {
	case COUNT_PLACE: count_chunk(counter, chunk, COUNT_PLACE); break;
	case COUNT_PLACE | COUNT_STORE: count_chunk(counter, chunk, COUNT_PLACE | COUNT_STORE); break;
	case COUNT_DSO | COUNT_COMM: count_chunk(counter, chunk, COUNT_DSO | COUNT_COMM); break;
	default: count_chunk(counter, chunk, counter->fields); break;
	}
}

/*
 * Sampling of a group by its leader ("{a,b}:S"): the sample holds the values of all its counters, and counts
 * as one sample of each event whose counter has moved, with the difference as its period, as in perf.
 * Counters that are inherited go by thread.
 */
static void count_read_value(struct counter *counter, const struct sample *sample, uint64_t entry,
			     struct count_sample *counted)
{
	const struct event_table *events = &counter->session->events;
	uint64_t value = sample_word(&sample->read.values, entry * sample->read.stride);
	uint64_t id = sample_word(&sample->read.values, entry * sample->read.stride + sample->read.id_at);
	uint32_t event = event_table_find(events, id);

	if (event == EVENT_NONE) {
		counter->result.unknown_samples++;
		return;
	}
	uint64_t key[2] = { id, events->events[event].attr.inherit ? (uint32_t)sample->tid : 0 };
	uint64_t *last = count_table_get_words(&counter->last_values, key, 2);

	counted->period = value - *last;
	*last = value;
	if (counted->period)
		count_add(counter, counter->fields, event, counted,
			  session_moment(counter->session, true, sample->clock, sample->clock,
					 sample->position));
}

static struct error *count_visit(const struct sample *sample, void *data)
{
	struct counter *counter = data;
	struct count_sample counted = count_sample_of(sample);

	if (!(sample->type & PERF_SAMPLE_READ) || !sample->read.id_at) {
		count_add(counter, counter->fields, sample->event->index, &counted,
			  session_moment(counter->session, true, sample->clock, sample->clock,
					 sample->position));
		return NULL;
	}
	for (uint64_t i = 0; i < sample->read.values.count / sample->read.stride; i++)
		count_read_value(counter, sample, i, &counted);
	return NULL;
}

/* Where samples read counters, each depends on the one before: they are taken one by one. */
static bool session_reads_counters(const struct session *session)
{
	for (size_t i = 0; i < session->events.count; i++)
		if (session->events.events[i].attr.sample_type & PERF_SAMPLE_READ)
			return true;
	return false;
}

static void count_in_order(struct session *session, struct counter *counter)
{
	counter_start(counter);
	error_free(session_each_sample(session, count_visit, counter)); /* count_visit() has none */
	counter->result.unknown_samples += session->totals.unknown_samples;
	counter->result.bad_samples = session->totals.bad_samples;
	counter->result.first_bad = session->first_bad;
}

void count_run(struct session *session, unsigned int fields, unsigned int threads,
	       struct count_result *results)
{
	struct counting counting = { .session = session };

	counting.counters = xcalloc(threads, sizeof(*counting.counters));
	for (unsigned int i = 0; i < threads; i++)
		counting.counters[i] = (struct counter){ .session = session, .fields = fields };
	if (session_reads_counters(session))
		count_in_order(session, &counting.counters[0]);
	else
		parallel_for(session->chunk_count, threads, count_item, &counting);
	for (unsigned int i = 0; i < threads; i++) {
		/* A thread that found no work left has not started. */
		if (!counting.counters[i].started)
			counter_start(&counting.counters[i]);
		count_table_release(&counting.counters[i].last_values);
		results[i] = counting.counters[i].result;
	}
	free(counting.counters);
}
