/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For count.c and count_chunk.c only: what one thread counts with.
 *
 * The inner loop is made of these functions; where `fields` is a constant, the compiler leaves of them what
 * those fields need.
 */
#ifndef DTPROF_INGEST_COUNTER_H
#define DTPROF_INGEST_COUNTER_H

#include "profiler/ingest/count.h"
#include "profiler/ingest/count_data.h"
#include "profiler/ingest/count_chain.h"
#include "profiler/ingest/placer.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session_private.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

struct counter {
	struct session *session;
	unsigned int fields;
	const struct count_options *options;
	struct chain_counter chains; /* with COUNT_CHAIN */
	struct count_result result;
	struct count_table last_values; /* of counters that samples read: by event id and tid */
	struct placer placer;
	struct data_finder data; /* with COUNT_DATA_FIELDS */
	uint64_t last_id;        /* the event of the last sample, and its id */
	uint32_t last_event;
	bool started;
};

/* What counting needs of a sample, whichever way it was read. */
struct count_sample {
	uint64_t ip;
	uint64_t time;
	uint64_t task; /* PLACER_TASK() */
	uint64_t period;
	uint64_t weight;
	uint64_t data_source;
	uint64_t address;
	uint32_t cpu;
	uint16_t misc;
	const struct sample *whole; /* with COUNT_MORE or COUNT_DATA_FIELDS */
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
		.address = sample->address,
		.cpu = (uint32_t)sample->cpu,
		.misc = sample->misc,
		.whole = sample,
	};
}

/* Fields that no fixed place is known of: samples are then taken whole. */
#define COUNT_MORE                                                                                           \
	(COUNT_WEIGHT2 | COUNT_WEIGHT3 | COUNT_TRANSACTION | COUNT_CODE_PAGE_SIZE | COUNT_CGROUP |           \
	 COUNT_TIME | COUNT_IP | COUNT_MAP_SIZE | COUNT_CHAIN | COUNT_PHYSICAL_ADDRESS |                     \
	 COUNT_DATA_PAGE_SIZE | COUNT_TRACE | COUNT_PARALLELISM | COUNT_TRACE_TEXT |                         \
	 COUNT_CGROUP_NAMESPACE | COUNT_CAME_FROM)
/* Fields whose values are interned in one table: samples are then taken in the order of the file. */
#define COUNT_ORDERED (COUNT_CHAIN | COUNT_TRACE | COUNT_TRACE_TEXT)

/* count_more.c: their words of the key, and whether the options let a sample count at all. */
unsigned int count_more_words(struct counter *counter, const struct count_sample *sample,
			      struct moment moment, uint64_t *key);
bool count_is_wanted(const struct count_options *options, uint64_t time, int32_t cpu);

/* Operations of a data source, PERF_MEM_OP_* in its five lowest bits */
#define DATA_SOURCE_STORE (PERF_MEM_OP_STORE << PERF_MEM_OP_SHIFT)

/* dso id + 1, the offset in its file, the comm's word of the key, and with COUNT_DATA_FIELDS the task's
 * space. */
ALWAYS_INLINE uint64_t count_place(struct counter *counter, unsigned int fields,
				   const struct count_sample *sample, struct moment moment, uint64_t *offset,
				   uint64_t *comm, uint32_t *task_space)
{
	unsigned int mode = sample->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	uint32_t space = counter->placer.spaces[mode];

	if (fields & (COUNT_COMM | COUNT_DATA_FIELDS) ||
	    (fields & (COUNT_PLACE | COUNT_DSO) && mode == PERF_RECORD_MISC_USER)) {
		const struct placer_task *task = placer_task(&counter->placer, sample->task, moment);

		*comm = task->comm == COMM_NONE ? COUNT_KEY_UNNAMED | sample->task >> 32 : task->comm;
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

ALWAYS_INLINE void count_add(struct counter *counter, unsigned int fields, uint32_t event,
			     const struct count_sample *sample, struct moment moment)
{
	const struct sample_layout *layout = &counter->session->events.layouts[event];
	uint64_t key[COUNT_KEY_WORDS];
	uint64_t comm = 0;
	uint64_t offset = 0;
	uint32_t task_space = SPACE_NONE;
	uint64_t place = count_place(counter, fields, sample, moment, &offset, &comm, &task_space);
	uint64_t store = fields & (COUNT_STORE | COUNT_DATA_FIELDS)
				 ? !!(sample->data_source & DATA_SOURCE_STORE) | layout->writes
				 : 0;
	uint64_t level = fields & COUNT_LEVEL_FIELDS ? sample->misc & PERF_RECORD_MISC_CPUMODE_MASK : 0;
	uint64_t after = fields & COUNT_PLACE && layout->traps && !(sample->misc & layout->exact_misc);
	uint64_t exact =
		fields & COUNT_PLACE && layout->tells_exact && sample->misc & PERF_RECORD_MISC_EXACT_IP;
	unsigned int words = 0;

	key[words++] = (fields & (COUNT_PLACE | COUNT_DSO) ? place : 0) | level << COUNT_KEY_LEVEL |
		       (fields & COUNT_STORE ? store << COUNT_KEY_STORE : 0) | after << COUNT_KEY_AFTER |
		       exact << COUNT_KEY_EXACT | (uint64_t)event << COUNT_KEY_EVENT;
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
		key[words++] = sample->weight;
	if (fields & COUNT_DATA_SOURCE)
		key[words++] = sample->data_source;
	if (fields & COUNT_DATA_FIELDS)
		words += data_finder_words(&counter->data, &counter->placer, fields,
					   &(struct data_question){ .sample = sample->whole,
								    .store = store,
								    .dso = (uint32_t)place,
								    .offset = offset,
								    .task_space = task_space,
								    .moment = moment },
					   key + words);
	if (fields & COUNT_MORE)
		words += count_more_words(counter, sample, moment, key + words);
	uint64_t *sums = count_table_get_words(&counter->result.table, key, words);

	sums[COUNTER_SAMPLES]++;
	sums[COUNTER_PERIOD] += sample->period;
	sums[COUNTER_WEIGHT] += sample->weight;
}

/* All samples of a chunk: count_chunk.c. */
void count_chunk(struct counter *counter, const struct chunk *chunk);

#endif
