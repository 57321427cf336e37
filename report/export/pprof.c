// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pprof format: one message Profile of profile.proto, compressed by gzip.
 *
 * Every distinct text, function, location and mapping of the profile is one message, whose number
 * is its index + 1. Samples name locations, from the leaf on. Types and fields can be frames
 * (type_frames); they are labels in any case.
 */
#include <inttypes.h>

#include "profile.pb-c.h"
#include "base/memory.h"
#include "report/export/export.h"
#include "report/json.h"

#define LABELS_MAX 10

struct pprof_writer {
	const struct export_profile *profile;
	struct arena arena; /* messages and texts */
	struct numbering texts, functions, locations, mappings;
	struct message_list samples, types;
	size_t value_count;
};

static uint64_t mapping_id(struct pprof_writer *writer, const struct result_place *place)
{
	const char *path = place->dso_path ?: place->dso;
	uint32_t number;
	Pprof__Mapping *mapping = numbering_new(&writer->mappings, sizeof(*mapping), &number, "%s",
						path ?: "[unknown]");

	if (mapping) {
		pprof__mapping__init(mapping);
		mapping->id = number + 1;
		mapping->filename = numbering_text(&writer->texts, path ?: "[unknown]");
		mapping->build_id =
			numbering_text(&writer->texts, export_build_id(writer->profile, path));
		/* symbols are in the profile, so nobody needs to look for the file */
		mapping->has_functions = mapping->has_filenames = mapping->has_line_numbers = true;
		mapping->has_inline_frames = true;
	}
	return number + 1;
}

/* pprof takes the first mapping for the program: the object with the most samples, but for those in
 * brackets, such as a kernel, if there is another one. */
static void add_program(struct pprof_writer *writer)
{
	const struct export_profile *profile = writer->profile;
	const struct result_place *program = NULL;
	struct numbering paths = { 0 };
	uint64_t *samples = xcalloc(profile->row_count + 1, sizeof(*samples)), most = 0;
	bool created;

	array_each (const struct export_row, row, profile->rows, profile->row_count) {
		const char *path = row->place->dso_path;
		uint64_t *sum;

		if (!path || *path == '[')
			continue;
		sum = &samples[numbering_get(&paths, path, &created)];
		*sum += row->samples;
		program = *sum > most ? row->place : program;
		most = *sum > most ? *sum : most;
	}
	if (program)
		mapping_id(writer, program);
	free(samples);
	numbering_deinit(&paths);
}

static uint64_t function_id(struct pprof_writer *writer, const char *name, const char *file)
{
	uint32_t number;
	Pprof__Function *function = numbering_new(&writer->functions, sizeof(*function), &number,
						  "%s\n%s", name, file ?: "");

	if (function) {
		pprof__function__init(function);
		function->id = number + 1;
		function->name = function->system_name = numbering_text(&writer->texts, name);
		function->filename = numbering_text(&writer->texts, file);
	}
	return number + 1;
}

/* Returns the id of a frame's location. Types and fields have no address and no mapping. */
static uint64_t location_id(struct pprof_writer *writer, const struct export_frame *frame)
{
	const struct result_place *place = frame->place;
	const char *file = place ? place->source_file : NULL;
	uint32_t line = place ? export_line(place) : 0;
	uint32_t number;
	Pprof__Location *location =
		place ? numbering_new(&writer->locations, sizeof(*location), &number,
				      "%s\n%s\n%" PRIx64 "\n%" PRIu32 "\n%s", frame->name,
				      place->dso ?: "", place->address, line, file ?: "")
		      : numbering_new(&writer->locations, sizeof(*location), &number, "type\n%s",
				      frame->name);

	if (location) {
		Pprof__Line *text = arena_alloc(&writer->arena, sizeof(*text));

		pprof__location__init(location);
		pprof__line__init(text);
		location->id = number + 1;
		location->mapping_id = place ? mapping_id(writer, place) : 0;
		location->address = place ? place->address : 0;
		text->function_id = function_id(writer, frame->name, line ? file : NULL);
		text->line = line;
		location->n_line = 1;
		location->line = arena_alloc(&writer->arena, sizeof(Pprof__Line *));
		location->line[0] = text;
	}
	return number + 1;
}

/* ---- samples ---- */

static void add_label(struct pprof_writer *writer, Pprof__Sample *sample, const char *key,
		      const char *text, int64_t number)
{
	Pprof__Label *label = arena_alloc(&writer->arena, sizeof(*label));

	pprof__label__init(label);
	label->key = numbering_text(&writer->texts, key);
	label->str = text ? numbering_text(&writer->texts, text) : 0;
	label->num = text ? 0 : number;
	sample->label[sample->n_label++] = label;
}

