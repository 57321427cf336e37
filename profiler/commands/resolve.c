// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/demangle.h"
#include "profiler/commands/resolve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/annotator.h"
#include "annotate/member.h"
#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"
#include "profiler/commands/progress.h"

#define NEED_PLACE (NEED_ADDRESS | NEED_SYMBOL | NEED_SOURCE_LINE | NEED_TYPE)

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
		{ NEED_TYPE, COUNT_STORE },
		{ NEED_DATA_SOURCE, COUNT_DATA_SOURCE },
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

static bool is_place_of(const struct resolved_place *place, const struct counted *entry)
{
	return place->dso == entry->dso && place->shown.address == entry->address &&
	       place->store == entry->store;
}

static void find_places(struct resolution *resolution, const struct sample_counts *counts)
{
	size_t slot_count = 64, capacity = 0;
	uint32_t *slots;

	/* at most as many places as entries: a table that is never more than half full */
	while (slot_count / 2 < counts->count)
		slot_count *= 2;
	slots = xcalloc(slot_count, sizeof(*slots));
	resolution->place_of = xcalloc(counts->count, sizeof(*resolution->place_of));
	for (size_t i = 0; i < counts->count; i++) {
		const struct counted *entry = &counts->entries[i];
		size_t slot =
			hash_combine(hash_combine((uintptr_t)entry->dso, entry->address), entry->store) &
			(slot_count - 1);

		while (slots[slot] && !is_place_of(&resolution->places[slots[slot] - 1], entry))
			slot = (slot + 1) & (slot_count - 1);
		if (!slots[slot]) {
			array_reserve(resolution->places, resolution->place_count, capacity);
			resolution->places[resolution->place_count++] =
				(struct resolved_place){ .dso = entry->dso,
							 .store = entry->store,
							 .shown = { .address = entry->address } };
			slots[slot] = resolution->place_count;
		}
		resolution->place_of[i] = slots[slot] - 1;
		resolution->places[slots[slot] - 1].samples += entry->samples;
	}
	free(slots);
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
	return a->store - b->store;
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
	for (size_t i = 0; i < object->count; i++) {
		struct result_place *shown = &object_place(object, i)->shown;

		shown->dso = intern(object, object->dso ? object->dso->short_name : "[unknown]");
		shown->dso_path = object->dso ? intern(object, object->dso->long_name) : NULL;
	}
}

static void find_symbols(const struct object *object)
{
	for (size_t i = 0; i < object->count; i++) {
		struct result_place *shown = &object_place(object, i)->shown;
		const struct symbol *symbol =
			object->dso ? dso_symbol_at(object->dso, &object->options->dso, shown->address)
				    : NULL;

		shown->no_symbol = !symbol;
		if (symbol) {
			_cleanup_free_ char *readable = demangle(symbol->name);

			shown->symbol = intern(object, readable ? readable : symbol->name);
			shown->symbol_address = symbol->address;
		}
	}
}

static const char *source_line_text(const struct object *object, struct debug_reader *reader, size_t i)
{
	const struct result_place *shown = &object_place(object, i)->shown;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	const char *file;
	unsigned int line;

	if (reader && debug_reader_line(reader, shown->address, &file, &line)) {
		const char *slash = object->options->full_source_path ? NULL : strrchr(file, '/');

		strbuf_add_format(&text, "%s:%u", slash ? slash + 1 : file, line);
	} else if (!object->dso) {
		strbuf_add_string(&text, "??:0");
	} else if (shown->symbol) {
		strbuf_add_format(&text, "%s+0x%" PRIx64, shown->symbol,
				  shown->address - shown->symbol_address);
	} else {
		strbuf_add_format(&text, "%s[%" PRIx64 "]", shown->dso, shown->address);
	}
	return intern(object, text.data);
}

static struct error *find_source_lines(struct object *object)
{
	struct debug_object *debug =
		object->dso ? dso_debug(object->dso, &object->options->dso, &object->problem) : NULL;
	struct debug_reader *reader = NULL;

	if (debug)
		RETURN_ERROR(debug_reader_open(debug, &reader));
	for (size_t i = 0; i < object->count; i++)
		object_place(object, i)->shown.source_line = source_line_text(object, reader, i);
	if (reader)
		debug_reader_close(reader);
	return NULL;
}

static struct error *annotate(const struct object *object, const struct elf_image *image,
			      struct debug_object *debug, struct access *accesses)
{
	struct annotator_options options = { .no_infer = object->options->no_infer,
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
	RETURN_ERROR(annotator_create(image, debug, &options, &annotator));

