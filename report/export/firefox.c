// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Firefox Profiler's "processed" format, version 57, compressed by gzip
 * (github.com/firefox-devtools/profiler, docs-developer/processed-profile-format.md; its reader
 * upgrades older versions).
 *
 * Each thread has tables of its own, which are written as columns: a stack is a frame and the
 * number of its caller's stack, and a sample is a stack, a time and a weight. Types are categories.
 * Each access with a type is also a marker, which has its field.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "report/export/export.h"
#include "report/json.h"

#define FORMAT_VERSION 57
/* meta.version: that of the other format, which readers ask for as well */
#define GECKO_VERSION 30

/* Categories: the first two, then the types with the most samples. */
enum { CATEGORY_OTHER, CATEGORY_NONE, CATEGORY_TYPES };
#define TYPES_MAX 10

struct type_weight {
	const char *type;
	uint64_t samples;
};

/* A stack: its frame and the number of its caller + 1; 0: it is the root. */
struct firefox_stack {
	uint32_t frame, caller;
};

struct firefox_frame {
	uint32_t function, category, line;
};

struct firefox_function {
	uint32_t name, resource; /* texts */
	uint32_t file;           /* text + 1; 0: none */
};

/* The tables of one thread while they are made: of the structs above, and of names. */
struct thread_tables {
	struct numbering stacks, frames, functions, resources;
	uint32_t *row_stacks; /* of each row of the thread */
};

struct firefox_writer {
	const struct export_profile *profile;
	struct json json;
	struct numbering texts;
	struct arena arena;
	struct type_weight categories[TYPES_MAX];
	size_t category_count;
	const struct export_row **rows; /* by thread and time */
};

static uint32_t firefox_text_number(struct firefox_writer *writer, const char *text)
{
	bool created;
	uint32_t number = numbering_get(&writer->texts, text, &created);

	if (created)
		writer->texts.items[number] = arena_strdup(&writer->arena, text);
	return number;
}

/* ---- categories ---- */

COMPARISON(firefox_compare_names, struct type_weight, BY_TEXT(type))

COMPARISON(compare_weights, struct type_weight, DESCENDING(samples) BY_TEXT(type))

static void choose_categories(struct firefox_writer *writer)
{
	const struct export_profile *profile = writer->profile;
	_cleanup_free_ struct type_weight *types = xcalloc(profile->row_count + 1, sizeof(*types));
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < profile->row_count; i++)
		if (profile->rows[i].place->typed)
			types[count++] = (struct type_weight){ profile->rows[i].place->type,
							       profile->rows[i].samples };
	if (!count)
		return;
	array_sort(types, count, firefox_compare_names);
	for (size_t i = 1; i < count; i++) {
		if (!strcmp(types[kept].type, types[i].type))
			types[kept].samples += types[i].samples;
		else
			types[++kept] = types[i];
	}
	kept++;
	array_sort(types, kept, compare_weights);
	writer->category_count = kept < TYPES_MAX ? kept : TYPES_MAX;
	memcpy(writer->categories, types, writer->category_count * sizeof(*types));
}

static uint32_t category_of(const struct firefox_writer *writer, const struct result_place *place)
{
	if (!place->typed)
		return CATEGORY_NONE;
	for (uint32_t i = 0; i < writer->category_count; i++)
		if (!strcmp(writer->categories[i].type, place->type))
			return CATEGORY_TYPES + i;
	return CATEGORY_OTHER;
}

/* ---- columns ---- */

/* Adds one column of a table. `value` is called for each row. */
#define COLUMN(json, name, count, value)                                                           \
	do {                                                                                       \
		json_array((json), (name));                                                        \
		for (size_t row = 0; row < (count); row++)                                         \
			value;                                                                     \
		json_end(json);                                                                    \
	} while (0)

static void add_null_column(struct json *json, const char *name, size_t count)
{
	COLUMN(json, name, count, json_null(json, NULL));
}

