// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/annotate_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/commands/type_source.h"
#include "report/text.h"

#define DEPTH_MAX    64 /* of arrays */
#define DISCRIMINANT "(discriminant)"

/* One type on its way to being printed. */
struct page {
	const struct annotate_types_options *options;
	struct annotate_page *shown;
	uint32_t event_count;
};

/* A name as it is shown: to people in as many columns as there are, to programs whole. */
static const char *shown_name(struct page *page, struct strbuf *name)
{
	if (page->options->max_name && page->options->format == OUTPUT_TEXT)
		text_shorten(name, 0, page->options->max_name);
	return arena_strdup(&page->shown->texts, name->data);
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
	return arena_strdup(&page->shown->texts, label.data);
}

/* Functions that touch a field, or elements of an array that are accessed one by one. */
static void add_parts(struct page *page, const struct histogram_line *line, struct annotated_line *shown)
{
	const struct annotate_types_options *options = page->options;
	size_t symbols = options->by_symbol ? line->part_count : 0,
	       elements = options->elements ? line->element_count : 0;
	struct annotated_part *parts =
		arena_alloc(&page->shown->texts, (symbols + elements) * sizeof(*parts));

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

/* Elements are in the order of their numbers, those of a variable index first: these count where the array
 * begins. */
static void add_spread(struct page *page, const struct histogram_line *line, struct annotated_line *shown)
{
	uint64_t cacheline = page->options->output.cacheline;
	struct annotated_spread *spread =
		arena_alloc(&page->shown->texts, line->element_count * sizeof(*spread));

	for (size_t i = 0; i < line->element_count && cacheline && !line->member.has_members; i++) {
		const struct histogram_part *part = &line->elements[i];
		int64_t element = part->element == ELEMENT_ANY ? 0 : part->element,
			offset = line->member.offset + element * (int64_t)line->member.element_size;
		uint64_t number = (uint64_t)offset / cacheline;

		if (!shown->spread_count || spread[shown->spread_count - 1].cacheline != number)
			spread[shown->spread_count++] = (struct annotated_spread){ .cacheline = number };
		for (uint32_t event = 0; event < page->event_count; event++)
			spread[shown->spread_count - 1].samples += part->counts[event].samples;
	}
	shown->spread = spread;
}

/* What layouts show of a line besides. */
static void add_layout(struct page *page, const struct histogram_line *line, struct annotated_line *shown)
{
	struct strbuf base _cleanup_strbuf_ = STRBUF_INIT;
	struct strbuf declarator _cleanup_strbuf_ = STRBUF_INIT;
	struct annotated_thread *threads =
		arena_alloc(&page->shown->texts, line->part_count * sizeof(*threads));

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
	add_spread(page, line, shown);
}

static struct annotated_line *make_lines(struct page *page)
{
	struct annotated_line *shown =
		arena_alloc(&page->shown->texts, page->shown->lines.count * sizeof(*shown));

	for (size_t i = 0; i < page->shown->lines.count; i++) {
		const struct histogram_line *line = &page->shown->lines.lines[i];
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
		arena_alloc(&page->shown->texts, histogram->spot_count * sizeof(*cachelines));
	struct access_count *counts =
		arena_alloc(&page->shown->texts, histogram->spot_count * page->event_count * sizeof(*counts));

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

/* Those of a class and of its base classes, each once. */
static void add_virtual_bases(const struct type *type, int depth, struct strbuf *names)
{
	size_t count, base_count;
	const struct member *members = type_members(type_strip(type), &count);
	const struct type *const *bases = type_virtual_bases(type_strip(type), &base_count);

	for (size_t i = 0; i < base_count; i++) {
		const char *name = type_name_interned(bases[i]);

		if (!names->length || !strstr(names->data, name))
			strbuf_add_format(names, "%s%s", names->length ? ", " : "", name);
	}
	for (size_t i = 0; i < count && depth < DEPTH_MAX; i++)
		if (members[i].is_base)
			add_virtual_bases(members[i].type, depth + 1, names);
}

static const char *virtual_bases(struct page *page, const struct type *type)
{
	struct strbuf names _cleanup_strbuf_ = STRBUF_INIT;

	add_virtual_bases(type, 0, &names);
	return names.length ? shown_name(page, &names) : NULL;
}

void annotate_page_init(struct annotate_page *shown, const struct annotate_types_options *options,
			const struct histogram *histogram, const char *const *events, uint32_t event_count)
{
	struct page page = { .options = options, .shown = shown, .event_count = event_count };

	*shown = (struct annotate_page){ 0 };
	histogram_lines(histogram, event_count, &shown->lines);
	shown->type = (struct annotated_type){ .name = declared_type(&page, &shown->lines.lines[0].member),
					       .object = type_source_object(histogram->object, &shown->texts),
					       .samples = histogram->samples,
					       .events = events,
					       .event_count = event_count,
					       .virtual_bases = virtual_bases(&page, histogram->type),
					       .lines = make_lines(&page),
					       .line_count = shown->lines.count };
	if (options->layout)
		shown->type.cachelines = make_cachelines(&page, histogram, &shown->type.cacheline_count);
}

void annotate_page_release(struct annotate_page *shown)
{
	histogram_lines_release(&shown->lines);
	arena_release(&shown->texts);
}
