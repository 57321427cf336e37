// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/annotate_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/histogram_lines.h"
#include "profiler/base/memory.h"
#include "profiler/base/nearest.h"
#include "profiler/commands/field_count.h"
#include "profiler/commands/globals.h"
#include "profiler/commands/type_pattern.h"
#include "profiler/commands/type_source.h"
#include "report/annotated_machine.h"
#include "report/struct_layout.h"
#include "report/text.h"
#include "report/type_match.h"

#define DEPTH_MAX    64 /* of arrays */
#define DISCRIMINANT "(discriminant)"

unsigned int annotate_types_needs(const struct annotate_types_options *options)
{
	return NEED_TYPE | NEED_DSO | field_columns_needs(&options->output.columns) |
	       (options->by_symbol ? NEED_SYMBOL : 0) |
	       /* programs get all figures */
	       (options->format != OUTPUT_TEXT ? NEED_WEIGHT | NEED_DATA_SOURCE : 0) |
	       (options->layout ? NEED_TID | NEED_DATA_SOURCE : 0);
}

/* One type on its way to being printed. */
struct page {
	const struct annotate_types_options *options;
	const struct histogram_lines *lines;
	uint32_t event_count;
	struct arena texts; /* what lives as long as the page */
};

/* A name as it is shown: to people in as many columns as there are, to programs whole. */
static const char *shown_name(struct page *page, struct strbuf *name)
{
	if (page->options->max_name && page->options->format == OUTPUT_TEXT)
		text_shorten(name, 0, page->options->max_name);
	return arena_strdup(&page->texts, name->data);
}

static const char *declared_type(struct page *page, const struct member_line *member)
{
	struct strbuf type _cleanup_strbuf_ = STRBUF_INIT;

	if (member->depth)
		type_declaration(member->type, &type);
	else
		type_name(member->type, &type);
	return shown_name(page, &type);
}

static int compare_parts(const void *left, const void *right, void *data)
{
	const struct annotated_part *a = left, *b = right;
	uint32_t event_count = *(const uint32_t *)data;

	for (uint32_t event = 0; event < event_count; event++)
		if (a->counts[event].period != b->counts[event].period)
			return a->counts[event].period < b->counts[event].period ? 1 : -1;
	return strcmp(a->label, b->label);
}

static const char *symbol_label(struct page *page, const char *symbol)
{
	struct strbuf label _cleanup_strbuf_ = STRBUF_INIT;

	strbuf_add_format(&label, "-> %s", symbol ? symbol : "[unknown]");
	return shown_name(page, &label);
}

static const char *element_label(struct page *page, const struct type *array, int64_t element)
{
	struct strbuf label _cleanup_strbuf_ = STRBUF_INIT;

	member_element(array, element, &label);
	return arena_strdup(&page->texts, label.data);
}

/* Functions that touch a field, or elements of an array that are accessed one by one. */
static void add_parts(struct page *page, const struct histogram_line *line, struct annotated_line *shown)
{
	const struct annotate_types_options *options = page->options;
	size_t symbols = options->by_symbol ? line->part_count : 0,
	       elements = options->elements ? line->element_count : 0;
	struct annotated_part *parts = arena_alloc(&page->texts, (symbols + elements) * sizeof(*parts));

	for (size_t i = 0; i < elements; i++) {
		const struct histogram_part *part = &line->elements[i];
		bool any = part->element == ELEMENT_ANY;

		parts[i] = (struct annotated_part){
			.label = element_label(page, line->member.type, part->element),
			.offset = any ? -1
				      : line->member.offset +
						  part->element * (int64_t)line->member.element_size,
			.size = line->member.element_size,
			.counts = part->counts,
		};
	}
	for (size_t i = 0; i < symbols; i++)
		parts[elements + i] =
			(struct annotated_part){ .label = symbol_label(page, line->parts[i].by.symbol),
						 .offset = -1,
						 .counts = line->parts[i].counts };
	if (symbols)
		qsort_r(parts + elements, symbols, sizeof(*parts), compare_parts, &page->event_count);
	shown->parts = parts;
	shown->part_count = symbols + elements;
}

static bool is_union(const struct type *type)
{
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		type = type_strip(type);
		if (type->kind != TYPE_ARRAY)
			break;
		type = type_target(type);
	}
	return type->kind == TYPE_UNION;
}

