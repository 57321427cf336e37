// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints annotated types and code for programs, as JSON and as comma-separated values
 * (annotated.h).
 */
#include "report/print/annotated.h"

#include <inttypes.h>

#include "base/memory.h"
#include "report/json.h"
#include "report/text.h"

/* ---- figures ---- */

/* The figures of a field in the order of CSV columns. The percentage comes after the first two. */
static const struct figure {
	const char *name;
	size_t offset;
} figures[] = {
/* clang-format off */
#define FIGURE(name) { #name, offsetof(struct access_count, name) }
	/* clang-format on */
	FIGURE(samples), FIGURE(period),  FIGURE(weight), FIGURE(weight_max), FIGURE(loads),
	FIGURE(stores),  FIGURE(sourced), FIGURE(l1),     FIGURE(l2),         FIGURE(l3),
	FIGURE(ram),     FIGURE(remote),  FIGURE(hitm),   FIGURE(tlb_misses), FIGURE(locked)
};

#define FIGURES       COUNT_OF(figures)
#define BEFORE_SHARES 2

static uint64_t value_of(const struct access_count *count, size_t figure)
{
	return *(const uint64_t *)((const char *)count + figures[figure].offset);
}

static double annotated_machine_share(const struct access_count *count,
				      const struct access_count *total)
{
	return percent_of(count->period, total->period);
}

static void annotated_machine_add_name(const char *name, const char *event, struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_add_string(&text, name);
	if (event)
		strbuf_add_format(&text, ":%s", event);
	csv_add_next(buffer, text.data);
}

/* Appends ",samples,period,...", with ":EVENT" after each name if there are several events. */
static void field_figures_csv_heading(const char *const *events, size_t event_count,
				      struct strbuf *buffer)
{
	for (size_t event = 0; event < event_count; event++) {
		const char *name = event_count > 1 ? events[event] : NULL;

		for (size_t i = 0; i < FIGURES; i++) {
			if (i == BEFORE_SHARES)
				annotated_machine_add_name("percent", name, buffer);
			annotated_machine_add_name(figures[i].name, name, buffer);
		}
	}
}

static void field_figures_csv(const struct access_count *counts, const struct access_count *totals,
			      size_t event_count, struct strbuf *buffer)
{
	for (size_t event = 0; event < event_count; event++)
		for (size_t i = 0; i < FIGURES; i++) {
			if (i == BEFORE_SHARES)
				strbuf_add_format(
					buffer, ",%.6g",
					annotated_machine_share(&counts[event], &totals[event]));
			strbuf_add_format(buffer, ",%" PRIu64, value_of(&counts[event], i));
		}
}

/* ---- types as JSON ---- */

#define DEPTH_MAX 64 /* deeper members are left out: JSON_DEPTH_MAX bounds nesting */

/* Adds an array "figures" with one object for each event. Percentages are shares of the type's. */
static void add_figures(const struct annotated_type *type, const struct access_count *counts,
			struct json *json)
{
	json_each (json, "figures", const struct access_count, count, counts, type->event_count) {
		for (size_t i = 0; i < FIGURES; i++)
			json_unsigned(json, figures[i].name, value_of(count, i));
		json_double(json, "percent",
			    annotated_machine_share(count, &type->lines[0].counts[count - counts]));
	}
}

static void add_parts(const struct annotated_type *type, const struct annotated_line *line,
		      struct json *json)
{
	json_each (json, "parts", const struct annotated_part, part, line->parts,
		   line->part_count) {
		json_string(json, "label", part->label);
		if (part->offset >= 0)
			json_signed(json, "offset", part->offset);
		if (part->size)
			json_unsigned(json, "size", part->size);
		add_figures(type, part->counts, json);
	}
}

static void annotated_machine_add_threads(const struct annotated_line *line, struct json *json)
{
	json_each (json, "threads", const struct annotated_thread, thread, line->threads,
		   line->thread_count) {
		json_signed(json, "tid", thread->id);
		json_unsigned(json, "loads", thread->loads);
		json_unsigned(json, "stores", thread->stores);
	}
}

