// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/resolve.h"

#include <stdlib.h>

#include "profiler/base/memory.h"
#include "profiler/base/parallel.h"
#include "profiler/commands/progress.h"
#include "profiler/commands/resolve_data.h"
#include "profiler/commands/resolve_object.h"

#define NEED_PLACE (NEED_ADDRESS | NEED_SYMBOL | NEED_SOURCE_LINE | NEED_TYPE | NEED_LANGUAGE)

unsigned int resolve_count_fields(unsigned int needs)
{
	static const struct {
		unsigned int need;
		unsigned int fields;
	} table[] = {
		{ NEED_COMM, COUNT_COMM },
		{ NEED_PID, COUNT_PID },
		{ NEED_TID, COUNT_TID },
		{ NEED_CPU, COUNT_CPU },
		{ NEED_WEIGHT, COUNT_WEIGHT },
		{ NEED_DSO, COUNT_DSO },
		{ NEED_PLACE, COUNT_PLACE },
		{ NEED_TYPE, COUNT_STORE | COUNT_DATA_CHECK },
		{ NEED_DATA_SOURCE, COUNT_DATA_SOURCE },
		{ NEED_CHAIN, COUNT_CHAIN },
		{ NEED_WEIGHT2, COUNT_WEIGHT2 },
		{ NEED_WEIGHT3, COUNT_WEIGHT3 },
		{ NEED_TRANSACTION, COUNT_TRANSACTION },
		{ NEED_CODE_PAGE_SIZE, COUNT_CODE_PAGE_SIZE },
		{ NEED_CGROUP, COUNT_CGROUP },
		{ NEED_TIME, COUNT_TIME },
		{ NEED_IP, COUNT_IP },
		{ NEED_MAP_SIZE, COUNT_MAP_SIZE },
		{ NEED_DATA_ADDRESS, COUNT_DATA_ADDRESS },
		{ NEED_PHYSICAL_ADDRESS, COUNT_PHYSICAL_ADDRESS },
		{ NEED_DATA_PAGE_SIZE, COUNT_DATA_PAGE_SIZE },
		{ NEED_TRACE, COUNT_TRACE },
		{ NEED_TRACE_TEXT, COUNT_TRACE_TEXT },
		{ NEED_PARALLELISM, COUNT_PARALLELISM },
		{ NEED_CGROUP_NAMESPACE, COUNT_CGROUP_NAMESPACE },
	};
	unsigned int fields = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (needs & table[i].need)
			fields |= table[i].fields;
	return fields;
}

/* Comm ids of one name become one pointer. */
static void find_comms(struct resolution *resolution, const struct session *session,
		       const struct sample_counts *counts)
{
	uint32_t count = 0;

	for (size_t i = 0; i < counts->count; i++)
		if (counts->entries[i].comm >= count)
			count = counts->entries[i].comm + 1;
	resolution->comms = xcalloc(count, sizeof(*resolution->comms));
	for (size_t i = 0; i < counts->count; i++) {
		uint32_t comm = counts->entries[i].comm;

		if (!resolution->comms[comm])
			resolution->comms[comm] =
				string_pool_intern(&resolution->strings, session_comm(session, comm));
	}
}

static int compare_places(const void *left, const void *right, void *data)
{
	const struct resolved_place *places = data;
	const struct resolved_place *a = &places[*(const uint32_t *)left],
				    *b = &places[*(const uint32_t *)right];
	/* what is in no object comes first */
	uint64_t dso = a->dso ? a->dso->id + 1ULL : 0, other = b->dso ? b->dso->id + 1ULL : 0;

	if (dso != other)
		return dso < other ? -1 : 1;
	if (a->shown.address != b->shown.address)
		return a->shown.address < b->shown.address ? -1 : 1;
	if (a->store != b->store)
		return a->store - b->store;
	if (a->after != b->after)
		return a->after - b->after;
	if (a->late != b->late)
		return a->late - b->late;
	return (a->came_from > b->came_from) - (a->came_from < b->came_from);
}

static int compare_problems(const void *left, const void *right)
{
	const struct resolve_problem *a = left, *b = right;

	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	/* at most one is of none */
	uint32_t first = a->dso ? a->dso->id + 1 : 0, second = b->dso ? b->dso->id + 1 : 0;

	return first < second ? -1 : first > second;
}