/* What layouts show of a line besides. */
static void add_layout(struct page *page, const struct histogram_line *line, struct annotated_line *shown)
{
	struct strbuf base _cleanup_strbuf_ = STRBUF_INIT;
	struct strbuf declarator _cleanup_strbuf_ = STRBUF_INIT;
	struct annotated_thread *threads = arena_alloc(&page->texts, line->part_count * sizeof(*threads));

	type_declarator(line->member.type, shown->name, &base, &declarator);
	shown->base = shown_name(page, &base);
	shown->declarator = shown_name(page, &declarator);
	shown->unit = type_strip(line->member.type)->size;
	for (size_t i = 0; i < line->part_count; i++) {
		threads[i].id = line->parts[i].by.thread;
		for (uint32_t event = 0; event < page->event_count; event++) {
			threads[i].loads += line->parts[i].counts[event].loads;
			threads[i].stores += line->parts[i].counts[event].stores;
		}
	}
	shown->threads = threads;
	shown->thread_count = line->part_count;
}

static struct annotated_line *make_lines(struct page *page)
{
	struct annotated_line *shown = arena_alloc(&page->texts, page->lines->count * sizeof(*shown));

	for (size_t i = 0; i < page->lines->count; i++) {
		const struct histogram_line *line = &page->lines->lines[i];
		const struct member_line *member = &line->member;

		shown[i] = (struct annotated_line){ .type = declared_type(page, member),
						    .name = member->is_discriminant ? DISCRIMINANT
										    : member->name,
						    .depth = member->depth,
						    .offset = member->offset,
						    .size = member->size,
						    .bit_offset = member->bit_offset,
						    .bit_size = member->bit_size,
						    .opens = member->has_members,
						    .is_base = member->is_base,
						    .is_variant = member->is_variant,
						    .is_union = is_union(member->type),
						    .element_size = member->element_size,
						    .counts = line->counts };
		add_parts(page, line, &shown[i]);
		if (page->options->layout)
			add_layout(page, line, &shown[i]);
	}
	return shown;
}

/* Spots are in the order of their offsets. */
static struct annotated_cacheline *make_cachelines(struct page *page, const struct histogram *histogram,
						   size_t *count)
{
	uint64_t size = page->options->output.cacheline;
	struct annotated_cacheline *cachelines =
		arena_alloc(&page->texts, histogram->spot_count * sizeof(*cachelines));
	struct access_count *counts =
		arena_alloc(&page->texts, histogram->spot_count * page->event_count * sizeof(*counts));

	*count = 0;
	for (size_t i = 0; i < histogram->spot_count && size; i++) {
		uint64_t number = (uint64_t)histogram->spots[i].offset / size;

		if (!*count || cachelines[*count - 1].number != number) {
			cachelines[*count] =
				(struct annotated_cacheline){ .number = number,
							      .counts = counts + *count * page->event_count };
			++*count;
		}
		for (uint32_t event = 0; event < page->event_count; event++)
			access_count_add(&counts[(*count - 1) * page->event_count + event],
					 &histogram->counts[i * page->event_count + event]);
	}
	return cachelines;
}

/* The types of one group of events on their way to being printed. */
struct group_view {
	const struct annotate_types_options *options;
	const struct event_group *group;
	const char **event_names;
	bool named; /* CSV: the columns have their names */
};

static void print_type(struct group_view *view, const struct annotated_type *type, struct strbuf *buffer)
{
	const struct annotate_types_options *options = view->options;

	switch (options->format) {
	case OUTPUT_JSON: print_annotated_type_json(type, &options->output, options->json); break;
	case OUTPUT_CSV:
		print_annotated_type_csv(type, !view->named && !options->quiet, buffer);
		view->named = true;
		break;
	case OUTPUT_TEXT:
		if (options->layout)
			print_struct_layout(type, &options->output, buffer);
		else
			print_annotated_type(type, &options->output, buffer);
	}
}

static void print_histogram(struct group_view *view, const struct histogram *histogram, struct strbuf *buffer)
{
	const struct dso *dso = histogram->object;
	struct histogram_lines lines;
	struct page page = { .options = view->options, .lines = &lines, .event_count = view->group->count };

	histogram_lines(histogram, view->group->count, &lines);

	struct annotated_type type = { .name = declared_type(&page, &lines.lines[0].member),
				       .object = type_source_object(dso, &page.texts),
				       .samples = histogram->samples,
				       .events = view->event_names,
				       .event_count = view->group->count,
				       .lines = make_lines(&page),
				       .line_count = lines.count };

	if (view->options->layout)
		type.cachelines = make_cachelines(&page, histogram, &type.cacheline_count);
	print_type(view, &type, buffer);
	histogram_lines_release(&lines);
	arena_release(&page.texts);
}

/* What is said where no type is called as somebody asked. */
struct other_types {
	struct nearest nearest;
	char *part; /* its name, of a type that is asked for, and is accessed as a part of another; NULL: none
		     */
	char *whole; /* which that is */
};

static void other_types_release(struct other_types *others)
{
	free(others->part);
	free(others->whole);
}

/* The outermost type is what accesses are counted for: the one that was asked for may lie in it. */
static void find_as_part(const struct histogram *histogram, const struct type_pattern *pattern,
			 struct other_types *others)
{
	struct member_line *lines _cleanup_free_ = NULL;
	size_t count;