static void annotated_machine_add_gap(const char *name, struct layout_gap gap, struct json *json)
{
	if (!gap.bits && !gap.bytes)
		return;
	json_object(json, name);
	json_unsigned(json, "bits", gap.bits);
	json_unsigned(json, "bytes", gap.bytes);
	json_end(json);
}

static void add_members(const struct annotated_type *type, size_t record, struct json *json);

static void annotated_machine_add_member(const struct annotated_type *type, size_t index,
					 struct json *json)
{
	const struct annotated_line *line = &type->lines[index];

	json_object(json, NULL);
	json_string(json, "name", line->name);
	json_string(json, "type", line->type);
	json_signed(json, "offset", line->offset);
	json_size(json, line->size, line->is_unsized);
	if (line->bit_size) {
		json_unsigned(json, "bit_offset", line->bit_offset);
		json_unsigned(json, "bit_size", line->bit_size);
	}
	if (line->is_unit)
		json_bool(json, "unit", true);
	if (line->is_base)
		json_bool(json, "base", true);
	if (line->is_variant)
		json_bool(json, "variant", true);
	add_figures(type, line->counts, json);
	if (line->part_count)
		add_parts(type, line, json);
	if (line->thread_count)
		annotated_machine_add_threads(line, json);
	if (line->opens && line->depth < DEPTH_MAX)
		add_members(type, index, json);
	json_end(json);
}

static void add_members(const struct annotated_type *type, size_t record, struct json *json)
{
	json_array(json, "members");
	for (size_t i = record + 1, end = annotated_line_end(type, record); i < end;
	     i = annotated_line_end(type, i))
		annotated_machine_add_member(type, i, json);
	json_end(json);
}

static void add_cachelines(const struct annotated_type *type, struct json *json)
{
	json_each (json, "cachelines", const struct annotated_cacheline, line, type->cachelines,
		   type->cacheline_count) {
		if (line->first == line->last)
			json_unsigned(json, "number", line->first);
		else
			json_lines(json, "somewhere_in", line->first, line->last);
		add_figures(type, line->counts, json);
	}
}

static void annotated_machine_add_numbers(const char *name, const int32_t *threads, size_t count,
					  struct json *json)
{
	json_array(json, name);
	for (size_t i = 0; i < count; i++)
		json_signed(json, NULL, threads[i]);
	json_end(json);
}

