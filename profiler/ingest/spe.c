// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements session_decode_spe(). Names, order and fields of the samples are those of perf's
 * util/arm-spe.c, with these differences: a record with bytes that are no packet gives no sample,
 * and data without times gives none before its first record; a sample of an instruction that
 * accessed memory has the address of the data; a sample tells that its address is exact.
 */
#include <inttypes.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "profiler/ingest/itrace.h"
#include "profiler/ingest/session_private.h"
#include "profiler/ingest/spe_records.h"

/* ---- what the file says of its traces ---- */

#define AUXTRACE_ARM_SPE 4 /* PERF_RECORD_AUXTRACE_INFO's type */

/* The words of AUXTRACE_INFO: in its first version the PMU and whether there is a trace for each
 * processor; now version, words of the header, PMU, number of processors, and for each a magic
 * number, its own, the number of words that follow, its ID register, PMU, smallest interval, and
 * since Linux 6.18 the events that it can filter by. */
#define INFO_V1_WORDS   2
#define INFO_WORDS      4
#define PROCESSOR_WORDS 4
#define FILTER_WORD     6
#define MIDR_LENGTH     18 /* of "0x00000000410fd0c0" in the feature CPUID */

/* From the machine's counter to the time of samples (perf_event_open(2), time_zero). */
struct time_conversion {
	bool known, is_short;
	uint64_t shift, factor, zero, cycles, mask;
};

/* Bytes that one processor wrote, as one record has them. */
struct aux_trace {
	uint32_t queue;  /* traces with the same number are one sequence */
	uint32_t number; /* in the order of the file */
	int32_t tid, cpu;
	const uint8_t *data;
	size_t size;
	uint64_t start;
};

/* A processor begins to run a thread. */
struct switch_in {
	int32_t cpu, tid;
	uint64_t time;
};

struct spe {
	struct session *session;
	struct itrace_options options;
	bool is_spe; /* the file says that its traces are of SPE */
	uint32_t pmu;
	struct spe_processor *processors;
	size_t processor_count;
	bool alike; /* all processors have the same ID register */
	struct time_conversion conversion;
	struct aux_trace *traces;
	size_t trace_count, trace_capacity;
	struct switch_in *switches; /* by processor, then by time */
	size_t switch_count, switch_capacity;
	uint64_t aux_count, truncated, collided; /* PERF_RECORD_AUX, and those with these flags */

	uint64_t first_id;
	bool timed, has_physical;
	struct spool *spool;
	struct chunk chunk;
	uint64_t broken, without_thread;
};

static uint64_t info_word(const struct session *session, const struct raw_record *record,
			  uint64_t index)
{
	struct cursor cursor = cursor_of(record->data, record->size, session->header.swap);

	cursor_skip(&cursor, index < RECORD_SIZE_MAX / 8 ? RECORD_HEADER_SIZE + 8 * (size_t)index
							 : record->size + 1);
	return cursor_u64(&cursor);
}

/* Reads the processors of a newer file: the words of the header, then as many for each. */
static void take_processors(struct spe *spe, const struct raw_record *record, uint64_t words)
{
	const struct session *session = spe->session;
	uint64_t header = info_word(session, record, 2), count = info_word(session, record, 4);
	uint64_t each = header < words && count ? (words - header) / count : 0;

	spe->pmu = (uint32_t)info_word(session, record, 3);
	if (each < PROCESSOR_WORDS)
		return;
	spe->processors = xcalloc(count, sizeof(*spe->processors));
	spe->processor_count = count;
	spe->alike = true;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t first = 1 + header + i * each;

		spe->processors[i] = (struct spe_processor){
			.cpu = (int32_t)info_word(session, record, first + 1),
			.midr = info_word(session, record, first + 3),
			.events = each > FILTER_WORD
					  ? info_word(session, record, first + FILTER_WORD)
					  : 0,
		};
		spe->alike &= spe->processors[i].midr == spe->processors[0].midr;
	}
}

