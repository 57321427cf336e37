// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The steps of resolving, and the results.
 *
 * resolve() numbers the distinct places of samples and callers, has each object's places looked up
 * together (object.c), splits and checks the entries (entries.c) and makes the frames of call
 * chains (chains.c). Place numbers are indexes in resolution->places; later steps append places and
 * never move one to another number.
 */
#include "profiler/resolve/resolve.h"

#include <stdlib.h>

#include "profiler/base/memory.h"
#include "profiler/base/parallel.h"
#include "profiler/resolve/private.h"

/* ---- places ---- */

struct place_finder {
	struct resolution *resolution;
	uint32_t *slots; /* numbers + 1 by hash; 0: free */
	size_t slot_count;
};

/* The parts of a place's identity besides its object and address. */
struct place_kind {
	bool store;
	bool after;
	bool late;
	int64_t came_from;
};

static bool is_place(const struct resolved_place *place, const struct dso *dso, uint64_t address,
		     struct place_kind kind)
{
	return place->dso == dso && place->shown.address == address && place->store == kind.store &&
	       place->after == kind.after && place->late == kind.late &&
	       place->came_from == kind.came_from;
}

/* Returns the number of a place; adds it if it is new. */
static uint32_t place_number(struct place_finder *finder, struct dso *dso, uint64_t address,
			     struct place_kind kind)
{
	struct resolution *resolution = finder->resolution;
	size_t slot = hash_combine(hash_combine((uintptr_t)dso, address),
				   (uint64_t)kind.came_from << 3 | kind.late << 2 |
					   kind.store << 1 | kind.after) &
		      (finder->slot_count - 1);

	while (finder->slots[slot] &&
	       !is_place(&resolution->places[finder->slots[slot] - 1], dso, address, kind))
		slot = (slot + 1) & (finder->slot_count - 1);
	if (!finder->slots[slot]) {
		array_reserve(resolution->places, resolution->place_count,
			      resolution->place_capacity);
		resolution->places[resolution->place_count++] =
			(struct resolved_place){ .dso = dso,
						 .store = kind.store,
						 .after = kind.after,
						 .late = kind.late,
						 .came_from = kind.came_from,
						 .sampled = address,
						 .shown = { .address = address } };
		finder->slots[slot] = (uint32_t)resolution->place_count;
	}
	return finder->slots[slot] - 1;
}

/*
 * Returns for each event whether its samples are late. They are unless each sample says that it is
 * exact.
 */
static bool *late_events(const struct session *session, enum blame_mode mode)
{
	size_t count;
	const struct event *events = session_events(session, &count);
	bool *late = xcalloc(count, sizeof(*late));

	for (size_t i = 0; i < count; i++) {
		const struct perf_event_attr *attr = &events[i].attr;
		bool of_processor = attr->type != PERF_TYPE_SOFTWARE &&
				    attr->type != PERF_TYPE_TRACEPOINT &&
				    attr->type != PERF_TYPE_BREAKPOINT;

		late[i] = mode != BLAME_SAMPLED &&
			  (event_is_late(&events[i]) || (mode == BLAME_RETIRED && of_processor));
	}
	return late;
}

/* Makes the places of all entries and frames, and counts their samples. */
static void resolve_places(struct resolution *resolution, const struct sample_counts *counts,
			   const struct resolve_options *options, uint32_t **place_of_frame)
{
	_cleanup_free_ bool *late = late_events(
		resolution->session, options->needs & NEED_TYPE ? options->blame : BLAME_SAMPLED);
	struct place_finder finder = { .resolution = resolution, .slot_count = 64 };

	/* There are at most as many places as entries and frames, so the table stays half empty. */
	while (finder.slot_count / 2 < counts->count + counts->frame_count)
		finder.slot_count *= 2;
	finder.slots = xcalloc(finder.slot_count, sizeof(*finder.slots));
	resolution->place_of = xcalloc(counts->count, sizeof(*resolution->place_of));
	for (size_t i = 0; i < counts->count; i++) {
		const struct counted *entry = &counts->entries[i];

		struct place_kind kind = { .store = entry->store,
					   .after = entry->after,
					   .late = late[entry->event] && !entry->exact &&
						   !entry->after };

		kind.came_from = kind.late ? entry->came_from : 0;
		resolution->place_of[i] = place_number(&finder, entry->dso, entry->address, kind);
		resolution->places[resolution->place_of[i]].samples += entry->samples;
	}
	*place_of_frame = xcalloc(counts->frame_count, sizeof(**place_of_frame));
	for (size_t i = 1; i < counts->frame_count; i++)
		(*place_of_frame)[i] =
			place_number(&finder, counts->frames[i].dso, counts->frames[i].address,
				     (struct place_kind){ 0 });
	free(finder.slots);
}

