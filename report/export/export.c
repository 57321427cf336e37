// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements export.h, and the formats that are plain text: folded stacks, speedscope's JSON and
 * comma-separated values.
 */
#include "report/export/export.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "report/json.h"

#define FLUSH_AFTER ((size_t)1 << 16)
#define UNNAMED     "(no field)"

/* ---- numbering ---- */

uint32_t numbering_get(struct numbering *numbering, const char *text, bool *created)
{
	const char *interned = string_pool_intern(&numbering->pool, text);
	uint32_t *number =
		hash_map_insert(&numbering->numbers, (uint64_t)(uintptr_t)interned, created);

	if (*created) {
		*number = (uint32_t)numbering->count;
		array_add(numbering->items, numbering->count, numbering->capacity) = NULL;
	}
	return *number;
}

void *numbering_new(struct numbering *numbering, size_t size, uint32_t *number, const char *format,
		    ...)
{
	bool created;
	VARIADIC_TEXT(text, format);

	*number = numbering_get(numbering, text, &created);
	if (!created)
		return NULL;
	return numbering->items[*number] = arena_alloc(&numbering->pool.arena, size);
}

uint32_t numbering_text(struct numbering *numbering, const char *text)
{
	bool created;
	uint32_t number = numbering_get(numbering, text ?: "", &created);

	if (created)
		numbering->items[number] = export_text(&numbering->pool.arena, text);
	return number;
}

void numbering_deinit(struct numbering *numbering)
{
	string_pool_deinit(&numbering->pool);
	hash_map_deinit(&numbering->numbers);
	free(numbering->items);
}

/* ---- texts ---- */

/* Appends a text as export_text() returns it. */
static void add_text(struct strbuf *buffer, const char *text)
{
	size_t start = buffer->length, left = strlen(text);

	while (left) {
		size_t size = utf8_sequence(text, left);

		strbuf_add(buffer, size ? text : "\xef\xbf\xbd", size ?: 3);
		text += size ?: 1;
		left -= size ?: 1;
	}
	make_printable(buffer->data + start, buffer->length - start);
}

char *export_text(struct arena *arena, const char *text)
{
	_cleanup_strbuf_ struct strbuf copy = STRBUF_INIT;

	add_text(&copy, text ?: "");
	return arena_strdup(arena, copy.data);
}

/* ---- messages of Protocol Buffers ---- */

void *message_list_new(struct message_list *list, struct arena *arena, size_t size)
{
	return array_add(list->items, list->count, list->capacity) = arena_alloc(arena, size);
}

/* ---- stacks ---- */

const char *export_build_id(const struct export_profile *profile, const char *path)
{
	for (size_t i = 0; path && i < profile->object_count; i++)
		if (!strcmp(profile->objects[i].path, path))
			return profile->objects[i].build_id;
	return NULL;
}

/* Returns "[unknown]" if the place has no symbol. */
static const char *export_function(const struct result_place *place)
{
	return place->symbol ?: "[unknown]";
}

uint32_t export_line(const struct result_place *place)
{
	const char *colon = place->source_line ? strrchr(place->source_line, ':') : NULL;

	return colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
}

size_t export_stack(const struct export_profile *profile, const struct export_row *row,
		    struct export_frame frames[EXPORT_FRAMES_MAX])
{
	const struct result_frame *frame = row->chain ? &profile->frames[row->chain] : NULL;
	size_t count = 0;

	if (profile->type_frames) {
		if (row->place->typed)
			frames[count++] =
				(struct export_frame){ .name = row->place->field ?: UNNAMED };
		frames[count++] = (struct export_frame){ .name = row->place->type };
	}
	/* Samples are charged to accesses nearby, perhaps not in the first frame's function. */
	if (!frame || frame->place->symbol_address != row->place->symbol_address ||
	    frame->place->dso != row->place->dso)
		frames[count++] = (struct export_frame){ .name = export_function(row->place),
							 .place = row->place,
							 .innermost = true };
	for (bool first = !count || !frames[count - 1].innermost;
	     frame && count < EXPORT_FRAMES_MAX;
	     frame = frame->caller ? &profile->frames[frame->caller] : NULL, first = false)
		frames[count++] = (struct export_frame){ .name = export_function(frame->place),
							 .place = frame->place,
							 .innermost = first };
	return count;
}

/* ---- folded stacks ---- */

