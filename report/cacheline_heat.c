// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/cacheline_heat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/printable.h"

#define NAMES_SHOWN 8
#define DEPTH_MAX   64

/* A field with accesses. Of a union all of it is one: its members are the same bytes. */
struct hot_field {
	const char *path;
	uint64_t cacheline;
	uint64_t samples, stores;
	const struct annotated_thread *threads;
	size_t thread_count;
};

struct hot_fields {
	struct hot_field *items;
	size_t count, capacity;
	struct arena texts;
};

static uint64_t samples_of(const struct annotated_type *type, const struct annotated_line *line)
{
	uint64_t samples = 0;

	for (uint32_t event = 0; event < type->event_count; event++)
		samples += line->counts[event].samples;
	return samples;
}

/* "key.id" of the line, whose ancestors are at[1..depth - 1]; as elsewhere without base classes. */
static char *path_of(struct arena *texts, const struct annotated_line *const *at,
		     const struct annotated_line *line)
{
	struct strbuf path _cleanup_strbuf_ = STRBUF_INIT;

	for (uint32_t depth = 1; depth <= line->depth; depth++) {
		const struct annotated_line *part = depth < line->depth ? at[depth] : line;

		if (part->name)
			strbuf_add_format(&path, "%s%s", path.length ? "." : "", part->name);
	}
	return arena_strdup(texts, path.length ? path.data : "(anonymous)");
}

static void add_field(const struct annotated_type *type, size_t index, const struct annotated_line *const *at,
		      uint64_t cacheline, struct hot_fields *fields)
{
	const struct annotated_line *line = &type->lines[index], *leaf = line;

	/* of a union the accessors are those of its first member that has any */
	for (size_t i = index, end = annotated_line_end(type, index); i < end && !leaf->thread_count; i++)
		leaf = &type->lines[i];

	struct hot_field field = { .path = path_of(&fields->texts, at, line),
				   .cacheline = (uint64_t)line->offset / cacheline,
				   .samples = samples_of(type, line),
				   .threads = leaf->threads,
				   .thread_count = leaf->thread_count };

	for (size_t i = 0; i < leaf->thread_count; i++)
		field.stores += leaf->threads[i].stores;
	for (size_t i = 0; i < line->spread_count || !i; i++) {
		if (line->spread_count) {
			field.cacheline = line->spread[i].cacheline;
			field.samples = line->spread[i].samples;
		}
		array_reserve(fields->items, fields->count, fields->capacity);
		fields->items[fields->count++] = field;
	}
}

static int compare_fields(const void *left, const void *right)
{
	const struct hot_field *a = left, *b = right;

	if (a->cacheline != b->cacheline)
		return a->cacheline < b->cacheline ? -1 : 1;
	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	return strcmp(a->path, b->path);
}

static void collect_fields(const struct annotated_type *type, uint64_t cacheline, struct hot_fields *fields)
{
	const struct annotated_line *at[DEPTH_MAX + 1] = { NULL };
	size_t next;

	for (size_t i = 1; i < type->line_count; i = next) {
		const struct annotated_line *line = &type->lines[i];
		bool is_whole = !line->opens || (line->is_union && line->name) || line->depth >= DEPTH_MAX;

		next = is_whole ? annotated_line_end(type, i) : i + 1;
		if (line->depth < DEPTH_MAX)
			at[line->depth] = line;
		if (is_whole && line->offset >= 0 && samples_of(type, line))
			add_field(type, i, at, cacheline, fields);
		/* members of an anonymous union are the same bytes: the first with accesses stands for all */
		if (is_whole && line->depth && at[line->depth - 1] && at[line->depth - 1]->is_union &&
		    samples_of(type, line)) {
			while (next < type->line_count && type->lines[next].depth >= line->depth)
				next++;
		}
	}
	if (fields->count)
		qsort(fields->items, fields->count, sizeof(*fields->items), compare_fields);
}

static void print_heat(const struct annotated_type *type, const struct annotated_options *options,
		       const struct hot_fields *fields, struct strbuf *buffer)
{
	size_t field = 0;

	field_columns_print_headings(&options->columns, type->event_count, buffer);
	strbuf_add_string(buffer, "  cacheline  fields\n");
	for (size_t i = 0; i < type->cacheline_count; i++) {
		const struct annotated_cacheline *cacheline = &type->cachelines[i];
		size_t start, first;

		field_columns_print(&options->columns, cacheline->counts, type->lines[0].counts,
				    type->event_count, options->colour, buffer);
		start = buffer->length;
		strbuf_add_format(buffer, "  %9" PRIu64 "  ", cacheline->number);
		while (field < fields->count && fields->items[field].cacheline < cacheline->number)
			field++;
		first = field;
		for (; field < fields->count && fields->items[field].cacheline == cacheline->number; field++)
			strbuf_add_format(
				buffer, "%s%s %.2f%%", field > first ? ", " : "", fields->items[field].path,
				100.0 * (double)fields->items[field].samples / (double)type->samples);
		strbuf_end_line(buffer, start);
	}
	strbuf_add_char(buffer, '\n');
}

/* ---- false sharing ---- */

static bool touches(const struct hot_field *field, int32_t thread)
{
	for (size_t i = 0; i < field->thread_count; i++)
		if (field->threads[i].id == thread)
			return true;
	return false;
}