/* Reads AUXTRACE_INFO: type, padding, words. Older files have the processor in their header. */
static void take_info(struct spe *spe, const struct raw_record *record)
{
	struct session *session = spe->session;
	struct cursor cursor = cursor_of(record->data, record->size, session->header.swap);
	char text[MIDR_LENGTH + 1] = "";

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	if (spe->is_spe || cursor_u32(&cursor) != AUXTRACE_ARM_SPE || cursor.failed)
		return;
	uint64_t words = record->size / 8 - 2;

	spe->is_spe = words == INFO_V1_WORDS || words >= INFO_WORDS;
	if (words != INFO_V1_WORDS) {
		take_processors(spe, record, words);
		return;
	}
	struct cursor id = feature_cursor(session, FEATURE_CPUID);
	const char *string = feature_string(&id);

	spe->pmu = (uint32_t)info_word(session, record, 1);
	spe->processors = xcalloc(1, sizeof(*spe->processors));
	spe->processor_count = spe->alike = true;
	snprintf(text, sizeof(text), "%s", string ?: "");
	spe->processors[0] = (struct spe_processor){ .midr = strtoull(text, NULL, 16), .cpu = -1 };
}

/* Reads TIME_CONV: shift, multiplier, zero; newer files have cycles, mask and two flags. */
static void take_conversion(struct spe *spe, const struct raw_record *record)
{
	struct cursor cursor = cursor_of(record->data, record->size, spe->session->header.swap);
	struct time_conversion *to = &spe->conversion;

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	to->shift = cursor_u64(&cursor);
	to->factor = cursor_u64(&cursor);
	to->zero = cursor_u64(&cursor);
	to->known = !cursor.failed && to->shift < 64 && to->factor;
	to->cycles = cursor_u64(&cursor);
	to->mask = cursor_u64(&cursor);
	cursor_skip(&cursor, 1);
	to->is_short = cursor_u8(&cursor) && !cursor.failed;
}

/* Reads AUXTRACE: size, offset, reference, number of the queue, thread, processor. */
static void take_trace(struct spe *spe, const struct raw_record *record)
{
	struct cursor cursor = cursor_of(record->data, record->size, spe->session->header.swap);
	struct aux_trace trace = { .data = record->data + record->size,
				   .number = (uint32_t)spe->trace_count };

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	trace.size = cursor_u64(&cursor); /* checked when the record was collected */
	trace.start = cursor_u64(&cursor);
	cursor_skip(&cursor, 8);
	trace.queue = cursor_u32(&cursor);
	trace.tid = (int32_t)cursor_u32(&cursor);
	trace.cpu = (int32_t)cursor_u32(&cursor);
	if (!cursor.failed)
		array_add(spe->traces, spe->trace_count, spe->trace_capacity) = trace;
}

static void take_aux_flags(struct spe *spe, const struct raw_record *record)
{
	uint64_t flags = info_word(spe->session, record, 2);

	spe->aux_count++;
	spe->truncated += !!(flags & PERF_AUX_FLAG_TRUNCATED);
	spe->collided += !!(flags & PERF_AUX_FLAG_COLLISION);
}

static void take_record(const struct session *session _unused_, const struct raw_record *record,
			void *data)
{
	struct spe *spe = data;

	switch (record->type) {
	case PERF_RECORD_AUXTRACE_INFO: take_info(spe, record); break;
	case PERF_RECORD_TIME_CONV: take_conversion(spe, record); break;
	case PERF_RECORD_AUXTRACE: take_trace(spe, record); break;
	case PERF_RECORD_AUX: take_aux_flags(spe, record); break;
	default: break;
	}
}

static void take_switch(const struct session_switch *item, void *data)
{
	struct spe *spe = data;

	if (!item->out && !item->ended && item->cpu >= 0)
		array_add(spe->switches, spe->switch_count, spe->switch_capacity) =
			(struct switch_in){ item->cpu, item->tid, item->time };
}

/* ---- the events of the samples ---- */

static bool is_memory(const struct spe_record *record)
{
	return record->operation & (SPE_LOAD | SPE_STORE | SPE_VECTOR);
}

static bool is_branch(const struct spe_record *record)
{
	return record->operation & SPE_BRANCH;
}

static bool is_any(const struct spe_record *record _unused_)
{
	return true;
}

/* The events in perf's order, and which records are their samples. */
static const struct {
	const char *name;
	uint32_t option;
	uint64_t event;
	bool (*is)(const struct spe_record *record);
} sample_events[] = {
	{ "l1d-miss", ITRACE_FIRST_CACHE, SPE_EVENT_L1D_MISS, NULL },
	{ "l1d-access", ITRACE_FIRST_CACHE, SPE_EVENT_L1D_ACCESS, NULL },
	{ "llc-miss", ITRACE_LAST_CACHE, SPE_EVENT_LLC_MISS, NULL },
	{ "llc-access", ITRACE_LAST_CACHE, SPE_EVENT_LLC_ACCESS, NULL },
	{ "tlb-miss", ITRACE_TLB, SPE_EVENT_TLB_WALK, NULL },
	{ "tlb-access", ITRACE_TLB, SPE_EVENT_TLB_ACCESS, NULL },
	{ "branch", ITRACE_BRANCHES, 0, is_branch },
	{ "remote-access", ITRACE_REMOTE_ACCESS, SPE_EVENT_REMOTE_ACCESS, NULL },
	{ "memory", ITRACE_MEMORY, 0, is_memory },
	{ "instructions", ITRACE_INSTRUCTIONS, 0, is_any },
};