static void add_number_column(struct json *json, const char *name, size_t count, int64_t number)
{
	COLUMN(json, name, count, json_signed(json, NULL, number));
}

static void add_empty_table(struct json *json, const char *name, const char *const *columns)
{
	json_object(json, name);
	json_unsigned(json, "length", 0);
	for (; *columns; columns++)
		add_null_column(json, *columns, 0);
	json_end(json);
}

/* ---- one thread's tables ---- */

static uint32_t resource_number(struct thread_tables *tables, const char *object)
{
	bool created;
	uint32_t number = numbering_get(&tables->resources, object, &created);

	if (created)
		tables->resources.items[number] = (void *)object;
	return number;
}

static uint32_t function_number(struct firefox_writer *writer, struct thread_tables *tables,
				const struct export_frame *frame)
{
	const struct result_place *place = frame->place;
	const char *file = place && export_line(place) ? place->source_file : NULL;
	const char *object = place && place->dso ? place->dso : "[type]";
	uint32_t number;
	struct firefox_function *function =
		numbering_new(&tables->functions, sizeof(*function), &number, "%s\n%s\n%s",
			      frame->name, object, file ?: "");

	if (function)
		*function = (struct firefox_function){ firefox_text_number(writer, frame->name),
						       resource_number(tables, object),
						       file ? firefox_text_number(writer, file) + 1
							    : 0 };
	return number;
}

static uint32_t firefox_frame_number(struct firefox_writer *writer, struct thread_tables *tables,
				     const struct export_frame *frame, uint32_t category)
{
	uint32_t function = function_number(writer, tables, frame);
	uint32_t line = frame->place ? export_line(frame->place) : 0;
	uint32_t number;
	struct firefox_frame *item =
		numbering_new(&tables->frames, sizeof(*item), &number,
			      "%" PRIu32 " %" PRIu32 " %" PRIu32, function, line, category);

	if (item)
		*item = (struct firefox_frame){ function, category, line };
	return number;
}

/* Returns the number of a row's stack, and makes the stacks of its callers on the way. */
static uint32_t stack_number(struct firefox_writer *writer, struct thread_tables *tables,
			     const struct export_row *row)
{
	struct export_frame frames[EXPORT_FRAMES_MAX];
	size_t depth = export_stack(writer->profile, row, frames);
	uint32_t stack = 0; /* number + 1 */

	for (size_t i = depth; i-- > 0;) {
		bool leaf = frames[i].innermost || !frames[i].place;
		uint32_t frame = firefox_frame_number(writer, tables, &frames[i],
						      leaf ? category_of(writer, row->place)
							   : CATEGORY_OTHER);
		uint32_t number;
		struct firefox_stack *item = numbering_new(&tables->stacks, sizeof(*item), &number,
							   "%" PRIu32 " %" PRIu32, stack, frame);

		if (item)
			*item = (struct firefox_stack){ frame, stack };
		stack = number + 1;
	}
	return stack - 1;
}

/* Sets the stacks of a thread's rows: those that differ in time alone share one. */
static void list_stacks(struct firefox_writer *writer, struct thread_tables *tables,
			const struct export_row *const *rows, size_t count)
{
	struct hash_map first = { 0 }; /* row, by place and chain */

	for (size_t i = 0; i < count; i++) {
		bool created;
		uint32_t *row = hash_map_insert(
			&first, hash_combine((uintptr_t)rows[i]->place, rows[i]->chain), &created);

		if (created)
			*row = (uint32_t)i;
		if (!created && rows[*row]->place == rows[i]->place &&
		    rows[*row]->chain == rows[i]->chain)
			tables->row_stacks[i] = tables->row_stacks[*row];
		else
			tables->row_stacks[i] = stack_number(writer, tables, rows[i]);
	}
	hash_map_deinit(&first);
}

