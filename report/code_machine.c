// SPDX-License-Identifier: GPL-2.0-or-later
/* Annotated code for programs: its instructions; lines of source are named and not repeated. */
#include <inttypes.h>

#include "report/annotated_machine.h"
#include "report/csv.h"

static double percent_of(const struct code_listing *listing, const struct access_count *count, uint32_t event)
{
	uint64_t whole = listing->totals[event].period;

	return whole ? 100.0 * (double)count->period / (double)whole : 0;
}

static void add_type(const struct code_type *type, struct json *json)
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

static void add_figures(const struct code_listing *listing, const char *name,
			const struct access_count *counts, struct json *json)
{
	json_array(json, name);
	for (uint32_t event = 0; event < listing->event_count; event++) {
		json_object(json, NULL);
		json_unsigned(json, "samples", counts[event].samples);
		json_unsigned(json, "period", counts[event].period);
		json_double(json, "percent", percent_of(listing, &counts[event], event));
		json_end(json);
	}
	json_end(json);
}

static void add_instruction(const struct code_listing *listing, const struct code_line *line,
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
	if (line->jump == JUMP_INSIDE)
		json_unsigned(json, "target", line->target);
	add_type(&line->type, json);
	if (line->counts)
		add_figures(listing, "figures", line->counts, json);
	if (line->charged)
		add_figures(listing, "charged", line->charged, json);
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
	add_figures(listing, "figures", listing->totals, json);
	json_array(json, "instructions");
	for (size_t i = 0; i < listing->line_count; i++)
		if (!listing->lines[i].source)
			add_instruction(listing, &listing->lines[i], json);
	json_end(json);
	json_end(json);
}

static void add_csv_heading(const struct code_listing *listing, struct strbuf *buffer)
{
	strbuf_add_string(buffer,
			  "function,object,event,address,instruction,file,line,type,type_offset,field");
	for (uint32_t event = 0; event < listing->event_count; event++)
		if (listing->event_count > 1)
			strbuf_add_format(buffer, ",samples:%u,period:%u,percent:%u", event, event, event);
		else
			strbuf_add_string(buffer, ",samples,period,percent");
	strbuf_add_char(buffer, '\n');
}

static void add_csv_line(const struct code_listing *listing, const struct code_line *line,
			 struct strbuf *buffer)
{
	static const struct access_count nothing;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	csv_add_text(buffer, listing->symbol);
	strbuf_add_char(buffer, ',');
	csv_add_text(buffer, listing->object);
	strbuf_add_char(buffer, ',');
	csv_add_text(buffer, listing->events);
	strbuf_add_format(buffer, ",%#" PRIx64 ",", line->address);
	strbuf_add_format(&text, "%s%s%s", line->mnemonic, *line->operands ? " " : "", line->operands);
	csv_add_text(buffer, text.data);
	strbuf_add_char(buffer, ',');
	csv_add_text(buffer, line->file);
	if (line->file)
		strbuf_add_format(buffer, ",%u,", line->number);
	else
		strbuf_add_string(buffer, ",,");
	csv_add_text(buffer, line->type.name);
	if (line->type.typed)
		strbuf_add_format(buffer, ",%" PRId64 ",", line->type.offset);
	else
		strbuf_add_string(buffer, ",,");
	csv_add_text(buffer, line->type.field);
	for (uint32_t event = 0; event < listing->event_count; event++) {
		const struct access_count *count = line->counts ? &line->counts[event] : &nothing;

		strbuf_add_format(buffer, ",%" PRIu64 ",%" PRIu64 ",%.6g", count->samples, count->period,
				  percent_of(listing, count, event));
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