/* ---- results ---- */

static void resolve_sockets(struct resolution *resolution, const struct sample_counts *counts)
{
	int32_t count = 0;

	for (size_t i = 0; i < counts->count; i++)
		if (counts->entries[i].cpu >= count && counts->entries[i].cpu < NUMBER_SET_SIZE)
			count = counts->entries[i].cpu + 1;
	resolution->sockets = xcalloc(NUMBER_SET_SIZE, sizeof(*resolution->sockets));
	for (int32_t cpu = 0; cpu < NUMBER_SET_SIZE; cpu++)
		resolution->sockets[cpu] =
			cpu < count ? session_cpu_socket(resolution->session, cpu) : -1;
}

/*
 * Returns the columns of a field as perf has them: room for the largest number, or for all of a
 * character array.
 */
static unsigned int trace_width(const struct tracepoint_field *field)
{
	unsigned int width = field->is_string ? field->size : 2 * field->size + 2;
	unsigned int longest = 2 * sizeof(uint64_t) + 2;

	return field->is_array || width < longest ? width : longest;
}

static void resolve_traces(struct resolution *resolution, const struct sample_counts *counts,
			   const struct resolve_options *options)
{
	size_t each = options->trace_count;

	resolution->trace_count = each;
	resolution->traces = xcalloc(counts->count * each + 1, sizeof(*resolution->traces));
	for (size_t i = 0; i < counts->count; i++)
		for (size_t t = 0; t < each; t++)
			resolution->traces[i * each + t] = (struct result_trace){
				.value = counts->entries[i].traces[t].value,
				.text = counts->entries[i].traces[t].text,
				.first = counts->entries[i].traces[t].first,
				.width = trace_width(options->traces[t].field)
			};
}

/* Gives the sample to the caller that is kept (--ignore-callees). */
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

struct result resolution_result(const struct resolution *resolution,
				const struct sample_counts *counts, size_t entry)
{
	const struct counted *counted = &counts->entries[entry];
	uint32_t chain = resolution->frame_of ? resolution->frame_of[counted->chain] : 0;
	bool has_socket =
		resolution->sockets && counted->cpu >= 0 && counted->cpu < NUMBER_SET_SIZE;

	struct result result = {
		.place = &resolution->places[resolution->place_of[entry]].shown,
		.data = resolution->data_of ? &resolution->data[resolution->data_of[entry]] : NULL,
		.event = counted->event,
		.level = counted->level,
		.comm = resolution->comms[counted->comm],
		.thread = resolution->needs & NEED_TID
				  ? session_last_name(resolution->session, counted->tid)
				  : NULL,
		.process = resolution->needs & NEED_PID
				   ? session_last_name(resolution->session, counted->pid)
				   : NULL,
		.pid = counted->pid,
		.tid = counted->tid,
		.cpu = counted->cpu,
		.socket = has_socket ? resolution->sockets[counted->cpu] : -1,
		.weight = counted->weight,
		.cgroup_name = session_cgroup_name(resolution->session, counted->cgroup),
		.parent = resolution->parents ? resolution->parents[chain] : NULL,
		.data_source = counted->data_source,
		.data_address = counted->data_address,
		.data_known = counted->data_known,
		.data_shared = counted->data_shared,
		.data_computed = counted->data_computed,
		.traces = resolution->traces ? resolution->traces + entry * resolution->trace_count
					     : NULL,
		.trace_text = counted->trace_text,
		.chain = chain,
		.samples = counted->samples,
		.period = counted->period,
#define COPY(NAME, type, member) .member = counted->member,
		COUNTED_FIELDS(COPY, COPY, NO_FIELD)
#undef COPY
	};

	keep_caller(resolution, &result);
	return result;
}

/* ---- objects ---- */

#define NEED_PLACE (NEED_ADDRESS | NEED_SYMBOL | NEED_SOURCE_LINE | NEED_TYPE | NEED_LANGUAGE)