static void thread_tables_deinit(struct thread_tables *tables)
{
	free(tables->row_stacks);
	numbering_deinit(&tables->frames);
	numbering_deinit(&tables->functions);
	numbering_deinit(&tables->resources);
	numbering_deinit(&tables->stacks);
}

#define STACK    ((const struct firefox_stack *)tables->stacks.items[row])
#define FRAME    ((const struct firefox_frame *)tables->frames.items[row])
#define FUNCTION ((const struct firefox_function *)tables->functions.items[row])

static void add_code_tables(struct firefox_writer *writer, const struct thread_tables *tables)
{
	static const char *const symbol_columns[] = { "libIndex", "address", "name", "functionSize",
						      NULL };
	struct json *json = &writer->json;
	size_t stacks = tables->stacks.count, frames = tables->frames.count;
	size_t functions = tables->functions.count, resources = tables->resources.count;

	json_object(json, "stackTable");
	json_unsigned(json, "length", stacks);
	COLUMN(json, "prefix", stacks,
	       STACK->caller ? json_unsigned(json, NULL, STACK->caller - 1)
			     : json_null(json, NULL));
	COLUMN(json, "frame", stacks, json_unsigned(json, NULL, STACK->frame));
	json_end(json);
	json_object(json, "frameTable");
	json_unsigned(json, "length", frames);
	add_number_column(json, "address", frames, -1);
	add_number_column(json, "inlineDepth", frames, 0);
	COLUMN(json, "category", frames, json_unsigned(json, NULL, FRAME->category));
	add_number_column(json, "subcategory", frames, 0);
	COLUMN(json, "func", frames, json_unsigned(json, NULL, FRAME->function));
	add_null_column(json, "nativeSymbol", frames);
	add_null_column(json, "innerWindowID", frames);
	COLUMN(json, "line", frames,
	       FRAME->line ? json_unsigned(json, NULL, FRAME->line) : json_null(json, NULL));
	add_null_column(json, "column", frames);
	json_end(json);
	json_object(json, "funcTable");
	json_unsigned(json, "length", functions);
	COLUMN(json, "name", functions, json_unsigned(json, NULL, FUNCTION->name));
	COLUMN(json, "isJS", functions, json_bool(json, NULL, false));
	COLUMN(json, "relevantForJS", functions, json_bool(json, NULL, false));
	COLUMN(json, "resource", functions, json_unsigned(json, NULL, FUNCTION->resource));
	COLUMN(json, "fileName", functions,
	       FUNCTION->file ? json_unsigned(json, NULL, FUNCTION->file - 1)
			      : json_null(json, NULL));
	add_null_column(json, "lineNumber", functions);
	add_null_column(json, "columnNumber", functions);
	json_end(json);
	json_object(json, "resourceTable");
	json_unsigned(json, "length", resources);
	add_null_column(json, "lib", resources);
	COLUMN(json, "name", resources,
	       json_unsigned(json, NULL,
			     firefox_text_number(writer, tables->resources.items[row])));
	add_null_column(json, "host", resources);
	add_number_column(json, "type", resources, 1);
	json_end(json);
	add_empty_table(json, "nativeSymbols", symbol_columns);
}

static double milliseconds(const struct export_profile *profile, const struct export_row *row)
{
	return row->time > profile->start ? (double)(row->time - profile->start) / 1e6 : 0;
}

static void add_samples(struct firefox_writer *writer, const struct thread_tables *tables,
			const struct export_row *const *rows, size_t count)
{
	struct json *json = &writer->json;

	json_object(json, "samples");
	json_unsigned(json, "length", count);
	COLUMN(json, "stack", count, json_unsigned(json, NULL, tables->row_stacks[row]));
	COLUMN(json, "time", count,
	       json_double(json, NULL, milliseconds(writer->profile, rows[row])));
	COLUMN(json, "weight", count, json_unsigned(json, NULL, rows[row]->samples));
	json_string(json, "weightType", "samples");
	json_end(json);
}