/* The distance of the ids of made events from that of the recorded one, as in perf. */
#define ID_DISTANCE UINT64_C(1000000000)

#define SAMPLE_FIELDS                                                                              \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

static const struct event *recorded_event(const struct spe *spe)
{
	const struct event_table *events = &spe->session->events;

	return array_find(i, events->events, events->count,
			  events->events[i].attr.type == spe->pmu);
}

/* Returns whether the records have times: perf decodes without them if no event has any. */
static bool has_times(const struct spe *spe)
{
	const struct event_table *events = &spe->session->events;

	return spe->conversion.known &&
	       any_of(i, 0, events->count, events->events[i].attr.sample_type & PERF_SAMPLE_TIME);
}

/* Adds the events that the options ask for, with ids that no other event has. */
static void add_events(struct spe *spe, const struct event *recorded)
{
	struct event_table *events = &spe->session->events;
	struct perf_event_attr attr = recorded->attr;
	uint64_t id = (recorded->id_count ? recorded->ids[0] : 0) + ID_DISTANCE;

	attr.freq = 0;
	attr.sample_period = spe->options.period;
	attr.sample_type = SAMPLE_FIELDS | (spe->timed ? PERF_SAMPLE_TIME : 0) |
			   (attr.sample_type & PERF_SAMPLE_PHYS_ADDR);
	spe->has_physical = attr.sample_type & PERF_SAMPLE_PHYS_ADDR;
	while (any_of(i, 0, COUNT_OF(sample_events),
		      !(id + i) || event_table_find(events, id + i) != EVENT_NONE))
		id++;
	spe->first_id = id;
	for (size_t i = 0; i < COUNT_OF(sample_events); i++, id++) {
		if (!(spe->options.events & sample_events[i].option))
			continue;
		event_table_add(events, &attr, (const uint8_t *)&id, 1, false);
		event_table_name(events, (uint32_t)events->count - 1, sample_events[i].name);
	}
}

/* ---- samples ---- */

/* A sequence of traces, and where its records are. */
struct queue {
	int32_t cpu, tid, context;
	bool has_context;
	uint64_t clock; /* of the last record; the end of the recording if none had a time */
	uint64_t taken; /* records since the last sample */
	struct spe_processor processor;
};

/* Returns the facts of a processor; -1 is one of them all. */
static struct spe_processor find_processor(const struct spe *spe, int32_t cpu)
{
	array_each (const struct spe_processor, processor, spe->processors, spe->processor_count)
		if (processor->cpu == cpu || processor->cpu < 0 || (cpu < 0 && spe->alike))
			return *processor;
	return (struct spe_processor){ .cpu = cpu };
}

static uint64_t record_time(const struct time_conversion *to, uint64_t cycles)
{
	if (to->is_short)
		cycles = to->cycles + ((cycles - to->cycles) & to->mask);

	uint64_t rest = cycles & low_bits(to->shift);

	return to->zero + (cycles >> to->shift) * to->factor + (rest * to->factor >> to->shift);
}

/* Returns the thread that a processor ran at a time, or -1. */
static int32_t thread_on(const struct spe *spe, int32_t cpu, uint64_t time)
{
	const struct switch_in *switches = spe->switches;
	size_t after = partition_point(
		0, spe->switch_count, i,
		switches[i].cpu < cpu || (switches[i].cpu == cpu && switches[i].time <= time));

	return after && switches[after - 1].cpu == cpu ? switches[after - 1].tid : -1;
}

/* Returns the thread of a record, by the kernel's number, else by switches. */
static int32_t record_thread(struct spe *spe, const struct queue *queue)
{
	int32_t tid = queue->has_context ? queue->context
		      : queue->tid >= 0  ? queue->tid
					 : thread_on(spe, queue->cpu, queue->clock);

	spe->without_thread += !queue->has_context && queue->cpu >= 0;
	return tid;
}