	struct error *error = annotator_resolve(annotator, addresses, stores, object->count, accesses);

	annotator_destroy(annotator);
	return error;
}

static const char *access_text(const struct object *object, const struct access *access)
{
	const char *direction = access->read && access->write ? "rmw" : access->write ? "store" : "load";
	char text[32];

	if (access->kind == ACCESS_NO_MEMORY || (!access->read && !access->write))
		return intern(object, "-");
	if (access->size)
		snprintf(text, sizeof(text), "%s %u", direction, access->size);
	else
		snprintf(text, sizeof(text), "%s", direction);
	return intern(object, text);
}

static const char *how_text(const struct object *object, const struct access *access)
{
	char text[96];

	switch (access->kind) {
	case ACCESS_TYPE: return intern(object, access_how_name(access->how));
	case ACCESS_UNKNOWN:
	case ACCESS_NO_CODE:
		snprintf(text, sizeof(text), "(%s)", access_reason_name(access->reason));
		return intern(object, text);
	default: return intern(object, access_type_name(access));
	}
}

static void show_access(const struct object *object, struct resolved_place *place)
{
	struct strbuf field _cleanup_strbuf_ = STRBUF_INIT;
	const struct access *access = &place->access;

	place->shown.type = intern(object, access_type_name(access));
	place->shown.access = access_text(object, access);
	place->shown.how = how_text(object, access);
	if (access->kind != ACCESS_TYPE)
		return;
	place->shown.typed = true;
	place->shown.offset = access->offset;
	if (member_path(access->type, access->offset, access->size, &field))
		place->shown.field = intern(object, field.data);
}

static struct error *find_types(struct object *object)
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
		show_access(object, place);
	}
	object->problem = problem;
	return NULL;
}

static void add_problem(struct object *object)
{
	struct resolution *resolution = object->resolution;
	uint64_t samples = 0;

	if (!object->dso || !object->problem)
		return;
	/* there never is a file with debug information for these */
	if (object->dso->kind == DSO_ANONYMOUS || object->dso->kind == DSO_VDSO ||
	    object->dso->kind == DSO_UNKNOWN)
		return;
	for (size_t i = 0; i < object->count; i++)
		samples += object_place(object, i)->samples;
	array_reserve(resolution->problems, resolution->problem_count, resolution->problem_capacity);
	resolution->problems[resolution->problem_count++] = (struct resolve_problem){
		.dso = object->dso, .message = object->problem, .samples = samples
	};
}

static struct error *resolve_object(struct object *object)
{
	unsigned int needs = object->options->needs;

	name_object(object);
	if (needs & (NEED_SYMBOL | NEED_SOURCE_LINE))
		find_symbols(object);
	if (needs & NEED_SOURCE_LINE)
		RETURN_ERROR(find_source_lines(object));
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

static struct error *resolve_objects(struct resolution *resolution, const struct resolve_options *options)
{
	size_t count = resolution->place_count;
	uint32_t *order _cleanup_free_ = xcalloc(count, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_places, resolution->places);
	for (size_t start = 0, end; start < count; start = end) {
		struct object object = { .resolution = resolution,
					 .options = options,
					 .dso = resolution->places[order[start]].dso,
					 .order = order + start };

		for (end = start + 1; end < count && resolution->places[order[end]].dso == object.dso; end++)
			;
		object.count = end - start;
		progress_show("Looking up samples", object.dso ? object.dso->short_name : NULL);

		struct error *error = resolve_object(&object);

		if (error)
			return error_prefix(error, "%s", object.dso ? object.dso->long_name : "[unknown]");
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

	find_comms(resolution, session, counts);
	find_places(resolution, counts);

	struct error *error = resolve_objects(resolution, options);

	if (error) {
		resolution_destroy(resolution);
		return error;
	}
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
	free(resolution->problems);
	string_pool_release(&resolution->strings);
	free(resolution);
}

struct result resolution_result(const struct resolution *resolution, const struct sample_counts *counts,
				size_t entry)
{
	const struct counted *counted = &counts->entries[entry];

	return (struct result){
		.place = &resolution->places[resolution->place_of[entry]].shown,
		.event = counted->event,
		.level = counted->level,
		.comm = resolution->comms[counted->comm],
		.pid = counted->pid,
		.tid = counted->tid,
		.cpu = counted->cpu,
		.weight = counted->weight,
		.data_source = counted->data_source,
		.samples = counted->samples,
		.period = counted->period,
	};
}
