// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pass 2: counts samples by the fields that a report asks for (session_count() of session.h).
 *
 * Each thread takes chunks of records and counts in a table of its own. Nothing else is shared but
 * the timeline, which does not change. The inner loop is made of functions that are always inlined.
 * For the commonest sets of fields `fields` is a constant, so that the compiler drops the code of
 * all other fields.
 *
 * Nearly all samples are plain: they are in this machine's byte order, and the fields that place
 * them are at fixed offsets (struct sample_layout). The others are parsed as a whole.
 */
#include "profiler/ingest/count.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session_private.h"
#include "profiler/ingest/timeline.h"

/* Fields without a fixed position. To count by them, samples are parsed as a whole. */
#define COUNT_OR(NAME, type, member) | COUNT_##NAME
#define COUNT_WHOLE_FIELDS           (0 COUNTED_FIELDS(COUNT_OR, COUNT_OR, COUNT_OR))
/* Fields whose values are interned in one table, so samples are taken in the order of the file. */
#define COUNT_ORDERED (COUNT_CHAIN | COUNT_TRACE_TEXT)

/* For a function that the inner loop seldom calls. gcc would change its parameters to suit this
 * caller, which costs the loop 14 instructions for each sample. */
#if __has_attribute(noipa)
#define OUT_OF_LOOP __attribute__((noipa))
#else
#define OUT_OF_LOOP __attribute__((noinline))
#endif

struct sample_counter {
	struct session *session;
	const struct arch *arch; /* of the recording; NULL: none that is known */
	uint64_t fields;
	const struct count_options *options;
	struct chain_counter chains; /* with COUNT_CHAIN */
	struct count_result result;
	/* (event id, tid) -> the last value of a counter that samples read */
	struct count_table last_values;
	struct placer placer;
	struct data_finder data; /* with COUNT_DATA_FIELDS */
	uint64_t last_id;        /* the last sample's event id */
	uint32_t last_event;     /* and its event */
	bool started;            /* counter_start() was called */
	bool chooses;            /* some samples are not wanted */
	bool coarse;             /* the samples at hand have no details: see count_options */
	/* of samples without details: few entries, which stay in the processor's caches */
	struct count_table coarse_table;
	uint64_t visited; /* samples so far; in order */
	/* of sample_counter_create(), which nobody else has: */
	struct count_options own_options;
	pthread_mutex_t own_files;
};

/* The fields of a sample that counting needs, read plain or parsed as a whole. */
struct count_sample {
	uint64_t ip, time;
	uint64_t task; /* PLACER_TASK() */
	uint64_t period;
	uint64_t weight, data_source;
	uint32_t cpu;
	uint16_t misc;
	const struct sample *whole; /* with COUNT_WHOLE_FIELDS or COUNT_DATA_FIELDS */
};

static inline struct count_sample count_sample_of(const struct sample *sample)
{
	return (struct count_sample){
		.ip = sample->ip,
		.time = sample->time,
		.task = PLACER_TASK(sample->pid, sample->tid),
		.period = sample->period,
		.weight = sample->weight,
		.data_source = sample->data_source,
		.cpu = (uint32_t)sample->cpu,
		.misc = sample->misc,
		.whole = sample,
	};
}

bool count_is_wanted(const struct count_options *options, uint64_t time, int32_t cpu, int32_t pid)
{
	bool in_range = !options->ranges, in_process = !options->pids;

	for (size_t i = 0; i < options->range_count && !in_range; i++)
		in_range = time >= options->ranges[i].first && time <= options->ranges[i].last;
	for (size_t i = 0; i < options->pid_count && !in_process; i++)
		in_process = options->pids[i] == pid;
	return in_range && in_process && (!options->cpus || number_set_has(options->cpus, cpu));
}

/* ---- the FOUND and INNER rows of COUNTED_FIELDS ---- */

/* A sample for which the value of a field is wanted. */
struct count_question {
	struct sample_counter *counter;
	const struct count_sample *sample;
	struct moment moment;
	/* of the sample's task; only with COUNT_CHAIN or COUNT_CALLER */
	uint32_t space;
};

static uint64_t count_time(const struct count_question *question)
{
	uint64_t quantum = question->counter->options->time_quantum, time = question->sample->time;

	if (question->counter->coarse)
		return 0;
	return quantum ? time - time % quantum : time;
}

static uint64_t count_ip(const struct count_question *question)
{
	return question->sample->ip;
}

static uint64_t count_position(const struct count_question *question)
{
	return question->moment.position;
}

static uint64_t count_came_from(const struct count_question *question)
{
	return (uint64_t)question->sample->whole->came_from;
}

static uint64_t count_text(const struct count_question *question)
{
	return trace_texts_add(&question->counter->result.texts, question->sample->whole,
			       question->counter->session->header.swap);
}