/* A line without its number. */
struct folded {
	char *stack;
	uint64_t samples;
};

COMPARISON(compare_folded, struct folded, BY_TEXT(stack))

/* Appends the name of a frame, without the separator, which a frame may not contain. */
static void add_folded(struct strbuf *text, const char *name)
{
	size_t start = text->length;

	add_text(text, name);
	for (size_t i = start; i < text->length; i++)
		if (text->data[i] == ';')
			text->data[i] = ':';
}

/* Returns "type;field;function;caller;..." */
static char *fold(const struct export_profile *profile, const struct export_row *row)
{
	struct export_frame frames[EXPORT_FRAMES_MAX];
	size_t count = export_stack(profile, row, frames);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	add_folded(&text, row->place->type);
	if (row->place->typed) {
		strbuf_add_char(&text, ';');
		add_folded(&text, row->place->field ?: UNNAMED);
	}
	for (size_t i = 0; i < count; i++) {
		strbuf_add_char(&text, ';');
		add_folded(&text, frames[i].name);
	}
	return xstrdup(text.data);
}

static struct error *write_folded(const struct export_profile *profile, export_sink *sink,
				  void *data)
{
	_cleanup_free_ struct folded *lines = xcalloc(profile->row_count + 1, sizeof(*lines));
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	for (size_t i = 0; i < profile->row_count; i++)
		lines[i] = (struct folded){ fold(profile, &profile->rows[i]),
					    profile->rows[i].samples };
	array_sort(lines, profile->row_count, compare_folded);
	for (size_t i = 0; i < profile->row_count; i++) {
		uint64_t samples = lines[i].samples;

		while (i + 1 < profile->row_count && !strcmp(lines[i].stack, lines[i + 1].stack)) {
			free(lines[i].stack);
			samples += lines[++i].samples;
		}
		strbuf_add_format(&text, "%s %" PRIu64 "\n", lines[i].stack, samples);
		free(lines[i].stack);
		if (text.length >= FLUSH_AFTER) {
			sink(data, text.data, text.length);
			strbuf_reset(&text);
		}
	}
	sink(data, text.data, text.length);
	return NULL;
}

const struct export_format export_folded = {
	.name = "folded",
	.summary = "type;field;function;caller... and a number: for flame graphs",
	.write = write_folded,
};

/* ---- speedscope ---- */

/* speedscope.app/file-format-schema.json: frames once, stacks as numbers, root first. */
struct stack_list {
	struct numbering frames; /* of struct stack_frame */
	uint32_t *numbers;       /* all stacks, one after the other */
	size_t number_count, number_capacity;
	size_t *ends; /* of each row's stack in `numbers` */
};

struct stack_frame {
	const char *name;
	const char *file; /* NULL: none */
};

static uint32_t frame_number(struct stack_list *list, const char *name, const char *file)
{
	uint32_t number;
	struct stack_frame *frame =
		numbering_new(&list->frames, sizeof(*frame), &number, "%s\n%s", name, file ?: "");

	if (frame)
		*frame = (struct stack_frame){ name, file };
	return number;
}

static void add_number(struct stack_list *list, uint32_t number)
{
	array_add(list->numbers, list->number_count, list->number_capacity) = number;
}

static void list_stack(struct stack_list *list, const struct export_profile *profile, size_t index)
{
	const struct export_row *row = &profile->rows[index];
	struct export_frame frames[EXPORT_FRAMES_MAX];
	size_t count = export_stack(profile, row, frames);

	add_number(list, frame_number(list, row->place->type, NULL));
	if (row->place->typed)
		add_number(list, frame_number(list, row->place->field ?: UNNAMED, NULL));
	for (size_t i = 0; i < count; i++)
		add_number(list, frame_number(list, frames[i].name, frames[i].place->source_file));
	list->ends[index] = list->number_count;
}