	member_lines(histogram->type, &lines, &count);
	for (size_t i = 1; i < count && !others->part; i++) {
		const struct type *type = type_canonical(lines[i].type);

		if (!lines[i].has_members || !type_pattern_matches(pattern, type))
			continue;
		others->part = xstrdup(type_name_interned(type));
		others->whole = xstrdup(type_name_interned(histogram->type));
	}
}

/* Returns how many were printed. */
static size_t print_types(struct group_view *view, const struct histograms *histograms,
			  const struct type_pattern *pattern, struct other_types *others)
{
	size_t printed = 0;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	for (size_t i = 0; i < histograms->count; i++) {
		const struct histogram *histogram = &histograms->items[i];

		if (!type_pattern_matches(pattern, histogram->type)) {
			if (!type_is_pointer(histogram->type))
				nearest_consider(
					&others->nearest,
					type_name_without_keyword(type_name_interned(histogram->type)));
			continue;
		}
		print_histogram(view, histogram, &text);
		fwrite(text.data, 1, text.length, stdout);
		strbuf_reset(&text);
		printed++;
	}
	for (size_t i = 0; i < histograms->count && !printed && !others->part; i++)
		find_as_part(&histograms->items[i], pattern, others);
	return printed;
}

static struct error *no_such_type(const char *type, const struct other_types *others)
{
	const struct nearest *nearest = &others->nearest;

	if (others->part)
		return error_create(
			ERROR_NOT_FOUND,
			"no sample is known to access a '%s' but as a part of others, such as '%s'",
			others->part, others->whole);
	if (nearest->best)
		return error_create(ERROR_NOT_FOUND,
				    "no sample is known to access a type '%s'; did you mean '%s'?", type,
				    nearest->best);
	return error_create(
		ERROR_NOT_FOUND,
		"no sample is known to access a type '%s' (dtprof report -s type lists the types)", type);
}

static void count_types(const struct input *input, const struct annotate_types_options *options,
			const struct event_groups *groups, struct histograms **histograms)
{
	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		const struct resolved_place *place =
			&input->resolution->places[input->resolution->place_of[i]];
		struct accessor by = { .symbol = options->by_symbol ? result.place->symbol : NULL,
				       .thread = options->layout ? result.tid : 0 };

		if (place->access.kind != ACCESS_TYPE || !filter_accepts(options->filter, &result))
			continue;

		struct access_count count = field_count(&input->counts->entries[i], &place->access);

		histograms_add(histograms[groups->group_of[result.event]], place->dso, &place->access, by,
			       groups->member_of[result.event], &count);
	}
}

static size_t print_group(const struct input *input, const struct annotate_types_options *options,
			  const struct event_group *group, const struct histograms *histograms,
			  const struct type_pattern *pattern, struct other_types *others)
{
	size_t event_count;
	const struct event *events = session_events(input->session, &event_count);
	const char **names _cleanup_free_ = xcalloc(group->count, sizeof(*names));
	struct group_view view = { .options = options, .group = group, .event_names = names };

	for (uint32_t event = 0; event < group->count; event++)
		names[event] = events[group->events[event]].name;
	return print_types(&view, histograms, pattern, others);
}

struct error *annotate_types(const struct input *input, const struct dso_options *dso_options,
			     struct annotate_types_options *options)
{
	struct event_groups groups;
	size_t printed = 0;
	struct type_pattern pattern;
	struct other_types others = { .nearest.word =
					      options->type ? type_name_without_keyword(options->type) : "" };
	struct histograms **histograms _cleanup_free_ = NULL;
	struct error *error = type_pattern_init(&pattern, options->type, input->resolution, dso_options);

	if (error) {
		type_pattern_release(&pattern);
		return error;
	}
	event_groups_init(&groups, input->session, options->grouping);
	options->output.name_events = groups.count > 1;
	histograms = xcalloc(groups.count, sizeof(struct histograms *));
	for (size_t i = 0; i < groups.count; i++)
		histograms[i] = histograms_create(groups.groups[i].count);
	count_types(input, options, &groups, histograms);
	if (options->format == OUTPUT_JSON)
		json_array(options->json, "types");
	for (size_t i = 0; i < groups.count; i++) {
		histograms_sort(histograms[i]);
		printed += print_group(input, options, &groups.groups[i], histograms[i], &pattern, &others);
		histograms_destroy(histograms[i]);
	}
	if (options->format == OUTPUT_JSON)
		json_end(options->json);
	event_groups_release(&groups);
	type_pattern_release(&pattern);
	if (!printed && options->type)
		error = no_such_type(options->type, &others);
	else if (!printed && !options->quiet)
		warning("no sample is known to access a type (--type-stat says why)");
	other_types_release(&others);
	return error;
}
