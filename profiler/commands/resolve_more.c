// SPDX-License-Identifier: GPL-2.0-or-later
/* What results have besides places and frames: parents, sockets; and results themselves. */
#include <stdlib.h>

#include "profiler/base/memory.h"
#include "profiler/commands/resolve.h"

/* A frame's caller has a smaller number, so one pass is enough. */
void resolve_parents(struct resolution *resolution, const struct resolve_options *options)
{
	resolution->parents = xcalloc(resolution->frame_count, sizeof(*resolution->parents));
	for (size_t i = 1; i < resolution->frame_count; i++) {
		const struct result_frame *frame = &resolution->frames[i];
		const char *symbol = frame->place->symbol;
		bool matches =
			symbol && !frame->place->inlined && !regexec(options->parent, symbol, 0, NULL, 0);
		const char *above = resolution->parents[frame->caller];

		resolution->parents[i] = matches && !(above && options->caller_first) ? symbol : above;
	}
}

/* As in perf with callers below: of several that match the outermost is kept. */
void resolve_ignored(struct resolution *resolution, const struct resolve_options *options)
{
	resolution->kept = xcalloc(resolution->frame_count + 1, sizeof(*resolution->kept));
	for (uint32_t i = 1; i < resolution->frame_count; i++) {
		const struct result_frame *frame = &resolution->frames[i];
		const char *symbol = frame->place->symbol;

		resolution->kept[i] = resolution->kept[frame->caller];
		if (!resolution->kept[i] && symbol && !regexec(options->ignore_callees, symbol, 0, NULL, 0))
			resolution->kept[i] = i;
	}
}

void resolve_sockets(struct resolution *resolution, const struct sample_counts *counts)
{
	int32_t count = 0;

	for (size_t i = 0; i < counts->count; i++)
		if (counts->entries[i].cpu >= count && counts->entries[i].cpu < NUMBER_SET_LIMIT)
			count = counts->entries[i].cpu + 1;
	resolution->sockets = xcalloc(NUMBER_SET_LIMIT, sizeof(*resolution->sockets));
	for (int32_t cpu = 0; cpu < NUMBER_SET_LIMIT; cpu++)
		resolution->sockets[cpu] = cpu < count ? session_cpu_socket(resolution->session, cpu) : -1;
}

/* As perf: room for the digits of the largest number, or for the whole of an array of characters. */
static unsigned int trace_width(const struct tracepoint_field *field)
{
	unsigned int width = field->is_string ? field->size : 2 * field->size + 2;
	unsigned int longest = 2 * sizeof(uint64_t) + 2;

	return field->is_array || width < longest ? width : longest;
}

void resolve_traces(struct resolution *resolution, const struct sample_counts *counts,
		    const struct resolve_options *options)
{
	size_t each = options->trace_count;

	resolution->trace_count = each;
	resolution->traces = xcalloc(counts->count * each + 1, sizeof(*resolution->traces));
	for (size_t i = 0; i < counts->count; i++)
		for (size_t t = 0; t < each; t++)
			resolution->traces[i * each + t] =
				(struct result_trace){ .value = counts->entries[i].traces[t].value,
						       .text = counts->entries[i].traces[t].text,
						       .first = counts->entries[i].traces[t].first,
						       .width = trace_width(options->traces[t].field) };
}

/* --ignore-callees: the sample is the caller's that is kept. */
static void keep_caller(const struct resolution *resolution, struct result *result)
{
	uint32_t kept = resolution->kept ? resolution->kept[result->chain] : 0;

	if (!kept)
		return;
	result->chain = kept;
	result->place = resolution->frames[kept].place;
	result->level = resolution->frames[kept].level;
	result->ip = resolution->frames[kept].ip;
}

struct result resolution_result(const struct resolution *resolution, const struct sample_counts *counts,
				size_t entry)
{
	const struct counted *counted = &counts->entries[entry];
	uint32_t chain = resolution->frame_of ? resolution->frame_of[counted->chain] : 0;
	bool has_socket = resolution->sockets && counted->cpu >= 0 && counted->cpu < NUMBER_SET_LIMIT;

	struct result result = {
		.place = &resolution->places[resolution->place_of[entry]].shown,
		.data = resolution->data_of ? &resolution->data[resolution->data_of[entry]] : NULL,
		.event = counted->event,
		.level = counted->level,
		.comm = resolution->comms[counted->comm],
		.thread = resolution->needs & NEED_TID ? session_last_name(resolution->session, counted->tid)
						       : NULL,
		.process = resolution->needs & NEED_PID ? session_last_name(resolution->session, counted->pid)
							: NULL,
		.pid = counted->pid,
		.tid = counted->tid,
		.cpu = counted->cpu,
		.socket = has_socket ? resolution->sockets[counted->cpu] : -1,
		.weight = counted->weight,
		.weight2 = counted->weight2,
		.weight3 = counted->weight3,
		.transaction = counted->transaction,
		.code_page_size = counted->code_page_size,
		.cgroup = counted->cgroup,
		.cgroup_device = counted->cgroup_device,
		.cgroup_inode = counted->cgroup_inode,
		.cgroup_name = session_cgroup_name(resolution->session, counted->cgroup),
		.parent = resolution->parents ? resolution->parents[chain] : NULL,
		.time = counted->time,
		.ip = counted->ip,
		.map_size = counted->map_size,
		.data_source = counted->data_source,
		.data_address = counted->data_address,
		.data_known = counted->data_known,
		.data_shared = counted->data_shared,
		.data_computed = counted->data_computed,
		.physical_address = counted->physical_address,
		.data_page_size = counted->data_page_size,
		.traces = resolution->traces ? resolution->traces + entry * resolution->trace_count : NULL,
		.trace_text = counted->trace_text,
		.parallelism = counted->parallelism,
		.chain = chain,
		.samples = counted->samples,
		.period = counted->period,
	};

	keep_caller(resolution, &result);
	return result;
}