/* Whether some thread uses `other` and not the written `field`; those are added to `threads`. */
static bool is_disturbed(const struct hot_field *field, const struct hot_field *other, int32_t *threads,
			 size_t *thread_count)
{
	bool disturbed = false;

	for (size_t i = 0; i < other->thread_count; i++) {
		int32_t thread = other->threads[i].id;
		size_t known = 0;

		if (touches(field, thread))
			continue;
		disturbed = true;
		while (known < *thread_count && threads[known] != thread)
			known++;
		if (known == *thread_count && known < NAMES_SHOWN)
			threads[(*thread_count)++] = thread;
	}
	return disturbed;
}

static void add_thread(struct strbuf *buffer, bool first, int32_t thread)
{
	strbuf_add_format(buffer, "%s%d", first ? "" : ", ", thread);
}

static void add_threads(struct strbuf *buffer, const int32_t *threads, size_t count)
{
	for (size_t i = 0; i < count && i < NAMES_SHOWN; i++) {
		if (threads[i] < 0)
			strbuf_add_format(buffer, "%s0 on cpu %d", i ? ", " : "", -1 - threads[i]);
		else
			add_thread(buffer, !i, threads[i]);
	}
	if (count > NAMES_SHOWN)
		strbuf_add_format(buffer, " and %zu more", count - NAMES_SHOWN);
}

static void print_sharing(const struct annotated_sharing *sharing, struct strbuf *buffer)
{
	size_t start = buffer->length;

	strbuf_add_format(buffer, "  %s is written by tid ", sharing->field);
	add_threads(buffer, sharing->writers, sharing->writer_count);
	strbuf_add_string(buffer, "; in the same cacheline ");
	for (size_t i = 0; i < sharing->neighbour_count && i < NAMES_SHOWN; i++)
		strbuf_add_format(buffer, "%s%s", i ? ", " : "", sharing->neighbours[i]);
	if (sharing->neighbour_count > NAMES_SHOWN)
		strbuf_add_format(buffer, " and %zu more", sharing->neighbour_count - NAMES_SHOWN);
	strbuf_add_string(buffer, " by tid ");
	add_threads(buffer, sharing->threads, sharing->thread_count);
	strbuf_add_format(buffer, " (seen in %" PRIu64 " cacheline%s)", sharing->cachelines,
			  sharing->cachelines == 1 ? "" : "s");
	strbuf_end_line(buffer, start);
}

/* What the addresses say. */
static void print_sharings(const struct annotated_type *type, struct strbuf *buffer)
{
	if (type->objects)
		strbuf_add_format(buffer,
				  "%" PRIu64 " object%s seen, %" PRIu64 " of them aligned to cachelines\n\n",
				  type->objects, type->objects == 1 ? "" : "s", type->aligned_objects);
	if (!type->sharing_count)
		return;
	strbuf_add_string(buffer, "Possible false sharing (by the addresses of data: threads use different "
				  "bytes of one cacheline in "
				  "turns):\n");
	for (size_t i = 0; i < type->sharing_count; i++)
		print_sharing(&type->sharings[i], buffer);
	strbuf_add_char(buffer, '\n');
}

/* One line for a written field and all that it disturbs. */
static bool print_hint(const struct hot_fields *fields, size_t index, struct strbuf *buffer)
{
	const struct hot_field *field = &fields->items[index];
	int32_t threads[NAMES_SHOWN];
	size_t thread_count = 0, shown = 0, writers = 0, start = buffer->length;
	struct strbuf names _cleanup_strbuf_ = STRBUF_INIT;

	for (size_t i = 0; i < fields->count; i++) {
		const struct hot_field *other = &fields->items[i];

		if (i == index || other->cacheline != field->cacheline ||
		    !is_disturbed(field, other, threads, &thread_count))
			continue;
		if (shown++ < NAMES_SHOWN)
			strbuf_add_format(&names, "%s'%s'", shown > 1 ? ", " : "", other->path);
	}
	if (!shown)
		return false;
	strbuf_add_format(buffer, "  cacheline %" PRIu64 ": '%s' is written by tid ", field->cacheline,
			  field->path);
	for (size_t i = 0; i < field->thread_count && writers < NAMES_SHOWN; i++)
		if (field->threads[i].stores)
			add_thread(buffer, !writers++, field->threads[i].id);
	strbuf_add_string(buffer, "; its neighbours ");
	strbuf_add_string(buffer, names.data);
	if (shown > NAMES_SHOWN)
		strbuf_add_format(buffer, " and %zu more", shown - NAMES_SHOWN);
	strbuf_add_string(buffer, " are used by tid ");
	for (size_t i = 0; i < thread_count; i++)
		add_thread(buffer, !i, threads[i]);
	strbuf_end_line(buffer, start);
	return true;
}

static void print_hints(const struct hot_fields *fields, struct strbuf *buffer)
{
	struct strbuf hints _cleanup_strbuf_ = STRBUF_INIT;

	for (size_t i = 0; i < fields->count; i++)
		if (fields->items[i].stores)
			print_hint(fields, i, &hints);
	if (!hints.length)
		return;
	strbuf_add_string(
		buffer,
		"Possible false sharing (addresses of data are not known: all objects are taken together, "
		"as if aligned):\n");
	strbuf_add_string(buffer, hints.data);
	strbuf_add_char(buffer, '\n');
}

void print_cacheline_heat(const struct annotated_type *type, const struct annotated_options *options,
			  struct strbuf *buffer)
{
	struct hot_fields fields = { 0 };

	if (!options->cacheline)
		return;
	if (type->line_count > 1) {
		collect_fields(type, options->cacheline, &fields);
		print_heat(type, options, &fields, buffer);
	}
	if (type->addressed)
		print_sharings(type, buffer);
	else
		print_hints(&fields, buffer);
	free(fields.items);
	arena_release(&fields.texts);
}