static void add_speedscope_event(const struct export_profile *profile,
				 const struct stack_list *list, uint32_t event, struct json *json)
{
	uint64_t total = sum_over(uint64_t, i, 0, profile->row_count,
				  profile->rows[i].event == event ? profile->rows[i].period : 0);

	json_object(json, NULL);
	json_string(json, "type", "sampled");
	json_string(json, "name", profile->events[event].name);
	json_string(json, "unit", profile->events[event].is_time ? "nanoseconds" : "none");
	json_unsigned(json, "startValue", 0);
	json_unsigned(json, "endValue", total);
	json_array(json, "samples");
	for (size_t i = 0; i < profile->row_count; i++) {
		if (profile->rows[i].event != event)
			continue;
		json_array(json, NULL);
		for (size_t k = i ? list->ends[i - 1] : 0; k < list->ends[i]; k++)
			json_unsigned(json, NULL, list->numbers[k]);
		json_end(json);
	}
	json_end(json);
	json_array(json, "weights");
	for (size_t i = 0; i < profile->row_count; i++)
		if (profile->rows[i].event == event)
			json_unsigned(json, NULL, profile->rows[i].period);
	json_end(json);
	json_end(json);
}

static struct error *write_speedscope(const struct export_profile *profile, export_sink *sink,
				      void *data)
{
	struct stack_list list = { .ends = xcalloc(profile->row_count + 1, sizeof(*list.ends)) };
	struct json json = JSON_INIT(sink, data);

	for (size_t i = 0; i < profile->row_count; i++)
		list_stack(&list, profile, i);
	json.compact = json.printable = true;
	json_object(&json, NULL);
	json_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_string(&json, "exporter", "dtprof");
	json_string(&json, "name", profile->command ?: "dtprof");
	json_unsigned(&json, "activeProfileIndex", 0);
	json_object(&json, "shared");
	json_each (&json, "frames", void *const, item, list.frames.items, list.frames.count) {
		const struct stack_frame *frame = *item;

		json_string(&json, "name", frame->name);
		if (frame->file && *frame->file)
			json_string(&json, "file", frame->file);
	}
	json_end(&json);
	json_array(&json, "profiles");
	for (uint32_t event = 0; event < profile->event_count; event++)
		add_speedscope_event(profile, &list, event, &json);
	json_finish(&json);
	numbering_deinit(&list.frames);
	free_all(list.numbers, list.ends);
	return NULL;
}

const struct export_format export_speedscope = {
	.name = "speedscope",
	.summary = "JSON for https://www.speedscope.app",
	.write = write_speedscope,
};

/* ---- comma-separated values ---- */

/* Adds the functions of a row's stack, separated by ';', the innermost first. */
static void add_stack(struct strbuf *text, const struct export_profile *profile,
		      const struct export_row *row)
{
	struct export_frame frames[EXPORT_FRAMES_MAX];
	size_t count = row->chain ? export_stack(profile, row, frames) : 0;
	_cleanup_strbuf_ struct strbuf stack = STRBUF_INIT;

	for (size_t i = 0; i < count; i++) {
		if (i)
			strbuf_add_char(&stack, ';');
		add_folded(&stack, frames[i].name);
	}
	csv_add_next(text, count ? stack.data : NULL);
}

static struct error *write_csv(const struct export_profile *profile, export_sink *sink, void *data)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	strbuf_add_string(&text, "event,samples,period,latency,loads,stores,type,offset,field,how,"
				 "blame,function,object,file,line,comm,pid,tid,stack\n");
	array_each (const struct export_row, row, profile->rows, profile->row_count) {
		const struct result_place *place = row->place;
		uint32_t line = export_line(place);
		size_t start = text.length;

		csv_add_text(&text, profile->events[row->event].name);
		strbuf_add_format(&text,
				  ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
				  row->samples, row->period, row->latency, row->loads, row->stores);
		csv_add_next(&text, place->type);
		strbuf_add_char(&text, ',');
		if (place->typed && !row->span.size)
			strbuf_add_format(&text, "%" PRId64, row->span.offset);
		csv_add_next(&text, place->field, place->how, place->blame, place->symbol,
			     place->dso, line ? place->source_file : NULL);
		strbuf_add_char(&text, ',');
		if (line)
			strbuf_add_format(&text, "%" PRIu32, line);
		csv_add_next(&text, row->comm);
		strbuf_add_format(&text, ",%" PRId32 ",%" PRId32, row->pid, row->tid);
		add_stack(&text, profile, row);
		strbuf_end_line(&text, start);
		if (text.length >= FLUSH_AFTER) {
			sink(data, text.data, text.length);
			strbuf_reset(&text);
		}
	}
	sink(data, text.data, text.length);
	return NULL;
}

const struct export_format export_csv = {
	.name = "csv",
	.summary = "a row for each access and thread: for DuckDB, ClickHouse, pandas",
	.write = write_csv,
};