static void annotated_machine_add_sharings(const struct annotated_type *type, struct json *json)
{
	json_unsigned(json, "objects", type->objects);
	json_unsigned(json, "aligned_objects", type->aligned_objects);
	json_each (json, "false_sharing", const struct annotated_sharing, sharing, type->sharings,
		   type->sharing_count) {
		json_string(json, "field", sharing->field);
		annotated_machine_add_numbers("writers", sharing->writers, sharing->writer_count,
					      json);
		json_array(json, "neighbours");
		for (size_t j = 0; j < sharing->neighbour_count; j++)
			json_string(json, NULL, sharing->neighbours[j]);
		json_end(json);
		annotated_machine_add_numbers("threads", sharing->threads, sharing->thread_count,
					      json);
		json_unsigned(json, "cachelines", sharing->cachelines);
		json_bool(json, "latent", sharing->latent);
	}
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

/* Adds the gaps between the type's own members; nested ones follow from offsets. */
static void add_gaps(const struct annotated_type *type, struct json *json)
{
	const struct annotated_line *record = &type->lines[0];
	struct layout_fill fill = { 0 };
	size_t count;
	_cleanup_free_ size_t *members = layout_members(type, 0, &count);

	json_array(json, "holes");
	for (size_t i = 0; i < count && !record->is_union; i++)
		if (!layout_is_empty(type, members[i]) && !type->lines[members[i]].is_variant &&
		    !type->lines[members[i]].is_unit)
			add_hole(&type->lines[members[i]], &fill, json);
	json_end(json);
	if (type->virtual_bases)
		json_string(json, "virtual_bases", type->virtual_bases);
	annotated_machine_add_gap(
		"padding", layout_gap(&fill, NULL, 0, record->element_size ?: record->size), json);
}

void print_annotated_type_json(const struct annotated_type *type,
			       const struct annotated_options *options, struct json *json)
{
	json_object(json, NULL);
	json_string(json, "name", type->name);
	json_string(json, "object", type->object);
	json_size(json, type->lines[0].size, type->lines[0].is_unsized);
	json_unsigned(json, "samples", type->samples);
	json_unsigned(json, "cacheline", options->cacheline);
	if (type->whole_count) {
		json_each (json, "within", const struct annotated_whole, whole, type->wholes,
			   type->whole_count) {
			json_string(json, "type", whole->type);
			json_string(json, "field", whole->field);
			json_unsigned(json, "samples", whole->samples);
		}
	}
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
		annotated_machine_add_sharings(type, json);
	json_end(json);
}

/* ---- types as comma-separated values ---- */

static void add_type_csv_heading(const struct annotated_type *type, struct strbuf *buffer)
{
	strbuf_add_string(buffer,
			  "type,object,field,declared,depth,offset,size,bit_offset,bit_size");
	field_figures_csv_heading(type->events, type->event_count, buffer);
	strbuf_add_char(buffer, '\n');
}

/* Appends a member's path, "key.id", without unnamed ones; empty for the type. */
static void add_path(const struct annotated_line *const *at, const struct annotated_line *line,
		     struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	for (uint32_t depth = 1; depth <= line->depth && depth <= DEPTH_MAX; depth++)
		if (at[depth] && at[depth]->name)
			strbuf_add_format(&path, "%s%s", path.length ? "." : "", at[depth]->name);
	csv_add_text(buffer, path.data);
}

void print_annotated_type_csv(const struct annotated_type *type, bool heading,
			      struct strbuf *buffer)
{
	const struct annotated_line *at[DEPTH_MAX + 1] = { NULL };

	if (heading)
		add_type_csv_heading(type, buffer);
	array_each (const struct annotated_line, line, type->lines, type->line_count) {
		if (line->depth <= DEPTH_MAX)
			at[line->depth] = line;
		csv_add_text(buffer, type->name);
		csv_add_next(buffer, type->object);
		strbuf_add_char(buffer, ',');
		add_path(at, line, buffer);
		csv_add_next(buffer, line->type);
		strbuf_add_format(buffer, ",%" PRIu32 ",%" PRId64 ",%" PRIu64, line->depth,
				  line->offset, line->size);
		if (line->bit_size)
			strbuf_add_format(buffer, ",%" PRIu32 ",%" PRIu32, line->bit_offset,
					  line->bit_size);
		else
			strbuf_add_string(buffer, ",,");
		field_figures_csv(line->counts, type->lines[0].counts, type->event_count, buffer);
		strbuf_add_char(buffer, '\n');
	}
}

/* ---- code ---- */

static void add_code_type(const struct code_type *type, struct json *json)
{
	if (!type->name)
		return;
	json_object(json, "type");
	json_string(json, "name", type->name);
	if (type->typed) {
		json_signed(json, "offset", type->offset);
		json_string(json, "field", type->field);
	}
	json_end(json);
}

static void add_code_figures(const struct code_listing *listing, const char *name,
			     const struct access_count *counts, struct json *json)
{
	json_each (json, name, const struct access_count, count, counts, listing->event_count) {
		json_unsigned(json, "samples", count->samples);
		json_unsigned(json, "period", count->period);
		json_double(json, "percent",
			    percent_of(count->period, listing->totals[count - counts].period));
	}
}

static void add_code_instruction(const struct code_listing *listing, const struct code_line *line,
				 struct json *json)
{
	json_object(json, NULL);
	json_unsigned(json, "address", line->address);
	json_string(json, "mnemonic", line->mnemonic);
	json_string(json, "operands", line->operands);
	if (line->file) {
		json_string(json, "file", line->file);
		json_unsigned(json, "line", line->number);
	}
	if (line->target)
		json_unsigned(json, "target", line->target);
	add_code_type(&line->type, json);
	if (line->counts)
		add_code_figures(listing, "figures", line->counts, json);
	if (line->charged)
		add_code_figures(listing, "charged", line->charged, json);
	json_end(json);
}

static void add_code_source(const struct code_listing *listing, struct json *json)
{
	bool any = false;

	array_each (const struct code_line, line, listing->lines, listing->line_count) {
		if (!line->source)
			continue;
		if (!any)
			json_array(json, "source");
		any = true;
		json_object(json, NULL);
		json_string(json, "file", line->file);
		json_unsigned(json, "line", line->number);
		json_string(json, "text", line->source);
		json_end(json);
	}
	if (any)
		json_end(json);
}

void print_code_listing_json(const struct code_listing *listing, struct json *json)
{
	json_object(json, NULL);
	json_string(json, "name", listing->symbol);
	json_string(json, "object", listing->object);
	json_unsigned(json, "address", listing->address);
	json_unsigned(json, "samples", listing->samples);
	json_string(json, "event", listing->events);
	add_code_figures(listing, "figures", listing->totals, json);
	json_array(json, "instructions");
	for (size_t i = 0; i < listing->line_count; i++)
		if (!listing->lines[i].source)
			add_code_instruction(listing, &listing->lines[i], json);
	json_end(json);
	add_code_source(listing, json);
	json_end(json);
}

static void add_csv_heading(const struct code_listing *listing, struct strbuf *buffer)
{
	strbuf_add_string(
		buffer,
		"function,object,event,address,instruction,file,line,type,type_offset,field");
	for (uint32_t event = 0; event < listing->event_count; event++)
		if (listing->event_count > 1)
			strbuf_add_format(buffer, ",samples:%u,period:%u,percent:%u", event, event,
					  event);
		else
			strbuf_add_string(buffer, ",samples,period,percent");
	strbuf_add_char(buffer, '\n');
}

static void add_csv_line(const struct code_listing *listing, const struct code_line *line,
			 struct strbuf *buffer)
{
	static const struct access_count nothing;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	csv_add_text(buffer, listing->symbol);
	csv_add_next(buffer, listing->object, listing->events);
	strbuf_add_format(buffer, ",%#" PRIx64, line->address);
	strbuf_add_format(&text, "%s%s%s", line->mnemonic, *line->operands ? " " : "",
			  line->operands);
	csv_add_next(buffer, text.data, line->file);
	strbuf_add_char(buffer, ',');
	if (line->file)
		strbuf_add_number(buffer, line->number);
	csv_add_next(buffer, line->type.name);
	strbuf_add_char(buffer, ',');
	if (line->type.typed)
		strbuf_add_format(buffer, "%" PRId64, line->type.offset);
	csv_add_next(buffer, line->type.field);
	for (uint32_t event = 0; event < listing->event_count; event++) {
		const struct access_count *count = line->counts ? &line->counts[event] : &nothing;

		strbuf_add_format(buffer, ",%" PRIu64 ",%" PRIu64 ",%.6g", count->samples,
				  count->period,
				  percent_of(count->period, listing->totals[event].period));
	}
	strbuf_add_char(buffer, '\n');
}

void print_code_listing_csv(const struct code_listing *listing, bool heading, struct strbuf *buffer)
{
	if (heading)
		add_csv_heading(listing, buffer);
	for (size_t i = 0; i < listing->line_count; i++)
		if (!listing->lines[i].source)
			add_csv_line(listing, &listing->lines[i], buffer);
}