/* Objects that follow each other, each with its places. */
struct object_list {
	struct resolved_object *items;
	size_t count, capacity;
};

static void list_objects(struct resolution *resolution, const struct resolve_options *options,
			 const uint32_t *order, struct object_list *list)
{
	size_t count = resolution->place_count;

	for (size_t start = 0, end; start < count; start = end) {
		struct dso *dso = resolution->places[order[start]].dso;

		for (end = start + 1; end < count && resolution->places[order[end]].dso == dso; end++)
			;
		array_reserve(list->items, list->count, list->capacity);
		list->items[list->count++] = (struct resolved_object){ .resolution = resolution,
								       .options = options,
								       .dso = dso,
								       .order = order + start,
								       .count = end - start };
	}
}

/* What is read of each object's files is read by all threads, an object each. */
static void prepare(size_t number, unsigned int thread, void *data)
{
	const struct resolved_object *object = &((const struct object_list *)data)->items[number];
	unsigned int needs = object->options->needs;
	bool has_samples = false;

	(void)thread;
	for (size_t i = 0; i < object->count && !has_samples; i++)
		has_samples = resolved_object_place(object, i)->samples;
	if (object->dso)
		dso_prepare(object->dso, &object->options->dso,
			    needs & (NEED_SYMBOL | NEED_SOURCE_LINE | NEED_CHAIN),
			    needs & (NEED_SOURCE_LINE | NEED_LANGUAGE) || (needs & NEED_TYPE && has_samples));
}

static struct error *resolve_objects(struct resolution *resolution, const struct resolve_options *options)
{
	size_t count = resolution->place_count;
	uint32_t *order _cleanup_free_ = xcalloc(count, sizeof(*order));
	struct resolved_object *items _cleanup_free_ = NULL;
	struct object_list list = { 0 };

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_places, resolution->places);
	list_objects(resolution, options, order, &list);
	items = list.items;
	progress_show("Reading objects", NULL);
	parallel_for(list.count, options->threads ? options->threads : parallel_default_threads(), prepare,
		     &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct dso *dso = items[i].dso;

		progress_show("Looking up samples", dso ? dso->short_name : NULL);

		struct error *error = resolve_object(&items[i]);

		if (error)
			return error_prefix(error, "%s", dso ? dso->long_name : "[unknown]");
	}
	if (resolution->problem_count)
		qsort(resolution->problems, resolution->problem_count, sizeof(*resolution->problems),
		      compare_problems);
	return NULL;
}

struct error *resolve(struct session *session, struct sample_counts *counts,
		      const struct resolve_options *options, struct resolution **result)
{
	struct resolution *resolution = xcalloc(1, sizeof(*resolution));
	uint32_t *place_of_frame _cleanup_free_ = NULL;

	resolution->session = session;
	resolution->needs = options->needs;
	resolution->no_demangle = options->no_demangle;
	find_comms(resolution, session, counts);
	resolve_places(resolution, counts, options, &place_of_frame);

	struct error *error = resolve_objects(resolution, options);

	if (error) {
		resolution_destroy(resolution);
		return error;
	}
	if (options->needs & NEED_TYPE)
		resolve_charges(resolution, counts, options);
	if (options->needs & NEED_TYPE)
		resolve_verdicts(resolution, counts); /* adds places */
	if (options->needs & NEED_DATA_ADDRESS)
		resolve_data(resolution, counts, &options->dso);
	resolve_frames(resolution, counts, place_of_frame, options);
	if (options->ignore_callees)
		resolve_ignored(resolution, options);
	if (options->needs & NEED_PARENT)
		resolve_parents(resolution, options);
	if (options->needs & NEED_SOCKET)
		resolve_sockets(resolution, counts);
	if (options->needs & NEED_TRACE)
		resolve_traces(resolution, counts, options);
	*result = resolution;
	return NULL;
}

void resolution_destroy(struct resolution *resolution)
{
	if (!resolution)
		return;
	free(resolution->comms);
	free(resolution->places);
	free(resolution->place_of);
	free(resolution->verdicts);
	free(resolution->data);
	free(resolution->data_of);
	free(resolution->frames);
	free(resolution->frame_of);
	arena_release(&resolution->inlined_places);
	free(resolution->parents);
	free(resolution->kept);
	free(resolution->sockets);
	free(resolution->traces);
	free(resolution->problems);
	string_pool_release(&resolution->strings);
	free(resolution);
}