/* The words of a sample to be, in the byte order of the file. */
struct sample_words_out {
	uint64_t words[16];
	size_t count;
	bool swap;
};

static void add_word(struct sample_words_out *out, uint64_t word)
{
	out->words[out->count++] = out->swap ? bswap_64(word) : word;
}

/* Adds two numbers of 32 bits, of which the first comes first in every byte order. */
static void add_pair(struct sample_words_out *out, uint32_t first, uint32_t second)
{
	uint32_t pair[2] = { out->swap ? bswap_32(first) : first,
			     out->swap ? bswap_32(second) : second };

	memcpy(&out->words[out->count++], pair, sizeof(pair));
}

static void add_header(struct sample_words_out *out, uint16_t misc, uint16_t size)
{
	uint32_t type = PERF_RECORD_SAMPLE;
	uint16_t halves[2] = { out->swap ? bswap_16(misc) : misc,
			       out->swap ? bswap_16(size) : size };

	type = out->swap ? bswap_32(type) : type;
	memcpy(out->words, &type, sizeof(type));
	memcpy((uint8_t *)out->words + sizeof(type), halves, sizeof(halves));
}

/* Ends the chunk of samples if it has enough, so that threads can share them. */
static void end_chunk(struct spe *spe, bool last)
{
	struct session *session = spe->session;

	spe->chunk.end = (size_t)spool_size(spe->spool);
	if (spe->chunk.end - spe->chunk.begin < (last ? 1 : CHUNK_SIZE))
		return;
	array_add(session->chunks, session->chunk_count, session->chunk_capacity) = spe->chunk;
	spe->chunk.begin = spe->chunk.end;
}

static struct error *add_sample(struct spe *spe, const struct spe_record *record,
				const struct queue *queue, size_t event, int32_t tid)
{
	struct sample_words_out out = { .count = 1, .swap = spe->session->header.swap };
	struct moment moment = { queue->clock, UINT64_MAX };
	bool jumps = is_branch(record) &&
		     sample_events[event].option & (ITRACE_BRANCHES | ITRACE_INSTRUCTIONS);
	struct task_view task;

	timeline_task(&spe->session->timeline, tid, tid,
		      spe->timed && !spe->session->by_position ? moment : MOMENT_NEVER, &task);
	add_word(&out, spe->first_id + event);
	add_word(&out, record->ip);
	add_pair(&out, (uint32_t)task.pid, (uint32_t)tid);
	if (spe->timed)
		add_word(&out, queue->clock);
	add_word(&out, jumps ? record->target : record->data_address);
	add_pair(&out, (uint32_t)queue->cpu, 0);
	add_word(&out, spe->options.period);
	add_word(&out, record->latency);
	add_word(&out, spe_data_source(record, &queue->processor));
	if (spe->has_physical)
		add_word(&out, record->physical_address);
	add_header(
		&out,
		(address_is_kernel(record->ip) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) |
			PERF_RECORD_MISC_EXACT_IP,
		(uint16_t)(8 * out.count));
	spe->session->totals.samples++;
	RETURN_ERROR(spool_add(spe->spool, out.words, 8 * out.count));
	end_chunk(spe, false);
	return NULL;
}

static struct error *take_sampled(struct spe *spe, const struct spe_record *record,
				  struct queue *queue)
{
	if (record->has_timestamp && spe->timed)
		queue->clock = record_time(&spe->conversion, record->timestamp);
	if (record->has_context) {
		queue->has_context = true;
		queue->context = (int32_t)record->context;
	}
	if (++queue->taken < spe->options.period)
		return NULL;
	queue->taken = 0;

	int32_t tid = record_thread(spe, queue);

	for (size_t i = 0; i < COUNT_OF(sample_events); i++)
		if (spe->options.events & sample_events[i].option &&
		    (sample_events[i].is ? sample_events[i].is(record)
					 : record->events & sample_events[i].event))
			RETURN_ERROR(add_sample(spe, record, queue, i, tid));
	return NULL;
}

/* ---- traces ---- */

COMPARISON(compare_traces, struct aux_trace, ASCENDING(queue) ASCENDING(number))
COMPARISON(compare_switches, struct switch_in, ASCENDING(cpu) ASCENDING(time))

/* Decodes all traces. A record is always within one. */
static struct error *take_traces(struct spe *spe)
{
	struct queue queue = { 0 };

