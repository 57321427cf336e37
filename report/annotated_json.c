// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdlib.h>

#include "profiler/base/memory.h"
#include "report/annotated_machine.h"
#include "report/field_figures.h"
#include "report/struct_layout.h"

#define DEPTH_MAX 64 /* of members: json.h has a limit of its own */

static void add_figures(const struct annotated_type *type, const struct access_count *counts,
			struct json *json)
{
	field_figures_json(json, counts, type->lines[0].counts, type->event_count);
}

static void add_parts(const struct annotated_type *type, const struct annotated_line *line, struct json *json)
{
	json_array(json, "parts");
	for (size_t i = 0; i < line->part_count; i++) {
		const struct annotated_part *part = &line->parts[i];

		json_object(json, NULL);
		json_string(json, "label", part->label);
		if (part->offset >= 0)
			json_signed(json, "offset", part->offset);
		add_figures(type, part->counts, json);
		json_end(json);
	}
	json_end(json);
}

static void add_threads(const struct annotated_line *line, struct json *json)
{
	json_array(json, "threads");
	for (size_t i = 0; i < line->thread_count; i++) {
		json_object(json, NULL);
		json_signed(json, "tid", line->threads[i].id);
		json_unsigned(json, "loads", line->threads[i].loads);
		json_unsigned(json, "stores", line->threads[i].stores);
		json_end(json);
	}
	json_end(json);
}

static void add_gap(const char *name, struct layout_gap gap, struct json *json)
{
	if (!gap.bits && !gap.bytes)
		return;
	json_object(json, name);
	json_unsigned(json, "bits", gap.bits);
	json_unsigned(json, "bytes", gap.bytes);
	json_end(json);
}

static void add_members(const struct annotated_type *type, size_t record, struct json *json);

static void add_member(const struct annotated_type *type, size_t index, struct json *json)
{
	const struct annotated_line *line = &type->lines[index];

	json_object(json, NULL);
	json_string(json, "name", line->name);
	json_string(json, "type", line->type);
	json_signed(json, "offset", line->offset);
	json_unsigned(json, "size", line->size);
	if (line->bit_size) {
		json_unsigned(json, "bit_offset", line->bit_offset);
		json_unsigned(json, "bit_size", line->bit_size);
	}
	if (line->is_base)
		json_bool(json, "base", true);
	if (line->is_variant)
		json_bool(json, "variant", true);
	add_figures(type, line->counts, json);
	if (line->part_count)
		add_parts(type, line, json);
	if (line->thread_count)
		add_threads(line, json);
	if (line->opens && line->depth < DEPTH_MAX)
		add_members(type, index, json);
	json_end(json);
}

static void add_members(const struct annotated_type *type, size_t record, struct json *json)
{
	json_array(json, "members");
	for (size_t i = record + 1, end = annotated_line_end(type, record); i < end;
	     i = annotated_line_end(type, i))
		add_member(type, i, json);
	json_end(json);
}

static void add_cachelines(const struct annotated_type *type, struct json *json)
{
	json_array(json, "cachelines");
	for (size_t i = 0; i < type->cacheline_count; i++) {
		json_object(json, NULL);
		json_unsigned(json, "number", type->cachelines[i].number);
		add_figures(type, type->cachelines[i].counts, json);
		json_end(json);
	}
	json_end(json);
}

static void add_numbers(const char *name, const int32_t *threads, size_t count, struct json *json)
{
	json_array(json, name);
	for (size_t i = 0; i < count; i++)
		json_signed(json, NULL, threads[i]);
	json_end(json);
}

static void add_sharings(const struct annotated_type *type, struct json *json)
{
	json_unsigned(json, "objects", type->objects);
	json_unsigned(json, "aligned_objects", type->aligned_objects);
	json_array(json, "false_sharing");
	for (size_t i = 0; i < type->sharing_count; i++) {
		const struct annotated_sharing *sharing = &type->sharings[i];

		json_object(json, NULL);
		json_string(json, "field", sharing->field);
		add_numbers("writers", sharing->writers, sharing->writer_count, json);
		json_array(json, "neighbours");
		for (size_t j = 0; j < sharing->neighbour_count; j++)
			json_string(json, NULL, sharing->neighbours[j]);
		json_end(json);
		add_numbers("threads", sharing->threads, sharing->thread_count, json);
		json_unsigned(json, "cachelines", sharing->cachelines);
		json_end(json);
	}
	json_end(json);
}

static void add_hole(const struct annotated_line *line, struct layout_fill *fill, struct json *json)
{
	struct layout_gap gap = layout_gap(fill, line, 0, 0);

	if (gap.bits || gap.bytes) {
		json_object(json, NULL);
		json_string(json, "before", line->name);
		json_unsigned(json, "offset", fill->end / 8);
		json_unsigned(json, "bits", gap.bits);
		json_unsigned(json, "bytes", gap.bytes);
		json_end(json);
	}
	layout_take(fill, line, 0);
}

/* Gaps between the members of the type itself; those of nested records follow from their offsets and sizes.
 */
static void add_gaps(const struct annotated_type *type, struct json *json)
{
	const struct annotated_line *record = &type->lines[0];
	struct layout_fill fill = { 0 };
	size_t count;
	size_t *members _cleanup_free_ = layout_members(type, 0, &count);

	json_array(json, "holes");
	for (size_t i = 0; i < count && !record->is_union; i++)
		if (!layout_is_empty(type, members[i]) && !type->lines[members[i]].is_variant)
			add_hole(&type->lines[members[i]], &fill, json);
	json_end(json);
	if (type->virtual_bases)
		json_string(json, "virtual_bases", type->virtual_bases);
	add_gap("padding",
		layout_gap(&fill, NULL, 0, record->element_size ? record->element_size : record->size), json);
}

void print_annotated_type_json(const struct annotated_type *type, const struct annotated_options *options,
			       struct json *json)
{
	json_object(json, NULL);
	json_string(json, "name", type->name);
	json_string(json, "object", type->object);
	json_unsigned(json, "size", type->lines[0].size);
	json_unsigned(json, "samples", type->samples);
	json_unsigned(json, "cacheline", options->cacheline);
	json_array(json, "events");
	for (uint32_t event = 0; event < type->event_count; event++)
		json_string(json, NULL, type->events[event]);
	json_end(json);
	add_figures(type, type->lines[0].counts, json);
	if (type->lines[0].part_count)
		add_parts(type, &type->lines[0], json);
	if (type->lines[0].opens) {
		add_members(type, 0, json);
		if (type->cacheline_count)
			add_gaps(type, json);
	}
	if (type->cacheline_count)
		add_cachelines(type, json);
	if (type->addressed)
		add_sharings(type, json);
	json_end(json);
}