/* Returns the return address that a sample's call chain has after `ip`, or 0. */
static uint64_t chain_return(const struct sample *sample)
{
	uint64_t count = sample->callchain.count;

	for (uint64_t i = 0; i + 1 < count; i++) {
		uint64_t word = sample_word(&sample->callchain, i + 1);

		if (sample_word(&sample->callchain, i) == sample->ip)
			return word < PERF_CONTEXT_MAX ? word : 0;
	}
	return 0;
}

/* Returns the call that led to a sample's function, by the processor's branch records, or 0. If the
 * kinds of branches were not recorded, the call is known only if all recorded branches are calls
 * (--call-graph lbr). */
static uint64_t branch_call(const struct sample *sample)
{
	bool calls = sample->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;

	for (uint64_t i = 0; i < sample->branches.count; i++) {
		struct perf_branch_entry branch = sample_branch(sample, i);

		if (calls || branch.type == PERF_BR_CALL || branch.type == PERF_BR_IND_CALL)
			return branch.from;
		if (branch.type == PERF_BR_UNKNOWN || branch.type == PERF_BR_RET)
			return 0;
	}
	return 0;
}

/* Returns where a leaf function returns to, by the sample's register, or in user space by the word
 * on the top of its stack; 0: it has none. */
static uint64_t leaf_return(const struct sample *sample, const struct arch *arch, char level)
{
	const struct sample_bytes *stack = &sample->user_stack.bytes;
	uint64_t top = 0;

	if (arch && arch->perf_link)
		return sample_register(count_registers_at(sample, level), arch->perf_link, &top)
			       ? top
			       : 0;
	if (level == '.' && stack->size >= sizeof(top) &&
	    sample->user_stack.dynamic_size >= sizeof(top) && !sample->callchain.swap)
		memcpy(&top, stack->data, sizeof(top));
	return top;
}

/* Finds a caller's address, with CALLER_* flags. User space without frame pointers lacks it. */
static uint64_t caller_address(const struct sample *sample, const struct arch *arch,
			       uint64_t *flags)
{
	uint64_t address = branch_call(sample);
	char level = session_sample_level(sample);

	*flags = address ? CALLER_IS_CALL : 0;
	if (!address)
		address = leaf_return(sample, arch, level);
	if (address)
		return address;
	*flags = level == '.' ? CALLER_DOUBTFUL : 0;
	return chain_return(sample);
}

static uint64_t count_caller(const struct count_question *question)
{
	struct sample_counter *counter = question->counter;
	const struct sample *sample = question->sample->whole;
	const struct timeline *timeline = &counter->session->timeline;
	uint64_t flags, address = caller_address(sample, counter->arch, &flags);

	if (!address)
		return 0;
	const struct placer_map *map = placer_map(
		&counter->placer,
		placer_space(timeline, placer_level(question->sample->misc), question->space),
		address, question->moment);
	uint64_t offset = address + map->to_file;

	if (!map->dso || map->dso > CALLER_DSO_MAX || CALLER_OFFSET(offset) != offset)
		return 0;
	return (uint64_t)map->dso << CALLER_DSO_SHIFT | flags | (offset & CALLER_OFFSET_MASK);
}

static uint64_t count_chain(const struct count_question *question)
{
	struct sample_counter *counter = question->counter;

	return chain_counter_add(&counter->chains, &counter->placer, question->space,
				 question->sample->whole, question->moment);
}

/* Writes the words of COUNTED_FIELDS to `key`. Returns how many there are. */
static OUT_OF_LOOP unsigned int count_whole_words(struct sample_counter *counter,
						  const struct count_sample *sample,
						  struct moment moment, uint64_t *key)
{
	struct count_question question = {
		.counter = counter, .sample = sample, .moment = moment, .space = SPACE_NONE
	};
	uint64_t fields = counter->fields;
	unsigned int words = 0;

