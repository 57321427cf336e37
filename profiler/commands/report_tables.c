// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/report_tables.h"

#include <stdlib.h>

#include "profiler/base/memory.h"

static struct report_options *const options = &report_options;

/* The group's layout: as in perf, fields of an event are no columns of others. */
static const struct layout *group_layout(struct report *report, size_t group)
{
	const struct event_group *events = &report->groups.groups[group];
	struct layout *layout;

	if (!report->layouts)
		return &report->layout;
	layout = &report->layouts[group];
	*layout = report->layout;
	for (size_t i = 0; i < report->trace_keys.count; i++) {
		bool found = false;

		for (uint32_t e = 0; e < events->count && !found; e++)
			found = events->events[e] == report->trace_keys.choices[i].event;
		if (!found)
			layout_remove(layout, &report->trace_keys.keys[i]);
	}
	return layout;
}

void report_make_tables(struct report *report, const struct input *input)
{
	const struct resolution *resolution = input->resolution;

	event_groups_init(&report->groups, input->session, &options->grouping);
	report->tables = xcalloc(report->groups.count, sizeof(struct table *));
	report->coverages = xcalloc(report->groups.count, sizeof(*report->coverages));
	if (report->trace_keys.count)
		report->layouts = xcalloc(report->groups.count, sizeof(*report->layouts));
	for (size_t i = 0; i < report->groups.count; i++) {
		report->tables[i] = table_create(group_layout(report, i), report->groups.groups[i].count);
		if (options->group_sort_index < report->groups.groups[i].count)
			report->tables[i]->first_event = options->group_sort_index;
		if (report->needs & NEED_CHAIN && (!options->callgraph.none || options->callgraph.children))
			table_keep_chains(report->tables[i], &options->callgraph, resolution->frames,
					  resolution->frame_count);
	}
}

/* As perf: what has no weight still counts. */
static uint64_t weigh(const struct result *result)
{
	switch (options->weighing) {
	case BY_WEIGHT: return (result->weight ? result->weight : 1) * result->samples;
	case BY_SAMPLES: return result->samples;
	default: return result->period;
	}
}

void report_fill_tables(struct report *report, const struct input *input)
{
	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		uint32_t group = report->groups.group_of[result.event];
		struct table *table = report->tables[group];
		uint32_t member = report->groups.member_of[result.event];

		result.period = weigh(&result);
		if (report->needs & (NEED_TYPE | NEED_DATA_ADDRESS))
			coverage_add(&report->coverages[group], &result);
		if (options->memory_only && result.place->no_memory)
			continue;
		if (filter_accepts(&options->filter, &result))
			table_add(table, &result, member);
		else if (!options->relative)
			table_add_filtered(table, &result, member);
	}
}

bool report_has_rows(const struct report *report, size_t group)
{
	return report->tables[group]->total_samples || options->grouping.keep_empty || options->relative;
}

void report_sort_tables(struct report *report)
{
	for (size_t i = 0; i < report->groups.count; i++)
		if (report_has_rows(report, i))
			table_sort(report->tables[i]);
}
