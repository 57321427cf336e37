// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/report_import.h"

#include "base/cursor.h"
#include "base/files.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "base/text.h"

/* Larger files are not histograms: a kernel's have 2 MB. */
#define FILE_SIZE_MAX ((size_t)256 << 20)

/* Loads or stores at one offset of a type. */
struct imported_row {
	const char *object; /* NULL: none */
	const char *type;
	const char *event;
	int64_t offset;
	bool store;
	uint64_t samples, period;
};

struct importer {
	struct json_reader reader;
	struct imported_row *rows;
	size_t count, capacity;
};

static void add_import(struct importer *importer, const struct imported_row *row)
{
	if (row->samples || row->period)
		array_add(importer->rows, importer->count, importer->capacity) = *row;
}

/* Reads an element of "samples". */
static void read_offset(struct importer *importer)
{
	struct json_reader *reader = &importer->reader;
	struct imported_row load = { 0 }, store = { .store = true };
	const char *name;

	json_read_object(reader);
	while ((name = json_read_member(reader)))
		if (!strcmp(name, "offset"))
			load.offset = store.offset = json_read_integer(reader);
		else if (!strcmp(name, "nr_samples_load"))
			load.samples = json_read_count(reader);
		else if (!strcmp(name, "period_load"))
			load.period = json_read_count(reader);
		else if (!strcmp(name, "nr_samples_store"))
			store.samples = json_read_count(reader);
		else if (!strcmp(name, "period_store"))
			store.period = json_read_count(reader);
		else
			json_read_other(reader);
	add_import(importer, &load);
	add_import(importer, &store);
}

/* The objects around the samples, from the outermost one on. Each has a list of the next one. */
static const struct import_level {
	const char *key, *list; /* NULL: it has no text */
	size_t member;          /* of the text in struct imported_row */
	const char *problem;    /* if the text is missing; NULL: it may be */
} import_levels[] = {
	{ NULL, "dsos", 0, NULL },
	{ "dso", "types", offsetof(struct imported_row, object), NULL },
	{ "type", "histograms", offsetof(struct imported_row, type), "a type has no name" },
	{ "event", "samples", offsetof(struct imported_row, event), "a histogram has no event" },
};

/* Reads an object of a level, and sets its text in the rows below it. Returns whether it has its
 * list. The levels bound the recursion. */
static bool read_level(struct importer *importer, size_t level)
{
	const struct import_level *this = &import_levels[level];
	struct json_reader *reader = &importer->reader;
	size_t first = importer->count;
	const char *name, *text = NULL;
	bool found = false;

	json_read_object(reader);
	while ((name = json_read_member(reader)))
		if (this->key && !strcmp(name, this->key)) {
			text = json_read_string(reader);
		} else if (!strcmp(name, this->list)) {
			found = true;
			json_read_array(reader);
			while (json_read_element(reader))
				if (level + 1 < COUNT_OF(import_levels))
					read_level(importer, level + 1);
				else
					read_offset(importer);
		} else {
			json_read_other(reader);
		}
	if (!text && this->problem)
		json_reader_fail(reader, this->problem);
	for (size_t i = first; this->key && i < importer->count; i++)
		memcpy((char *)&importer->rows[i] + this->member, &text, sizeof(text));
	return found;
}

static struct error *read_document(struct importer *importer, const char *path)
{
	if (!read_level(importer, 0))
		json_reader_fail(&importer->reader,
				 "there is no list of dsos: it has no histograms of types");
	return json_reader_finish(&importer->reader, path);
}

static struct error *read_text_of(const char *path, struct strbuf *text)
{
	_cleanup_close_ int fd = -1;
	struct stat status;

	RETURN_ERROR(ordinary_file_open(path, &fd, &status));
	if (!file_read_all(fd, FILE_SIZE_MAX, text))
		return error_errno(errno, "cannot read %s", path);
	return text->length > FILE_SIZE_MAX
		       ? error_create(ERROR_FORMAT, "%s: it is too large for histograms of types",
				      path)
		       : NULL;
}

static struct imported_event *event_called(struct imported *imported, const struct layout *layout,
					   const char *name)
{
	bool created;
	struct imported_event *event =
		hash_map_item(&imported->event_numbers, (uintptr_t)name, imported->events,
			      imported->event_count, imported->event_capacity, &created);

	if (created) {
		event->name = name;
		event->table = table_create(layout, 1);
	}
	return event;
}

static void add_imported_row(struct imported *imported, const struct layout *layout,
			     const struct imported_row *row, struct result_place *place)
{
	struct imported_event *event = event_called(imported, layout, row->event);

	*place = (struct result_place){
		.dso = row->object ? string_pool_intern(&imported->strings, base_name(row->object))
				   : "[unknown]",
		.dso_path = row->object,
		.type = row->type,
		.bare_type = row->type,
		.access = string_pool_intern(&imported->strings, row->store ? "store" : "load"),
		.how = string_pool_intern(&imported->strings, "imported"),
		.rule = string_pool_intern(&imported->strings, "-"),
		.offset = row->offset,
		.typed = true,
		.no_names = true,
	};

	const struct result result = {
		.place = place, .samples = row->samples, .period = row->period, .level = '.'
	};

	coverage_add(&event->coverage, &result);
	table_add(event->table, &result, 0);
}

struct error *report_import(const char *path, const struct layout *layout,
			    struct imported *imported)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct importer importer = { 0 };

	if (layout_needs(layout) & ~(uint64_t)(NEED_TYPE | NEED_FIELD_NAME | NEED_DSO))
		return error_other("--import: a file of histograms has types, offsets, accesses "
				   "and objects alone (-s dso,type,typeoff,acc)");
	RETURN_ERROR(read_text_of(path, &text));
	importer.reader = json_reader_of(text.data, text.length, &imported->strings);
	struct error *error = read_document(&importer, path);

	imported->places = xcalloc(importer.count + 1, sizeof(*imported->places));
	for (size_t i = 0; i < importer.count && !error; i++)
		add_imported_row(imported, layout, &importer.rows[i], &imported->places[i]);
	for (size_t i = 0; i < imported->event_count; i++)
		table_sort(imported->events[i].table);
	free(importer.rows);
	return error;
}

void imported_deinit(struct imported *imported)
{
	for (size_t i = 0; i < imported->event_count; i++)
		table_destroy(imported->events[i].table);
	hash_map_deinit(&imported->event_numbers);
	free_all(imported->events, imported->places);
	string_pool_deinit(&imported->strings);
}
