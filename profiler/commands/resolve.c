// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/demangle.h"
#include "profiler/commands/resolve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/annotator.h"
#include "dwarf/debug.h"
#include "dwarf/function.h"
#include "profiler/base/memory.h"
#include "profiler/base/parallel.h"
#include "profiler/base/strbuf.h"
#include "profiler/commands/insn_before.h"
#include "profiler/commands/progress.h"
#include "profiler/commands/resolve_data.h"
#include "profiler/commands/resolve_show.h"

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

/* ---- distinct places ---- */

struct place_finder {
	struct resolution *resolution;
	uint32_t *slots; /* numbers + 1 by hash; 0: free */
	size_t slot_count;
};

/* What tells places apart, besides object and address. */
struct place_kind {
	bool store;
	bool after;
};

static bool is_place(const struct resolved_place *place, const struct dso *dso, uint64_t address,
		     struct place_kind kind)
{
	return place->dso == dso && place->shown.address == address && place->store == kind.store &&
	       place->after == kind.after;
}

static uint32_t place_number(struct place_finder *finder, struct dso *dso, uint64_t address,
			     struct place_kind kind)
{
	struct resolution *resolution = finder->resolution;
	size_t slot = hash_combine(hash_combine((uintptr_t)dso, address), kind.store << 1 | kind.after) &
		      (finder->slot_count - 1);

	while (finder->slots[slot] &&
	       !is_place(&resolution->places[finder->slots[slot] - 1], dso, address, kind))
		slot = (slot + 1) & (finder->slot_count - 1);
	if (!finder->slots[slot]) {
		array_reserve(resolution->places, resolution->place_count, resolution->place_capacity);
		resolution->places[resolution->place_count++] = (struct resolved_place){
			.dso = dso, .store = kind.store, .after = kind.after, .shown = { .address = address }
		};
		finder->slots[slot] = (uint32_t)resolution->place_count;
	}
	return finder->slots[slot] - 1;
}

/* Places of the samples, and of the frames of their chains: *place_of_frame, by number. */
static void find_places(struct resolution *resolution, const struct sample_counts *counts,
			uint32_t **place_of_frame)
{
	struct place_finder finder = { .resolution = resolution, .slot_count = 64 };

	/* at most as many places as entries and frames: a table that is never more than half full */
	while (finder.slot_count / 2 < counts->count + counts->frame_count)
		finder.slot_count *= 2;
	finder.slots = xcalloc(finder.slot_count, sizeof(*finder.slots));
	resolution->place_of = xcalloc(counts->count, sizeof(*resolution->place_of));
	for (size_t i = 0; i < counts->count; i++) {
		const struct counted *entry = &counts->entries[i];

		resolution->place_of[i] = place_number(&finder, entry->dso, entry->address,
						       (struct place_kind){ entry->store, entry->after });
		resolution->places[resolution->place_of[i]].samples += entry->samples;
	}
	*place_of_frame = xcalloc(counts->frame_count, sizeof(**place_of_frame));
	for (size_t i = 1; i < counts->frame_count; i++)
		(*place_of_frame)[i] = place_number(&finder, counts->frames[i].dso, counts->frames[i].address,
						    (struct place_kind){ 0 });
	free(finder.slots);
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
	return a->store != b->store ? a->store - b->store : a->after - b->after;
}

/* ---- one object's places ---- */

struct object {
	struct resolution *resolution;
	const struct resolve_options *options;
	struct dso *dso;
	const uint32_t *order; /* its places, by address */
	size_t count;
	const char *problem;
};

static struct resolved_place *object_place(const struct object *object, size_t i)
{
	return &object->resolution->places[object->order[i]];
}

static const char *intern(const struct object *object, const char *text)
{
	return string_pool_intern(&object->resolution->strings, text);
}

static void name_object(const struct object *object)
{
	const char *name = intern(object, object->dso ? object->dso->short_name : "[unknown]");
	const char *path = object->dso ? intern(object, object->dso->long_name) : NULL;

	for (size_t i = 0; i < object->count; i++) {
		struct result_place *shown = &object_place(object, i)->shown;

		shown->dso = name;
		shown->dso_path = path;
	}
}

const char *resolve_symbol_name(struct resolution *resolution, const char *symbol)
{
	_cleanup_free_ char *readable = resolution->no_demangle ? NULL : demangle(symbol);

	return string_pool_intern(&resolution->strings, readable ? readable : symbol);
}