	if (fields & (COUNT_CHAIN | COUNT_CALLER))
		question.space = placer_task(&counter->placer, sample->task, moment)->space;
#define TAKEN(NAME, type, member)                                                                  \
	if (fields & COUNT_##NAME)                                                                 \
		key[words++] = (uint64_t)sample->whole->member;
#define FOUND(NAME, type, member)                                                                  \
	if (fields & COUNT_##NAME)                                                                 \
		key[words++] = count_##member(&question);
	COUNTED_FIELDS(TAKEN, FOUND, FOUND)
#undef TAKEN
#undef FOUND
	return words;
}

/* ---- the inner loop ---- */

/* The bit for stores among the operations of a data source. */
#define DATA_SOURCE_STORE (PERF_MEM_OP_STORE << PERF_MEM_OP_SHIFT)

/* Returns the DSO's id + 1, or 0. Sets *offset to the offset in its file, *comm to the comm's word
 * of the key and, with COUNT_DATA_FIELDS, *task_space to the task's address space. */
ALWAYS_INLINE uint64_t count_place(struct sample_counter *counter, uint64_t fields,
				   const struct count_sample *sample, struct moment moment,
				   uint64_t *offset, uint64_t *comm, uint32_t *task_space)
{
	unsigned int mode = sample->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	uint32_t space = counter->placer.spaces[mode];

	if (fields & (COUNT_COMM | COUNT_DATA_FIELDS) ||
	    (fields & (COUNT_PLACE | COUNT_DSO) && mode == PERF_RECORD_MISC_USER)) {
		const struct placer_task *task =
			placer_task(&counter->placer, sample->task, moment);

		*comm = task->comm == COMM_NONE ? COUNT_KEY_UNNAMED | sample->task >> 32
						: task->comm;
		*task_space = task->space;
		if (mode == PERF_RECORD_MISC_USER)
			space = task->space;
	}
	if (!(fields & (COUNT_PLACE | COUNT_DSO | COUNT_DATA_FIELDS)))
		return 0;
	const struct placer_map *map = placer_map(&counter->placer, space, sample->ip, moment);

	*offset = sample->ip + map->to_file;
	return map->dso;
}

ALWAYS_INLINE void count_add(struct sample_counter *counter, uint64_t fields, uint32_t event,
			     const struct count_sample *sample, struct moment moment)
{
	const struct sample_layout *layout = &counter->session->events.layouts[event];
	uint64_t key[COUNT_KEY_WORDS_MAX];
	uint64_t comm = 0;
	uint64_t offset = 0;
	uint32_t task_space = SPACE_NONE;
	uint64_t place = count_place(counter, fields, sample, moment, &offset, &comm, &task_space);
	uint64_t store = fields & (COUNT_STORE | COUNT_DATA_FIELDS)
				 ? !!(sample->data_source & DATA_SOURCE_STORE) | layout->writes
				 : 0;
	uint64_t level =
		fields & COUNT_LEVEL_FIELDS ? sample->misc & PERF_RECORD_MISC_CPUMODE_MASK : 0;
	uint64_t after =
		fields & COUNT_PLACE && layout->traps && !(sample->misc & layout->exact_misc);
	uint64_t exact = fields & COUNT_PLACE && layout->tells_exact &&
			 sample->misc & PERF_RECORD_MISC_EXACT_IP;
	unsigned int words = 0;

	key[words++] = (fields & (COUNT_PLACE | COUNT_DSO) ? place : 0) |
		       level << COUNT_KEY_LEVEL_SHIFT |
		       (fields & COUNT_STORE ? store << COUNT_KEY_STORE_SHIFT : 0) |
		       after << COUNT_KEY_AFTER_SHIFT | exact << COUNT_KEY_EXACT_SHIFT |
		       (uint64_t)counter->coarse << COUNT_KEY_COARSE_SHIFT |
		       (uint64_t)event << COUNT_KEY_EVENT_SHIFT;
	if (fields & COUNT_PLACE)
		key[words++] = offset;
	if (fields & COUNT_COMM)
		key[words++] = comm;
	if (fields & COUNT_CPU)
		key[words++] = sample->cpu;
	if (fields & (COUNT_PID | COUNT_TID))
		key[words++] = (fields & COUNT_PID ? sample->task << 32 : 0) |
			       (fields & COUNT_TID ? sample->task >> 32 : 0);
	if (fields & COUNT_WEIGHT)
		key[words++] = counter->coarse ? 0 : sample->weight;
	if (fields & COUNT_DATA_SOURCE)
		key[words++] = sample->data_source;
	if (fields & COUNT_DATA_FIELDS)
		words += data_finder_words(&counter->data, &counter->placer, fields,
					   &(struct data_question){ .sample = sample->whole,
								    .store = store,
								    .coarse = counter->coarse,
								    .dso = (uint32_t)place,
								    .offset = offset,
								    .task_space = task_space,
								    .moment = moment },
					   key + words);
	if (fields & COUNT_WHOLE_FIELDS)
		words += count_whole_words(counter, sample, moment, key + words);
	struct count_table *table =
		counter->coarse ? &counter->coarse_table : &counter->result.table;
	uint64_t *sums = fields & COUNT_DATA_FIELDS
				 ? count_table_get_likely(
					   table, key, words,
					   &likely_entries_of(&counter->data, sample->ip)->counted)
				 : count_table_get_words(table, key, words);

	sums[COUNTER_SAMPLES]++;
	sums[COUNTER_PERIOD] += sample->period;
	sums[COUNTER_WEIGHT] += sample->weight;
	if (fields & COUNT_WEIGHT && sample->weight > sums[COUNTER_WEIGHT_MAX])
		sums[COUNTER_WEIGHT_MAX] = sample->weight;
}

/* ---- records ---- */

static inline uint64_t load64(const uint8_t *record, uint16_t offset)
{
	uint64_t value;

	memcpy(&value, record + offset, 8);
	return value;
}

/* Returns a field that samples of this event may lack, or `absent`. */
static inline uint64_t load_field(const uint8_t *record, uint16_t offset, uint64_t absent)
{
	return offset ? load64(record, offset) : absent;
}

/* Reads a sample that has at least layout->plain_size bytes. */
ALWAYS_INLINE void count_read_plain(const struct event *event, const struct sample_layout *layout,
				    const uint8_t *record, struct count_sample *sample)
{
	sample->ip = load64(record, layout->ip);
	sample->time = load_field(record, layout->time, 0);
	sample->task = load64(record, layout->tid);
	sample->cpu = (uint32_t)load_field(record, layout->cpu, UINT32_MAX);
	sample->period = load_field(record, layout->period, event->attr.sample_period);
	sample->weight = load_field(record, layout->weight, 0);
	if (layout->type & PERF_SAMPLE_WEIGHT_STRUCT)
		sample->weight &= UINT32_MAX;
	sample->data_source = load_field(record, layout->data_source, 0);
}

/* Parses a sample as a whole. *sample points to *whole. */
static __attribute__((noinline)) bool count_read_whole(const struct event *event,
						       const uint8_t *record, size_t size,
						       bool swap, struct sample *whole,
						       struct count_sample *sample)
{
	if (!sample_parse(event, record, size, swap, whole))
		return false;
	*sample = count_sample_of(whole);
	return true;
}

/* Returns the event of the id at offset `place` of the record, or the first event if `place` is 0.
 * Returns EVENT_NONE if the file does not declare the id. */
ALWAYS_INLINE uint32_t count_event(struct sample_counter *counter, const uint8_t *record,
				   size_t size, uint16_t place)
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

static void count_bad(struct sample_counter *counter, uint64_t position)
{
	if (!counter->result.bad_samples++ || position < counter->result.first_bad)
		counter->result.first_bad = position;
}

/* Counts one sample. `chosen` tells whether the options select samples. */
ALWAYS_INLINE void count_record(struct sample_counter *counter, uint64_t fields, bool chosen,
				uint32_t index, const uint8_t *record, struct record_header header,
				uint64_t clock, uint64_t position)
{
	const struct session *session = counter->session;
	const struct event *event = &session->events.events[index];
	const struct sample_layout *layout = &session->events.layouts[index];
	struct count_sample sample;
	struct sample parsed;

	if (header.size >= layout->plain_size && !session->header.swap &&
	    !(fields & (COUNT_DATA_FIELDS | COUNT_WHOLE_FIELDS))) {
		sample.misc = header.misc;
		count_read_plain(event, layout, record, &sample);
	} else {
		/* The address of `sample` is not taken, so that it may stay in registers. */
		struct count_sample whole;

		if (!count_read_whole(event, record, header.size, session->header.swap, &parsed,
				      &whole)) {
			count_bad(counter, position);
			return;
		}
		sample = whole;
	}
	if (chosen && !count_is_wanted(counter->options, sample.time, (int32_t)sample.cpu,
				       (int32_t)(uint32_t)sample.task))
		return;

	struct moment moment = session_moment(session, layout->type & PERF_SAMPLE_TIME, sample.time,
					      clock, position);

	count_add(counter, fields, index, &sample, moment);
}

/* Returns the size of a record that is not a sample, and advances the clock to its time. */
static __attribute__((noinline)) size_t count_skip(const struct session *session,
						   const uint8_t *record,
						   struct record_header header, uint64_t *clock)
{
	bool swap = session->header.swap;
	uint64_t time;

	if (record_is_state(header.type) &&
	    session_record_time(session, record, header.size, &time) && time > *clock)
		*clock = time;
	return header.size + record_extra(record, &header, swap);
}

#define SAMPLES_AHEAD 8

/* Fetches what counting a later sample will need. That it is as long as the one at `record` is a
 * guess: a wrong one costs time alone. */
ALWAYS_INLINE void count_read_ahead(const struct sample_counter *counter,
				    const struct sample_layout *layout, const uint8_t *record,
				    size_t size, const uint8_t *end)
{
	const struct data_finder *finder = &counter->data;

	if ((size_t)(end - record) < (SAMPLES_AHEAD + 1) * size || size < layout->plain_size)
		return;
	const struct likely_entries *likely =
		likely_entries_of(finder, load64(record + SAMPLES_AHEAD * size, layout->ip));

	count_table_read_ahead(&finder->known, likely->operand);
	if (likely->operand < finder->count)
		for (size_t i = 0; i < sizeof(*finder->operands); i += 8 * CACHELINE_WORDS)
			__builtin_prefetch((const char *)&finder->operands[likely->operand] + i);
	count_table_read_ahead(counter->coarse ? &counter->coarse_table : &counter->result.table,
			       likely->counted);
}

ALWAYS_INLINE void count_records(struct sample_counter *counter, const struct chunk *chunk,
				 uint64_t fields, bool chosen)
{
	const struct session *session = counter->session;
	const struct stream *stream = &session->streams[chunk->stream];
	uint16_t id_place = session->events.count > 1 ? session->events.layouts[0].id : 0;
	const uint8_t *end = stream->data + chunk->end;
	uint64_t clock = chunk->clock;
	size_t size;

	/* Pass 1 has checked the sizes of all records. */
	for (const uint8_t *record = stream->data + chunk->begin; record < end; record += size) {
		struct record_header header = record_header(record, session->header.swap);

		record_read_ahead(record, header.size);
		size = header.size;
		if (header.type != PERF_RECORD_SAMPLE) {
			size = count_skip(session, record, header, &clock);
			continue;
		}
		uint32_t event = count_event(counter, record, size, id_place);

		if (event == EVENT_NONE) {
			counter->result.unknown_samples++;
			continue;
		}
		if (fields & COUNT_DATA_FIELDS)
			count_read_ahead(counter, &session->events.layouts[event], record, size,
					 end);
		count_record(counter, fields, chosen, event, record, header, clock,
			     stream->base + (uint64_t)(record - stream->data));
	}
}

/* Counts all samples of a chunk: the loop has a copy for each of the commonest fields. */
static void count_chunk(struct sample_counter *counter, const struct chunk *chunk)
{
	if (counter->options->ranges || counter->options->cpus || counter->options->pids) {
		count_records(counter, chunk, counter->fields, true);
		return;
	}
	switch (counter->fields) {
	case COUNT_PLACE: count_records(counter, chunk, COUNT_PLACE, false); break;
	case COUNT_PLACE | COUNT_STORE:
		count_records(counter, chunk, COUNT_PLACE | COUNT_STORE, false);
		break;
	case COUNT_PLACE | COUNT_COMM:
		count_records(counter, chunk, COUNT_PLACE | COUNT_COMM, false);
		break;
	case COUNT_DSO | COUNT_COMM:
		count_records(counter, chunk, COUNT_DSO | COUNT_COMM, false);
		break;
	default: count_records(counter, chunk, counter->fields, false); break;
	}
}

/* ---- threads ---- */

struct counting {
	const struct session *session;
	struct sample_counter *counters; /* one for each thread */
	pthread_mutex_t files;           /* held while files are opened and instructions decoded */
};

/* Returns how many words keys have. */
static unsigned int count_key_words(uint64_t fields)
{
	return 1 + !!(fields & COUNT_PLACE) + !!(fields & COUNT_COMM) + !!(fields & COUNT_CPU) +
	       !!(fields & (COUNT_PID | COUNT_TID)) + !!(fields & COUNT_WEIGHT) +
	       !!(fields & COUNT_DATA_SOURCE) + 3 * !!(fields & COUNT_DATA_ADDRESS) +
	       2 * !!(fields & COUNT_DATA_CHECK) +
	       (3 + DATA_KEPT_MAX) * !!(fields & COUNT_DATA_RANGE) +
	       3 * !!(fields & COUNT_ELEMENT) +
	       (unsigned int)__builtin_popcountll(fields & COUNT_WHOLE_FIELDS);
}

static void counter_start(struct sample_counter *counter)
{
	count_table_init(&counter->last_values, 2);
	count_table_init(&counter->result.table, count_key_words(counter->fields));
	count_table_init(&counter->coarse_table, count_key_words(counter->fields));
	placer_init(&counter->placer, &counter->session->timeline);
	counter->arch = session_arch(counter->session);
	counter->last_event = EVENT_NONE;
	counter->started = true;
	counter->chooses =
		counter->options->ranges || counter->options->pids || counter->options->cpus;
}

/* Returns whether the samples of a piece have no details. */
static bool is_coarse(const struct sample_counter *counter, uint64_t piece)
{
	const struct count_options *options = counter->options;

	return options->outline ||
	       (options->details &&
		piece % (counter->session->totals.samples / options->details + 1) != 0);
}

static void count_item(size_t item, unsigned int thread, void *data)
{
	struct counting *counting = data;
	struct sample_counter *counter = &counting->counters[thread];
	const struct chunk *chunk = &counting->session->chunks[item];
	const struct stream *stream = &counting->session->streams[chunk->stream];

	if (!counter->started)
		counter_start(counter);
	counter->coarse = is_coarse(counter, item);
	stream_map_ahead(stream, chunk->begin);
	count_chunk(counter, chunk);
	perf_file_done_with_part(&counting->session->file, stream->data + chunk->begin,
				 stream->data + chunk->end);
}

/* Sets *event and *period to those of one value of a sample that reads all counters of a group
 * ("{a,b}:S"). As in perf, it counts as a sample of each event whose counter has changed, with the
 * difference as its period. Inherited counters are per thread. The difference of a sample that is
 * not wanted is dropped and not given to a later one. Returns false if the value does not count. */
static bool read_value(struct sample_counter *counter, const struct sample *sample, uint64_t entry,
		       uint32_t *event, uint64_t *period)
{
	const struct event_table *events = &counter->session->events;
	uint64_t value = sample_word(&sample->read.values, entry * sample->read.stride);
	uint64_t id =
		sample_word(&sample->read.values, entry * sample->read.stride + sample->read.id_at);

	*event = event_table_find(events, id);
	if (*event == EVENT_NONE) {
		counter->result.unknown_samples++;
		return false;
	}
	uint64_t key[2] = { id, events->events[*event].attr.inherit ? (uint32_t)sample->tid : 0 };
	uint64_t *last = count_table_get_words(&counter->last_values, key, 2);

	*period = value - *last;
	*last = value;
	return *period;
}

/* Calls `take` with each event that a sample in order counts for, and its period there. */
static void each_count(struct sample_counter *counter, const struct sample *sample,
		       void (*take)(const struct ordered_sample *sample, void *data), void *data)
{
	bool wanted = !counter->chooses || count_is_wanted(counter->options, sample->time,
							   sample->cpu, (int32_t)sample->pid);
	struct ordered_sample item = { .time = sample->time,
				       .position = sample->position,
				       .clock = sample->clock,
				       .period = sample->period,
				       .event = sample->event->index };

	if (!(sample->type & PERF_SAMPLE_READ && sample->read.id_at)) {
		if (wanted)
			take(&item, data);
		return;
	}
	for (uint64_t i = 0; i < sample->read.values.count / sample->read.stride; i++)
		if (read_value(counter, sample, i, &item.event, &item.period) && wanted)
			take(&item, data);
}

struct visited_sample {
	struct sample_counter *counter;
	const struct sample *sample;
};

static void count_visited(const struct ordered_sample *item, void *data)
{
	const struct visited_sample *visited = data;
	struct sample_counter *counter = visited->counter;
	struct count_sample counted = count_sample_of(visited->sample);

	counted.period = item->period;
	struct moment moment = sample_moment(counter->session, visited->sample);

	if (counter->options->uncounted == item->event + 1)
		counter->chains.last = CHAIN_NONE;
	else
		count_add(counter, counter->fields, item->event, &counted, moment);
	if (!counter->options->each)
		return;
	uint32_t comm = placer_task(&counter->placer, counted.task, moment)->comm;
	struct counting_sample counting = {
		.sample = visited->sample,
		.swap = counter->session->header.swap,
		.event = item->event,
		.comm = comm == COMM_NONE ? session_thread_comm(counter->session,
								(int32_t)visited->sample->tid)
					  : comm,
		.chain = counter->chains.last,
	};

	counter->options->each(counter->options->each_data, &counting);
}

#define PIECE_SAMPLES 8192 /* samples in order that have details, or have none, together */

static struct error *count_visit(const struct sample *sample, void *data)
{
	struct sample_counter *counter = data;
	struct visited_sample visited = { counter, sample };

	counter->coarse = is_coarse(counter, counter->visited++ / PIECE_SAMPLES);
	each_count(counter, sample, count_visited, &visited);
	return NULL;
}

/* Returns whether samples must be counted in the order of the file. If they read counters, each one
 * depends on the one before. Chains and texts are interned in one table. Samples of threads that
 * stop are rare. */
static bool counts_in_order(const struct session *session, const struct count_options *options)
{
	if (options->fields & COUNT_ORDERED || session_has_blocked_time(session))
		return true;
	return any_of(i, 0, session->events.count,
		      session->events.events[i].attr.sample_type & PERF_SAMPLE_READ);
}

static void counter_start_in_order(struct session *session, struct sample_counter *counter)
{
	counter_start(counter);
	if (counter->fields & COUNT_TRACE_TEXT)
		trace_texts_init(&counter->result.texts);
	if (counter->fields & COUNT_CHAIN)
		chain_counter_init(&counter->chains, session, counter->options);
}

static void count_in_order(struct session *session, struct sample_counter *counter)
{
	counter_start_in_order(session, counter);
	/* count_visit() returns no errors. */
	error_destroy(session_each_sample(session, count_visit, counter));
	chain_counter_deinit(&counter->chains);
	counter->result.chains = counter->chains.table;
	counter->result.unknown_samples += session->totals.unknown_samples;
	counter->result.bad_samples = session->totals.bad_samples;
	counter->result.first_bad = session->first_bad;
}

/* Moves the entries without details to the others. None of these has the same key. */
static void join_tables(struct sample_counter *counter)
{
	const struct count_table *coarse = &counter->coarse_table;

	for (uint32_t i = 0; i < coarse->count; i++) {
		const uint64_t *entry = coarse->entries + (size_t)i * coarse->stride;
		uint64_t hash = count_table_hash(entry, coarse->words);

		memcpy(count_table_add(&counter->result.table, entry, hash), entry + coarse->words,
		       COUNTERS * sizeof(*entry));
	}
	count_table_deinit(&counter->coarse_table);
}

/* Counts all samples on `threads` threads, each into one of `results`. */
static void count_run(struct session *session, const struct count_options *options,
		      unsigned int threads, struct count_result *results)
{
	struct counting counting = { .session = session,
				     .files = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP };

	counting.counters = xcalloc(threads, sizeof(*counting.counters));
	for (unsigned int i = 0; i < threads; i++) {
		counting.counters[i] = (struct sample_counter){ .session = session,
								.options = options,
								.fields = options->fields };
		if (options->fields & COUNT_DATA_FIELDS)
			data_finder_init(&counting.counters[i].data, session, &counting.files);
	}
	if (counts_in_order(session, options))
		count_in_order(session, &counting.counters[0]);
	else
		parallel_for(session->chunk_count, threads, count_item, &counting);
	for (unsigned int i = 0; i < threads; i++) {
		/* A thread that found no work has not started its counter. */
		if (!counting.counters[i].started)
			counter_start(&counting.counters[i]);
		join_tables(&counting.counters[i]);
		count_table_deinit(&counting.counters[i].last_values);
		data_finder_deinit(&counting.counters[i].data);
		results[i] = counting.counters[i].result;
	}
	free(counting.counters);
}

/* ---- session_count() ---- */

/* Adds up the samples that were not counted. Warns about them when the session is first counted. */
static void count_losses(struct session *session, const struct count_result *results,
			 unsigned int threads)
{
	uint64_t first_bad = UINT64_MAX;

	session->totals.unknown_samples = 0;
	session->totals.bad_samples = 0;
	for (unsigned int i = 0; i < threads; i++) {
		session->totals.unknown_samples += results[i].unknown_samples;
		session->totals.bad_samples += results[i].bad_samples;
		if (results[i].bad_samples && results[i].first_bad < first_bad)
			first_bad = results[i].first_bad;
	}
	if (session->losses_said)
		return;
	session->losses_said = true;
	if (session->totals.bad_samples)
		session_warn(session,
			     "%" PRIu64 " samples are shorter than the fields of their event, and "
			     "not counted; the first: %s",
			     session->totals.bad_samples,
			     session_position_text(session, first_bad));
	if (session->totals.unknown_samples)
		session_warn(
			session,
			"%" PRIu64
			" samples have an event id that the file does not declare: not counted",
			session->totals.unknown_samples);
}

static void count_event_totals(struct session *session, const struct sample_counts *counts)
{
	for (size_t i = 0; i < session->events.count; i++) {
		session->events.events[i].samples = 0;
		session->events.events[i].period = 0;
	}
	for (size_t i = 0; i < counts->count; i++) {
		struct event *event = &session->events.events[counts->entries[i].event];

		event->samples += counts->entries[i].samples;
		event->period += counts->entries[i].period;
	}
}

static bool session_has_event(const struct session *session,
			      bool (*is_of)(const struct event *event))
{
	return any_of(i, 0, session->events.count, is_of(&session->events.events[i]));
}

/* The fields that places and frames, and the types of samples, depend on. */
#define OUTLINE_FIELDS                                                                             \
	(COUNT_PLACE | COUNT_DSO | COUNT_COMM | COUNT_PID | COUNT_TID | COUNT_CPU | COUNT_STORE |  \
	 COUNT_DATA_CHECK | COUNT_CALLER | COUNT_CAME_FROM | COUNT_CHAIN)

/* Returns the fields that samples of this recording can be counted by. */
static uint64_t useful_fields(const struct session *session, const struct count_options *options)
{
	uint64_t fields = options->outline ? options->fields & OUTLINE_FIELDS : options->fields;

	/* without fields that others imply, so that the common sets get their own inner loops */
	if (fields & COUNT_PLACE)
		fields &= ~(uint64_t)COUNT_DSO;
	if (!session_has_event(session, event_checks_data))
		fields &= ~(uint64_t)COUNT_DATA_CHECK;
	if (!session_has_event(session, event_has_data))
		fields &= ~(uint64_t)COUNT_ELEMENT;
	if (!session_has_callers(session))
		fields &= ~(uint64_t)COUNT_CALLER;
	return fields;
}

struct error *session_count_by(struct session *session, const struct count_options *options,
			       struct sample_counts **result)
{
	struct count_options wanted = *options;

	unsigned int threads = session->options.threads ?: parallel_default_threads();

	if (!session->events.count && session->totals.samples)
		return error_create(ERROR_FORMAT,
				    "%s has samples, but does not say which events they belong to",
				    session->file.name);
	if (threads > session->chunk_count)
		threads = session->chunk_count ? (unsigned int)session->chunk_count : 1;
	struct count_result *results = xcalloc(threads, sizeof(*results));

	wanted.fields = useful_fields(session, options);
	count_run(session, &wanted, threads, results);
	count_losses(session, results, threads);
	/* The pages of the samples are not needed any more, nor is the code that data addresses
	 * were found with; and object files will need memory. */
	perf_file_done_with(&session->file);
	for (size_t i = 0; i < session->more_count; i++)
		perf_file_done_with(&session->more_files[i]);
	for (size_t i = 0; i < session->timeline.dsos.count; i++)
		dso_done_with_code(session->timeline.dsos.dsos[i]);
	*result = count_merge(session, wanted.fields, results, threads);
	count_event_totals(session, *result);
	free(results);
	return NULL;
}

struct error *session_count(struct session *session, uint64_t fields, struct sample_counts **result)
{
	return session_count_by(session, &(struct count_options){ .fields = fields }, result);
}

/* ---- samples one by one ---- */

struct sample_counter *sample_counter_create(struct session *session,
					     const struct count_options *options,
					     const struct sample_counts *outline)
{
	struct sample_counter *counter = xcalloc(1, sizeof(*counter));

	counter->session = session;
	counter->own_options = *options;
	counter->own_options.outline = false;
	counter->options = &counter->own_options;
	counter->fields = useful_fields(session, &counter->own_options);
	pthread_mutex_init(&counter->own_files, NULL);
	data_finder_init(&counter->data, session, &counter->own_files);
	counter_start_in_order(session, counter);
	if (counter->fields & COUNT_CHAIN)
		chain_table_restore(&counter->chains.table, outline);
	return counter;
}

void sample_counter_destroy(struct sample_counter *counter)
{
	sample_counts_destroy(sample_counter_take(counter));
	count_table_deinit(&counter->result.table);
	count_table_deinit(&counter->coarse_table);
	count_table_deinit(&counter->last_values);
	chain_counter_deinit(&counter->chains);
	chain_table_deinit(&counter->chains.table);
	trace_texts_deinit(&counter->result.texts);
	data_finder_deinit(&counter->data);
	pthread_mutex_destroy(&counter->own_files);
	free(counter);
}

/* A listing of samples. */
struct listing {
	struct sample_counter *counter;
	void (*take)(const struct ordered_sample *sample, void *data);
	void *data;
};

static struct error *list_sample(const struct sample *sample, void *data)
{
	const struct listing *listing = data;

	each_count(listing->counter, sample, listing->take, listing->data);
	return NULL;
}

void sample_counter_list(struct sample_counter *counter, size_t chunk,
			 void (*take)(const struct ordered_sample *sample, void *data), void *data)
{
	struct listing listing = { counter, take, data };
	/* what cannot be counted was noted when the outline was */
	struct session_totals totals = counter->session->totals;

	/* list_sample() returns no errors. */
	error_destroy(session_chunk_samples(counter->session, chunk, list_sample, &listing));
	counter->session->totals = totals;
}

void sample_counter_add(struct sample_counter *counter, const struct ordered_sample *item)
{
	struct sample sample;
	struct visited_sample visited = { counter, &sample };

	if (session_sample_at(counter->session, item->position, item->clock, &sample))
		count_visited(item, &visited);
}

struct sample_counts *sample_counter_take(struct sample_counter *counter)
{
	struct count_result *result = &counter->result;
	struct count_result slice = { .table = result->table, .texts = result->texts };

	count_table_init(&result->table, count_key_words(counter->fields));
	trace_texts_init(&result->texts);
	return count_merge(counter->session, counter->fields, &slice, 1);
}

static struct error *visit_time(const struct sample *sample, void *data)
{
	struct time_range *range = data;

	if (!(sample->type & PERF_SAMPLE_TIME))
		return NULL;
	lower_to(range->first, sample->time);
	raise_to(range->last, sample->time);
	return NULL;
}

bool session_sample_times(struct session *session, struct time_range *range)
{
	if (!session->sample_times_known) {
		session->sample_times = (struct time_range){ .first = UINT64_MAX };
		/* visit_time() returns no errors. */
		error_destroy(session_each_sample(session, visit_time, &session->sample_times));
		session->sample_times_known = true;
	}
	*range = session->sample_times;
	return range->first <= range->last;
}
