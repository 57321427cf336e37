// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/annotate_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/histogram.h"
#include "annotate/member.h"
#include "profiler/base/memory.h"
#include "profiler/base/nearest.h"
#include "profiler/commands/annotate_page.h"
#include "profiler/commands/field_count.h"
#include "profiler/commands/globals.h"
#include "profiler/commands/line_sharing.h"
#include "profiler/commands/type_pattern.h"
#include "report/annotated_machine.h"
#include "report/struct_layout.h"
#include "report/type_match.h"

unsigned int annotate_types_needs(const struct annotate_types_options *options)
{
	return NEED_TYPE | NEED_DSO | field_columns_needs(&options->output.columns) |
	       (options->by_symbol ? NEED_SYMBOL : 0) |
	       /* programs get all figures */
	       (options->format != OUTPUT_TEXT ? NEED_WEIGHT | NEED_DATA_SOURCE : 0) |
	       (options->layout
			? NEED_PID | NEED_TID | NEED_CPU | NEED_DATA_SOURCE | NEED_DATA_ADDRESS | NEED_TIME
			: 0);
}

/* The types of one group of events on their way to being printed. */
struct group_view {
	const struct annotate_types_options *options;
	const struct event_group *group;
	const struct line_sharing *sharing; /* NULL: it is not asked for */
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
	struct annotate_page page;

	annotate_page_init(&page, view->options, histogram, view->event_names, view->group->count);
	if (view->sharing)
		line_sharing_show(view->sharing, histogram, &page.texts, &page.type);
	print_type(view, &page.type, buffer);
	annotate_page_release(&page);
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

/* `--data-type NAME` is two words: the name is taken for a function's, as perf takes it. */
static struct error *no_such_symbol(const struct word_list *symbols)
{
	return error_create(ERROR_NOT_FOUND,
			    "no sample in a function '%s' is known to access a type (a type of that name is "
			    "--data-type=%s)",
			    symbols->words[0], symbols->words[0]);
}

static void count_types(const struct input *input, const struct annotate_types_options *options,
			const struct event_groups *groups, struct histograms **histograms,
			struct line_sharing *sharing)
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
		if (sharing)
			line_sharing_add(sharing, &result, place->dso, &place->access, &count);
	}
}

static size_t print_group(const struct input *input, const struct annotate_types_options *options,
			  const struct event_group *group, const struct histograms *histograms,
			  const struct line_sharing *sharing, const struct type_pattern *pattern,
			  struct other_types *others)
{
	size_t event_count;
	const struct event *events = session_events(input->session, &event_count);
	const char **names _cleanup_free_ = xcalloc(group->count, sizeof(*names));
	struct group_view view = {
		.options = options, .group = group, .sharing = sharing, .event_names = names
	};

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
	struct line_sharing *sharing = NULL;
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
	if (options->layout && options->output.cacheline)
		sharing = line_sharing_create(options->output.cacheline);
	count_types(input, options, &groups, histograms, sharing);
	if (sharing)
		line_sharing_finish(sharing);
	if (options->format == OUTPUT_JSON)
		json_array(options->json, "types");
	for (size_t i = 0; i < groups.count; i++) {
		histograms_sort(histograms[i]);
		printed += print_group(input, options, &groups.groups[i], histograms[i], sharing, &pattern,
				       &others);
		histograms_destroy(histograms[i]);
	}
	if (options->format == OUTPUT_JSON)
		json_end(options->json);
	line_sharing_destroy(sharing);
	event_groups_release(&groups);
	type_pattern_release(&pattern);
	if (!printed && options->type)
		error = no_such_type(options->type, &others);
	else if (!printed && options->filter->symbols.count)
		error = no_such_symbol(&options->filter->symbols);
	else if (!printed && !options->quiet)
		warning("no sample is known to access a type (--type-stat says why)");
	other_types_release(&others);
	return error;
}