uint64_t resolve_count_fields(uint64_t needs)
{
	/* clang-format off */
	static const struct {
		uint64_t need;
		uint64_t fields;
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
		{ NEED_DATA_ADDRESS, COUNT_DATA_ADDRESS },
		{ NEED_TRACE, COUNT_TRACE },
#define SAME_NAME(NAME, type, member) { NEED_##NAME, COUNT_##NAME },
		COUNTED_FIELDS(SAME_NAME, SAME_NAME, NO_FIELD)
#undef SAME_NAME
		{ NEED_TRACE_TEXT, COUNT_TRACE_TEXT },
	};
	/* clang-format on */
	uint64_t fields = 0;

	for (size_t i = 0; i < COUNT_OF(table); i++)
		if (needs & table[i].need)
			fields |= table[i].fields;
	return fields;
}

/* Interns the names of comms, so that equal names are one pointer. */
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
			resolution->comms[comm] = string_pool_intern(&resolution->strings,
								     session_comm(session, comm));
	}
}

static int compare_places(const void *left, const void *right, void *data)
{
	const struct resolved_place *places = data;
	const struct resolved_place *a = &places[*(const uint32_t *)left],
				    *b = &places[*(const uint32_t *)right];
	/* Places in no object come first. */
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
	/* At most one problem is of no object. */
	uint32_t first = a->dso ? a->dso->id + 1 : 0, second = b->dso ? b->dso->id + 1 : 0;

	return first < second ? -1 : first > second;
}

/* The objects of all places, in order, each with its places. */
struct object_list {
	struct resolved_object *items;
	size_t count, capacity;
};

/* Lists the objects of the places, which `order` has by object. */
static void list_objects(struct resolution *resolution, const struct resolve_options *options,
			 const uint32_t *order, struct object_list *list)
{
	size_t count = resolution->place_count;

	for (size_t start = 0, end; start < count; start = end) {
		struct dso *dso = resolution->places[order[start]].dso;

		for (end = start + 1; end < count && resolution->places[order[end]].dso == dso;
		     end++)
			;
		array_reserve(list->items, list->count, list->capacity);
		list->items[list->count++] = (struct resolved_object){ .resolution = resolution,
								       .options = options,
								       .dso = dso,
								       .order = order + start,
								       .count = end - start };
	}
}

/* Reads the files of one object. Each thread takes one object at a time. */
static void prepare_object(size_t number, unsigned int thread, void *data)
{
	const struct resolved_object *object = &((const struct object_list *)data)->items[number];
	uint64_t needs = object->options->needs;
	bool has_samples = false;

	(void)thread;
	for (size_t i = 0; i < object->count && !has_samples; i++)
		has_samples = resolved_object_place(object, i)->samples;
	if (object->dso)
		dso_prepare(object->dso, &object->options->dso,
			    needs & (NEED_SYMBOL | NEED_SOURCE_LINE | NEED_CHAIN),
			    needs & (NEED_SOURCE_LINE | NEED_LANGUAGE) ||
				    (needs & NEED_TYPE && has_samples));
}

static struct error *resolve_objects(struct resolution *resolution,
				     const struct resolve_options *options)
{
	size_t count = resolution->place_count, object_count;
	_cleanup_free_ uint32_t *order = xcalloc(count, sizeof(*order));
	_cleanup_free_ struct resolved_object *items = NULL;
	struct object_list list = { 0 };

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_places, resolution->places);
	list_objects(resolution, options, order, &list);
	items = list.items;
	if (options->progress)
		options->progress("Reading objects", NULL);
	object_count = list.count;
	parallel_for(object_count, options->threads ? options->threads : parallel_default_threads(),
		     prepare_object, &list);
	for (size_t i = 0; i < object_count; i++) {
		const struct dso *dso = items[i].dso;

		if (options->progress)
			options->progress("Looking up samples", dso ? dso->short_name : NULL);

		struct error *error = resolve_object(&items[i]);

		if (error)
			return error_prefix(error, "%s", dso ? dso->long_name : "[unknown]");
	}
	if (resolution->problem_count)
		qsort(resolution->problems, resolution->problem_count,
		      sizeof(*resolution->problems), compare_problems);
	return NULL;
}

struct error *resolve(struct session *session, struct sample_counts *counts,
		      const struct resolve_options *options, struct resolution **result)
{
	struct resolution *resolution = xcalloc(1, sizeof(*resolution));
	_cleanup_free_ uint32_t *place_of_frame = NULL;

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
		resolve_kept_callers(resolution, options);
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
	arena_deinit(&resolution->inlined_places);
	free(resolution->parents);
	free(resolution->kept);
	free(resolution->sockets);
	free(resolution->traces);
	free(resolution->problems);
	string_pool_deinit(&resolution->strings);
	free(resolution);
}
