// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting by what only few reports ask for, of samples that are taken whole: see counter.h. */
#include <string.h>

#include "profiler/ingest/counter.h"

#define EXTRA(field, name)                                                                                   \
	{                                                                                                    \
		field, offsetof(struct sample, name), offsetof(struct counted, name)                         \
	}

const struct count_extra count_extras[COUNT_EXTRAS] = {
	EXTRA(COUNT_WEIGHT2, weight2),
	EXTRA(COUNT_WEIGHT3, weight3),
	EXTRA(COUNT_TRANSACTION, transaction),
	EXTRA(COUNT_CODE_PAGE_SIZE, code_page_size),
	EXTRA(COUNT_CGROUP, cgroup),
	EXTRA(COUNT_TIME, time),
	EXTRA(COUNT_IP, ip),
	EXTRA(COUNT_PHYSICAL_ADDRESS, physical_address),
	EXTRA(COUNT_DATA_PAGE_SIZE, data_page_size),
	EXTRA(COUNT_CAME_FROM, came_from),
};

bool count_is_wanted(const struct count_options *options, uint64_t time, int32_t cpu)
{
	bool in_range = !options->ranges;

	for (size_t i = 0; i < options->range_count && !in_range; i++)
		in_range = time >= options->ranges[i].first && time <= options->ranges[i].last;
	if (!in_range || !options->cpus)
		return in_range;
	return number_set_has(options->cpus, cpu);
}

static uint64_t map_size(const struct counter *counter, const struct count_sample *sample, uint32_t space,
			 struct moment moment)
{
	const struct timeline *timeline = &counter->session->timeline;
	struct map_view view;

	timeline_map(timeline, placer_space(timeline, placer_level(sample->misc), space), sample->ip, moment,
		     &view);
	if (view.map == MAP_NONE || !timeline->maps[view.map].dso)
		return 0;
	return timeline->maps[view.map].last - timeline->maps[view.map].start + 1;
}

unsigned int count_more_words(struct counter *counter, const struct count_sample *sample,
			      struct moment moment, uint64_t *key)
{
	uint64_t quantum = counter->options->time_quantum;
	uint32_t space = SPACE_NONE;
	unsigned int words = 0;

	if (counter->fields & (COUNT_MAP_SIZE | COUNT_CHAIN))
		space = placer_task(&counter->placer, sample->task, moment)->space;
	for (size_t i = 0; i < COUNT_EXTRAS; i++) {
		uint64_t value;

		if (!(counter->fields & count_extras[i].field))
			continue;
		memcpy(&value, (const char *)sample->whole + count_extras[i].in_sample, sizeof(value));
		if (count_extras[i].field == COUNT_TIME && quantum)
			value -= value % quantum;
		key[words++] = value;
	}
	if (counter->fields & COUNT_MAP_SIZE)
		key[words++] = map_size(counter, sample, space, moment);
	if (counter->fields & COUNT_PARALLELISM)
		key[words++] = parallelism_at(&counter->session->parallelism, moment);
	if (counter->fields & COUNT_CGROUP_NAMESPACE) {
		struct cgroup_namespace cgroup = timeline_cgroup_namespace(
			&counter->session->timeline, (int32_t)(sample->task >> 32), moment);

		key[words++] = cgroup.device;
		key[words++] = cgroup.inode;
	}
	if (counter->fields & COUNT_TRACE)
		key[words++] = trace_table_add(&counter->result.traces, sample->whole,
					       counter->session->header.swap);
	if (counter->fields & COUNT_TRACE_TEXT)
		key[words++] = trace_texts_add(&counter->result.texts, sample->whole);
	if (counter->fields & COUNT_CHAIN)
		key[words++] =
			chain_counter_add(&counter->chains, &counter->placer, space, sample->whole, moment);
	return words;
}