static void add_labels(struct pprof_writer *writer, Pprof__Sample *sample,
		       const struct export_row *row)
{
	const struct result_place *place = row->place;

	sample->label = arena_alloc(&writer->arena, LABELS_MAX * sizeof(*sample->label));
	add_label(writer, sample, "type", place->type, 0);
	if (place->typed) {
		if (place->field)
			add_label(writer, sample, "field", place->field, 0);
		if (!row->span.size)
			add_label(writer, sample, "offset", NULL, row->span.offset);
	}
	if (place->how)
		add_label(writer, sample, "how", place->how, 0);
	if (place->blame)
		add_label(writer, sample, "blame", place->blame, 0);
	add_label(writer, sample, "object", place->dso ?: "[unknown]", 0);
	add_label(writer, sample, "thread", row->comm, 0);
	add_label(writer, sample, "tid", NULL, row->tid);
	add_label(writer, sample, "pid", NULL, row->pid);
}

/* Adds a sample with its values: samples, the period of each event, latency, loads, stores. */
static void add_sample(struct pprof_writer *writer, const struct export_row *row)
{
	struct export_frame frames[EXPORT_FRAMES_MAX];
	size_t depth = export_stack(writer->profile, row, frames);
	Pprof__Sample *sample = message_list_new(&writer->samples, &writer->arena, sizeof(*sample));

	pprof__sample__init(sample);
	sample->location_id = arena_alloc(&writer->arena, depth * sizeof(*sample->location_id));
	sample->n_location_id = depth;
	for (size_t i = 0; i < depth; i++)
		sample->location_id[i] = location_id(writer, &frames[i]);
	sample->value = arena_alloc(&writer->arena, writer->value_count * sizeof(*sample->value));
	sample->n_value = writer->value_count;
	sample->value[0] = (int64_t)row->samples;
	sample->value[1 + row->event] = (int64_t)row->period;
	sample->value[writer->value_count - 3] = (int64_t)row->latency;
	sample->value[writer->value_count - 2] = (int64_t)row->loads;
	sample->value[writer->value_count - 1] = (int64_t)row->stores;
	add_labels(writer, sample, row);
}

static void add_value_type(struct pprof_writer *writer, const char *type, const char *unit)
{
	Pprof__ValueType *value = message_list_new(&writer->types, &writer->arena, sizeof(*value));

	pprof__value_type__init(value);
	value->type = numbering_text(&writer->texts, type);
	value->unit = numbering_text(&writer->texts, unit);
}

static void add_value_types(struct pprof_writer *writer)
{
	const struct export_profile *profile = writer->profile;

	add_value_type(writer, "samples", "count");
	for (size_t i = 0; i < profile->event_count; i++)
		add_value_type(writer, profile->events[i].name,
			       profile->events[i].is_time ? "nanoseconds" : "count");
	add_value_type(writer, "latency", "cycles");
	add_value_type(writer, "loads", "count");
	add_value_type(writer, "stores", "count");
	writer->value_count = writer->types.count;
}

/* ---- the file ---- */

static struct error *pprof_pack(struct pprof_writer *writer, export_sink *sink, void *data)
{
	const struct export_profile *profile = writer->profile;
	Pprof__Profile message = PPROF__PROFILE__INIT;
	int64_t comment = numbering_text(&writer->texts, profile->command);

	message.sample_type = (Pprof__ValueType **)writer->types.items;
	message.n_sample_type = writer->types.count;
	message.sample = (Pprof__Sample **)writer->samples.items;
	message.n_sample = writer->samples.count;
	message.mapping = (Pprof__Mapping **)writer->mappings.items;
	message.n_mapping = writer->mappings.count;
	message.location = (Pprof__Location **)writer->locations.items;
	message.n_location = writer->locations.count;
	message.function = (Pprof__Function **)writer->functions.items;
	message.n_function = writer->functions.count;
	message.duration_nanos = (int64_t)profile->duration;
	if (profile->command) {
		message.comment = &comment;
		message.n_comment = 1;
	}
	if (writer->types.count > 1)
		message.default_sample_type = ((Pprof__ValueType *)writer->types.items[1])->type;
	message.string_table = (char **)writer->texts.items;
	message.n_string_table = writer->texts.count;

	size_t length = pprof__profile__get_packed_size(&message);
	_cleanup_free_ uint8_t *bytes = xmalloc(length + 1);
	struct gzip_sink *gzip;

	pprof__profile__pack(&message, bytes);
	RETURN_ERROR(gzip_sink_create(sink, data, GZIP_DEFAULT, &gzip));
	gzip_sink_add(gzip, (const char *)bytes, length);
	return gzip_sink_destroy(gzip);
}

static struct error *write_pprof(const struct export_profile *profile, export_sink *sink,
				 void *data)
{
	struct pprof_writer writer = { .profile = profile };

	numbering_text(&writer.texts, "");
	add_value_types(&writer);
	add_program(&writer);
	for (size_t i = 0; i < profile->row_count; i++)
		add_sample(&writer, &profile->rows[i]);

	struct error *error = pprof_pack(&writer, sink, data);

	free_all(writer.samples.items, writer.types.items);
	numbering_deinit(&writer.texts);
	numbering_deinit(&writer.functions);
	numbering_deinit(&writer.locations);
	numbering_deinit(&writer.mappings);
	arena_deinit(&writer.arena);
	return error;
}

const struct export_format export_pprof = {
	.name = "pprof",
	.summary = "profile.proto, compressed: for go tool pprof",
	.binary = true,
	.dated = true,
	.write = write_pprof,
};