	array_indexed (const struct aux_trace, trace, i, spe->traces, spe->trace_count) {
		struct spe_reader reader = { .data = trace->data,
					     .size = trace->size,
					     .start = trace->start };
		struct spe_record record;

		if (!i || trace->queue != trace[-1].queue)
			queue = (struct queue){ .cpu = trace->cpu,
						.tid = trace->tid,
						.clock = spe->chunk.clock,
						.processor = find_processor(spe, trace->cpu) };
		while (spe_record_next(&reader, &record))
			RETURN_ERROR(take_sampled(spe, &record, &queue));
		spe->broken += reader.broken;
	}
	end_chunk(spe, true);
	return NULL;
}

static struct error *add_stream(struct spe *spe)
{
	struct session *session = spe->session;
	uint32_t number = (uint32_t)session->stream_count;

	session_add_stream(session, &(struct stream){ .data = (const uint8_t *)"",
						      .base = number * STREAM_POSITIONS,
						      .made = true,
						      .name = session->file.name });
	session->spools = xrealloc_array(session->spools, number + 1, sizeof(*session->spools));
	session->spools[number] = (struct spool)SPOOL_INIT;
	spe->spool = &session->spools[number];
	spe->chunk.stream = number;
	for (size_t i = 0; i < session->chunk_count; i++)
		raise_to(spe->chunk.clock, session->chunks[i].clock);
	RETURN_ERROR(take_traces(spe));
	return spool_finish(spe->spool, &session->streams[number].data,
			    &session->streams[number].size);
}

static void warn_of_traces(const struct spe *spe)
{
	const struct session *session = spe->session;

	if (spe->truncated)
		session_warn(session, "AUX data lost %" PRIu64 " times out of %" PRIu64 "!",
			     spe->truncated, spe->aux_count);
	if (spe->collided)
		session_warn(session,
			     "AUX data detected collision %" PRIu64 " times out of %" PRIu64 "!",
			     spe->collided, spe->aux_count);
	if (spe->broken)
		session_warn(session,
			     "%s: %" PRIu64 " records of SPE are broken, and are not counted",
			     session->file.name, spe->broken);
	if (spe->without_thread)
		session_warn(session,
			     "Arm SPE CONTEXT packets not found in the traces. Matching of TIDs to "
			     "SPE events could be inaccurate.");
	if (spe->options.period > 1)
		session_warn(session,
			     "Arm SPE has a hardware-based sampling period. --itrace periods > 1i "
			     "downsample by an interval of n SPE samples rather than n "
			     "instructions.");
}

/* Decodes the traces that have been found, and tells what is wrong with them. */
static struct error *decode(struct spe *spe)
{
	const struct event_table *events = &spe->session->events;
	const struct event *recorded = recorded_event(spe);

	if (spe->options.other_period)
		return error_other("You must only use i (instructions) --itrace "
				   "period with Arm SPE. e.g --itrace=i1i");
	if (!recorded || spe->pmu < PERF_TYPE_MAX ||
	    !(events->events[0].attr.sample_type & PERF_SAMPLE_IDENTIFIER)) {
		session_warn(spe->session, "%s: the traces of SPE are not decoded: %s",
			     spe->session->file.name,
			     recorded && spe->pmu >= PERF_TYPE_MAX
				     ? "samples do not tell their event"
				     : "their event is not declared");
		return NULL;
	}
	spe->timed = has_times(spe);
	session_each_switch(spe->session, take_switch, spe);
	array_sort(spe->traces, spe->trace_count, compare_traces);
	array_sort(spe->switches, spe->switch_count, compare_switches);
	add_events(spe, recorded);
	RETURN_ERROR(add_stream(spe));
	warn_of_traces(spe);
	return NULL;
}

static void spe_deinit(struct spe *spe)
{
	free_all(spe->processors, spe->traces, spe->switches);
}

struct error *session_decode_spe(struct session *session)
{
	struct spe spe
		__attribute__((cleanup(spe_deinit))) = { .session = session,
							 .options = session->options.itrace };

	if (!session->totals.aux_records || spe.options.none)
		return NULL;
	spe.options.events = spe.options.events ?: ITRACE_MEMORY;
	spe.options.period = spe.options.period ?: 1;
	session_each_record(session, take_record, &spe);
	if (spe.is_spe)
		return decode(&spe);
	session_warn(session, "%s: %" PRIu64 " bytes of hardware traces (AUX) are not decoded",
		     session->file.name, session->totals.aux_bytes);
	return NULL;
}