static void find_symbols(struct object *object)
{
	for (size_t i = 0; i < object->count; i++) {
		struct result_place *shown = &object_place(object, i)->shown;
		const struct symbol *symbol =
			object->dso ? dso_symbol_at(object->dso, &object->options->dso, shown->address)
				    : NULL;

		shown->no_symbol = !symbol;
		if (symbol) {
			shown->symbol = resolve_symbol_name(object->resolution, symbol->name);
			shown->symbol_address = symbol->address;
			shown->symbol_size = symbol->size;
		}
	}
}

static const char *source_line_text(const struct object *object, struct debug_reader *reader, size_t i)
{
	struct result_place *shown = &object_place(object, i)->shown;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	const char *file;
	unsigned int line;

	shown->source_file = intern(object, "");
	if (reader && debug_reader_line(reader, shown->address, &file, &line)) {
		const char *slash = object->options->full_source_path ? NULL : strrchr(file, '/');

		shown->source_file = intern(object, slash ? slash + 1 : file);
		strbuf_add_format(&text, "%s:%u", slash ? slash + 1 : file, line);
	} else if (!object->dso) {
		strbuf_add_string(&text, "??:0");
	} else if (shown->symbol) {
		strbuf_add_format(&text, "%s+%" PRIu64, shown->symbol,
				  shown->address - shown->symbol_address);
	} else {
		strbuf_add_format(&text, "%s[%" PRIx64 "]", shown->dso, shown->address);
	}
	return intern(object, text.data);
}

static struct error *find_language(const struct object *object, struct debug_reader *reader, size_t i)
{
	static const char *const names[] = { [LANGUAGE_C] = "C",
					     [LANGUAGE_CXX] = "C++",
					     [LANGUAGE_RUST] = "Rust",
					     [LANGUAGE_OTHER] = "(another)" };
	struct result_place *shown = &object_place(object, i)->shown;
	struct function *function = NULL;

	if (reader)
		RETURN_ERROR(debug_reader_function(reader, shown->address, &function));
	shown->language = intern(object, function ? names[function->language] : "(unknown)");
	if (function)
		function_destroy(function);
	return NULL;
}

/* Source lines and languages. */
static struct error *find_source(struct object *object)
{
	struct debug_object *debug =
		object->dso ? dso_debug(object->dso, &object->options->dso, &object->problem) : NULL;
	struct debug_reader *reader = NULL;
	struct error *error = NULL;

	if (debug)
		RETURN_ERROR(debug_reader_open(debug, &reader));
	for (size_t i = 0; i < object->count && !error; i++) {
		if (object->options->needs & NEED_SOURCE_LINE)
			object_place(object, i)->shown.source_line = source_line_text(object, reader, i);
		if (object->options->needs & NEED_LANGUAGE)
			error = find_language(object, reader, i);
	}
	if (reader)
		debug_reader_close(reader);
	return error;
}

static struct error *annotate(const struct object *object, const struct elf_image *image,
			      struct debug_object *debug, struct access *accesses)
{
	struct annotator_options options = { .no_infer = object->options->no_infer,
					     .fused = true,
					     .threads = object->options->threads,
					     .story = object->options->story,
					     .story_data = object->options->story_data };
	uint64_t *addresses _cleanup_free_ = xcalloc(object->count, sizeof(*addresses));
	bool *stores _cleanup_free_ = xcalloc(object->count, sizeof(*stores));
	struct annotator *annotator;

	for (size_t i = 0; i < object->count; i++) {
		addresses[i] = object_place(object, i)->shown.address;
		stores[i] = object_place(object, i)->store;
	}
	if (object->options->story_object)
		object->options->story_object(object->options->story_data, object->dso);
	if (object->dso)
		dso_settle_code(object->dso, addresses, object->count);
	RETURN_ERROR(annotator_create(image, debug, &options, &annotator));

	struct error *error = annotator_resolve(annotator, addresses, stores, object->count, accesses);

	annotator_destroy(annotator);
	return error;
}

/* Samples taken behind the access go to where it was made. */
static void find_accesses(const struct object *object)
{
	for (size_t i = 0; i < object->count; i++) {
		struct resolved_place *place = object_place(object, i);

		if (place->after)
			place->lost = !object->dso || !insn_before(object->dso, &object->options->dso,
								   place->store, &place->shown.address);
	}
}

static struct error *find_types_of(struct object *object)
{
	struct access *accesses _cleanup_free_ = xcalloc(object->count, sizeof(*accesses));
	const char *problem = NULL;
	const struct elf_image *image =
		object->dso ? dso_image(object->dso, &object->options->dso, &problem) : NULL;
	struct debug_object *debug = image ? dso_debug(object->dso, &object->options->dso, &problem) : NULL;