static void add_markers(struct firefox_writer *writer, const struct export_row *const *rows,
			size_t count)
{
	struct json *json = &writer->json;
	size_t typed = sum_over(size_t, i, 0, count, rows[i]->place->typed);

	json_object(json, "markers");
	json_unsigned(json, "length", typed);
	/* value only for the rows that have a type */
#define TYPED(value) (rows[row]->place->typed ? (value) : (void)0)
	COLUMN(json, "name", count,
	       TYPED(json_unsigned(json, NULL,
				   firefox_text_number(writer, rows[row]->place->type))));
	COLUMN(json, "startTime", count,
	       TYPED(json_double(json, NULL, milliseconds(writer->profile, rows[row]))));
	COLUMN(json, "endTime", count, TYPED(json_null(json, NULL)));
	COLUMN(json, "phase", count, TYPED(json_unsigned(json, NULL, 0)));
	COLUMN(json, "category", count,
	       TYPED(json_unsigned(json, NULL, category_of(writer, rows[row]->place))));
#undef TYPED
	json_array(json, "data");
	for (size_t i = 0; i < count; i++) {
		if (!rows[i]->place->typed)
			continue;
		json_object(json, NULL);
		json_string(json, "type", "access");
		json_string(json, "field", rows[i]->place->field ?: "");
		if (rows[i]->span.size)
			json_null(json, "offset");
		else
			json_signed(json, "offset", rows[i]->span.offset);
		json_unsigned(json, "samples", rows[i]->samples);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

static void firefox_add_thread(struct firefox_writer *writer, const struct export_row *const *rows,
			       size_t count)
{
	struct thread_tables tables = { .row_stacks = xcalloc(count + 1, sizeof(uint32_t)) };
	struct json *json = &writer->json;
	char pid[16];

	list_stacks(writer, &tables, rows, count);
	snprintf(pid, sizeof(pid), "%" PRId32, rows[0]->pid);
	json_object(json, NULL);
	json_string(json, "name", rows[0]->comm ?: "");
	json_string(json, "processName", rows[0]->comm ?: "");
	json_string(json, "processType", "default");
	json_bool(json, "isMainThread", rows[0]->pid == rows[0]->tid);
	json_string(json, "pid", pid);
	json_signed(json, "tid", rows[0]->tid);
	json_unsigned(json, "processStartupTime", 0);
	json_null(json, "processShutdownTime");
	json_unsigned(json, "registerTime", 0);
	json_null(json, "unregisterTime");
	json_array(json, "pausedRanges");
	json_end(json);
	add_samples(writer, &tables, rows, count);
	add_markers(writer, rows, count);
	add_code_tables(writer, &tables);
	json_end(json);
	thread_tables_deinit(&tables);
}

/* ---- the file ---- */

static void add_category(struct json *json, const char *name, const char *colour)
{
	json_object(json, NULL);
	json_string(json, "name", name);
	json_string(json, "color", colour);
	json_array(json, "subcategories");
	json_string(json, NULL, "Other");
	json_end(json);
	json_end(json);
}

/* Tells the reader what the markers' data is. */
static void add_marker_schema(struct json *json)
{
	static const char *const fields[][2] = { { "field", "string" },
						 { "offset", "integer" },
						 { "samples", "integer" } };

	json_array(json, "markerSchema");
	json_object(json, NULL);
	json_string(json, "name", "access");
	json_string(json, "tooltipLabel", "{marker.name} {marker.data.field}");
	json_string(json, "tableLabel", "{marker.data.field}");
	json_string(json, "chartLabel", "{marker.data.field}");
	json_array(json, "display");
	json_string(json, NULL, "marker-chart");
	json_string(json, NULL, "marker-table");
	json_end(json);
	json_array(json, "fields");
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		json_object(json, NULL);
		json_string(json, "key", fields[i][0]);
		json_string(json, "label", fields[i][0]);
		json_string(json, "format", fields[i][1]);
		json_end(json);
	}
	json_end(json);
	json_end(json);
	json_end(json);
}

static void add_meta(struct firefox_writer *writer)
{
	static const char *const colours[TYPES_MAX] = { "red",       "orange",  "blue",
							"green",     "purple",  "yellow",
							"brown",     "magenta", "lightblue",
							"lightgreen" };
	struct json *json = &writer->json;

	json_object(json, "meta");
	json_unsigned(json, "version", GECKO_VERSION);
	json_unsigned(json, "preprocessedProfileVersion", FORMAT_VERSION);
	json_string(json, "product", writer->profile->command ?: "dtprof");
	json_string(json, "importedFrom", "dtprof");
	json_double(json, "interval", (double)writer->profile->time_slice / 1e6);
	json_unsigned(json, "startTime", 0);
	json_unsigned(json, "processType", 0);
	json_unsigned(json, "stackwalk", 1);
	json_unsigned(json, "debug", 0);
	json_bool(json, "symbolicated", true);
	json_object(json, "extensions");
	json_unsigned(json, "length", 0);
	add_null_column(json, "baseURL", 0);
	add_null_column(json, "id", 0);
	add_null_column(json, "name", 0);
	json_end(json);
	json_array(json, "categories");
	add_category(json, "Other", "grey");
	add_category(json, "no type", "transparent");
	for (size_t i = 0; i < writer->category_count; i++)
		add_category(json, writer->categories[i].type, colours[i]);
	json_end(json);
	add_marker_schema(json);
	json_end(json);
}

/* Rows are in one array, whose order is that of the counted entries. */
ADDRESS_COMPARISON(firefox_compare_rows, struct export_row,
		   ASCENDING(pid) ASCENDING(tid) ASCENDING(time) BY(a, b))

static void write_document(struct firefox_writer *writer)
{
	const struct export_profile *profile = writer->profile;
	struct json *json = &writer->json;

	json_object(json, NULL);
	add_meta(writer);
	add_null_column(json, "libs", 0);
	add_null_column(json, "pages", 0);
	add_null_column(json, "counters", 0);
	json_array(json, "threads");
	for (size_t start = 0, end; start < profile->row_count; start = end) {
		for (end = start + 1; end < profile->row_count &&
				      writer->rows[end]->tid == writer->rows[start]->tid &&
				      writer->rows[end]->pid == writer->rows[start]->pid;
		     end++)
			;
		firefox_add_thread(writer, writer->rows + start, end - start);
	}
	json_end(json);
	/* the threads have named all texts by now */
	json_object(json, "shared");
	COLUMN(json, "stringArray", writer->texts.count,
	       json_string(json, NULL, writer->texts.items[row]));
	json_finish(json);
}

static struct error *write_firefox(const struct export_profile *profile, export_sink *sink,
				   void *data)
{
	struct gzip_sink *gzip;

	RETURN_ERROR(gzip_sink_create(sink, data, GZIP_DEFAULT, &gzip));

	struct firefox_writer writer = { .profile = profile,
					 .json = JSON_INIT(gzip_sink_add, gzip) };

	writer.json.compact = writer.json.printable = true;
	writer.rows = xcalloc(profile->row_count + 1, sizeof(*writer.rows));
	for (size_t i = 0; i < profile->row_count; i++)
		writer.rows[i] = &profile->rows[i];
	array_sort(writer.rows, profile->row_count, firefox_compare_rows);
	choose_categories(&writer);
	write_document(&writer);
	free(writer.rows);
	numbering_deinit(&writer.texts);
	arena_deinit(&writer.arena);
	return gzip_sink_destroy(gzip);
}

const struct export_format export_firefox = {
	.name = "firefox",
	.summary =
		"the format of https://profiler.firefox.com: threads over time, categories by type",
	.binary = true,
	.dated = true,
	.timed = true,
	.write = write_firefox,
};
