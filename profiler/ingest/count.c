// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pass 2: counting samples under the asked-for fields.
 *
 * Each thread takes chunks and counts in a table of its own, so nothing is shared but the timeline, which
 * does not change.
 */
#include "profiler/base/parallel.h"
#include "profiler/ingest/counter.h"

struct counting {
	const struct session *session;
	struct counter *counters; /* one a thread */
	pthread_mutex_t files; /* for what opens object files; mostly held for one instruction's decoding */
};

unsigned int count_key_words(unsigned int fields)
{
	return 1 + !!(fields & COUNT_PLACE) + !!(fields & COUNT_COMM) + !!(fields & COUNT_CPU) +
	       !!(fields & (COUNT_PID | COUNT_TID)) + !!(fields & COUNT_WEIGHT) +
	       !!(fields & COUNT_DATA_SOURCE) + 3 * !!(fields & COUNT_DATA_ADDRESS) +
	       2 * !!(fields & COUNT_DATA_CHECK) + !!(fields & COUNT_CGROUP_NAMESPACE) +
	       (unsigned int)__builtin_popcount(fields & COUNT_MORE);
}

static void counter_start(struct counter *counter)
{
	count_table_init(&counter->last_values, 2);
	count_table_init(&counter->result.table, count_key_words(counter->fields));
	placer_init(&counter->placer, &counter->session->timeline);
	counter->last_event = EVENT_NONE;
	counter->started = true;
}

static void count_item(size_t item, unsigned int thread, void *data)
{
	struct counting *counting = data;
	struct counter *counter = &counting->counters[thread];

	if (!counter->started)
		counter_start(counter);
	count_chunk(counter, &counting->session->chunks[item]);
}

/*
 * Sampling of a group by its leader ("{a,b}:S"): the sample holds the values of all its counters, and counts
 * as one sample of each event whose counter has moved, with the difference as its period, as in perf.
 * Counters that are inherited go by thread. What a sample that is not `wanted` moved by is no later one's.
 */
static void count_read_value(struct counter *counter, const struct sample *sample, uint64_t entry,
			     bool wanted, struct count_sample *counted)
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
	if (counted->period && wanted)
		count_add(counter, counter->fields, event, counted,
			  session_moment(counter->session, true, sample->clock, sample->clock,
					 sample->position));
}

static struct error *count_visit(const struct sample *sample, void *data)
{
	struct counter *counter = data;
	struct count_sample counted = count_sample_of(sample);
	bool wanted = count_is_wanted(counter->options, sample->time, sample->cpu);

	if (sample->type & PERF_SAMPLE_READ && sample->read.id_at)
		for (uint64_t i = 0; i < sample->read.values.count / sample->read.stride; i++)
			count_read_value(counter, sample, i, wanted, &counted);
	else if (wanted)
		count_add(counter, counter->fields, sample->event->index, &counted,
			  session_moment(counter->session, true, sample->clock, sample->clock,
					 sample->position));
	return NULL;
}

/* Where samples read counters, each depends on the one before; chains and texts are interned in one table. */
static bool counts_in_order(const struct session *session, const struct count_options *options)
{
	if (options->fields & COUNT_ORDERED)
		return true;
	for (size_t i = 0; i < session->events.count; i++)
		if (session->events.events[i].attr.sample_type & PERF_SAMPLE_READ)
			return true;
	return false;
}

static void count_in_order(struct session *session, struct counter *counter)
{
	counter_start(counter);
	if (counter->fields & COUNT_TRACE)
		trace_table_init(&counter->result.traces, counter->options->traces,
				 counter->options->trace_count, &counter->result.texts);
	if (counter->fields & (COUNT_TRACE | COUNT_TRACE_TEXT))
		trace_texts_init(&counter->result.texts, session, counter->options->raw_trace);
	if (counter->fields & COUNT_CHAIN)
		chain_counter_init(&counter->chains, session, counter->options);
	error_free(session_each_sample(session, count_visit, counter)); /* count_visit() has none */
	chain_counter_release(&counter->chains);
	counter->result.chains = counter->chains.table;
	counter->result.unknown_samples += session->totals.unknown_samples;
	counter->result.bad_samples = session->totals.bad_samples;
	counter->result.first_bad = session->first_bad;
}

void count_run(struct session *session, const struct count_options *options, unsigned int threads,
	       struct count_result *results)
{
	struct counting counting = { .session = session, .files = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP };

	counting.counters = xcalloc(threads, sizeof(*counting.counters));
	for (unsigned int i = 0; i < threads; i++) {
		counting.counters[i] =
			(struct counter){ .session = session, .options = options, .fields = options->fields };
		data_finder_init(&counting.counters[i].data, session, &counting.files);
	}
	if (counts_in_order(session, options))
		count_in_order(session, &counting.counters[0]);
	else
		parallel_for(session->chunk_count, threads, count_item, &counting);
	for (unsigned int i = 0; i < threads; i++) {
		/* A thread that found no work left has not started. */
		if (!counting.counters[i].started)
			counter_start(&counting.counters[i]);
		count_table_release(&counting.counters[i].last_values);
		data_finder_release(&counting.counters[i].data);
		results[i] = counting.counters[i].result;
	}
	free(counting.counters);
}