	if (image)
		RETURN_ERROR(annotate(object, image, debug, accesses));
	for (size_t i = 0; i < object->count; i++) {
		struct resolved_place *place = object_place(object, i);

		if (!image)
			accesses[i] = (struct access){ .address = place->shown.address,
						       .kind = ACCESS_NO_CODE,
						       .reason = REASON_NO_OBJECT };
		place->access = accesses[i];
		if (place->lost)
			access_fail(&place->access, REASON_BEHIND);
		resolve_show_access(&object->resolution->strings, place);
	}
	object->problem = problem;
	return NULL;
}

/* Of the places that have samples; callers make no access. */
static struct error *find_types(struct object *object)
{
	uint32_t *order _cleanup_free_ = xcalloc(object->count, sizeof(*order));
	struct object sampled = *object;
	struct error *error;

	sampled.order = order;
	sampled.count = 0;
	for (size_t i = 0; i < object->count; i++)
		if (object_place(object, i)->samples)
			order[sampled.count++] = object->order[i];
	error = sampled.count ? find_types_of(&sampled) : NULL;
	object->problem = sampled.problem;
	return error;
}

static void add_problem(struct object *object)
{
	struct resolution *resolution = object->resolution;
	uint64_t samples = 0;

	const char *message = object->dso ? dso_symbol_problem(object->dso) : NULL;

	/* for some there never is a file with debug information */
	if (!message && object->dso && object->dso->kind != DSO_ANONYMOUS && object->dso->kind != DSO_VDSO &&
	    object->dso->kind != DSO_UNKNOWN)
		message = object->problem;
	if (!message)
		return;
	for (size_t i = 0; i < object->count; i++)
		samples += object_place(object, i)->samples;
	if (!samples)
		return;
	array_reserve(resolution->problems, resolution->problem_count, resolution->problem_capacity);
	resolution->problems[resolution->problem_count++] =
		(struct resolve_problem){ .dso = object->dso, .message = message, .samples = samples };
}

static struct error *resolve_object(struct object *object)
{
	unsigned int needs = object->options->needs;

	name_object(object);
	find_accesses(object);
	if (needs & (NEED_SYMBOL | NEED_SOURCE_LINE | NEED_CHAIN))
		find_symbols(object);
	if (needs & (NEED_SOURCE_LINE | NEED_LANGUAGE))
		RETURN_ERROR(find_source(object));
	if (needs & NEED_TYPE)
		RETURN_ERROR(find_types(object));
	add_problem(object);
	return NULL;
}

static int compare_problems(const void *left, const void *right)
{
	const struct resolve_problem *a = left, *b = right;

	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	return a->dso->id < b->dso->id ? -1 : a->dso->id > b->dso->id;
}

/* Objects that follow each other, each with its places. */
struct object_list {
	struct object *items;
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
		list->items[list->count++] = (struct object){ .resolution = resolution,
							      .options = options,
							      .dso = dso,
							      .order = order + start,
							      .count = end - start };
	}
}

/* What is read of each object's files is read by all threads, an object each. */
static void prepare(size_t number, unsigned int thread, void *data)
{
	const struct object *object = &((const struct object_list *)data)->items[number];
	unsigned int needs = object->options->needs;
	bool has_samples = false;

	(void)thread;
	for (size_t i = 0; i < object->count && !has_samples; i++)
		has_samples = object_place(object, i)->samples;
	if (object->dso)
		dso_prepare(object->dso, &object->options->dso,
			    needs & (NEED_SYMBOL | NEED_SOURCE_LINE | NEED_CHAIN),
			    needs & (NEED_SOURCE_LINE | NEED_LANGUAGE) || (needs & NEED_TYPE && has_samples));
}

static struct error *resolve_objects(struct resolution *resolution, const struct resolve_options *options)
{
	size_t count = resolution->place_count;
	uint32_t *order _cleanup_free_ = xcalloc(count, sizeof(*order));
	struct object *items _cleanup_free_ = NULL;
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

struct error *resolve(struct session *session, const struct sample_counts *counts,
		      const struct resolve_options *options, struct resolution **result)
{
	struct resolution *resolution = xcalloc(1, sizeof(*resolution));
	uint32_t *place_of_frame _cleanup_free_ = NULL;

	resolution->session = session;
	resolution->needs = options->needs;
	resolution->no_demangle = options->no_demangle;
	find_comms(resolution, session, counts);
	find_places(resolution, counts, &place_of_frame);

	struct error *error = resolve_objects(resolution, options);

	if (error) {
		resolution_destroy(resolution);
		return error;
	}
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
