// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof annotate: types with the share of each field, or how the types were found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/histogram.h"
#include "profiler/base/memory.h"
#include "profiler/base/nearest.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/event_groups.h"
#include "profiler/commands/globals.h"
#include "profiler/commands/input.h"
#include "profiler/commands/insn_stat.h"
#include "profiler/commands/terminal.h"
#include "profiler/commands/type_pattern.h"
#include "profiler/commands/type_stat.h"
#include "report/annotated.h"
#include "report/filter.h"

#define CACHELINE 64

static struct {
	struct input_options input;
	struct annotated_options output;
	struct filter filter;
	const char *type; /* NULL: all */
	bool type_stat;
	bool insn_stat;
	struct grouping grouping;
	bool stdio;
} options = { .output.cacheline = CACHELINE };

static struct error *parse_type(void *value, const char *argument)
{
	(void)value;
	options.type = argument;
	return NULL;
}

static struct error *parse_words(void *value, const char *argument)
{
	word_list_parse(value, argument);
	return NULL;
}

static const struct option_spec annotate_options[] = {
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "What", NULL },
	{ OPTION_CALL_OPTIONAL, 0, "data-type", NULL, "NAME",
	  "the type of this name (or all like 'list_*'); all types\nif none is given, those with the most "
	  "samples first",
	  parse_type },
	{ OPTION_FLAG, 0, "type-stat", &options.type_stat, NULL,
	  "how types were found, and why those missing were not", NULL },
	{ OPTION_FLAG, 0, "insn-stat", &options.insn_stat, NULL,
	  "for which instructions types were found, and for which not", NULL },
	{ OPTION_CALL, 's', "symbol", &options.filter.symbols, "LIST", "accesses in these functions only",
	  parse_words },
	{ OPTION_CALL, 'd', "dsos", &options.filter.dsos, "LIST", "in these programs and libraries only",
	  parse_words },
	{ OPTION_CALL, 'c', "comms", &options.filter.comms, "LIST", "by these commands only", parse_words },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Output", NULL },
	{ OPTION_FLAG, 'n', "show-nr-samples", &options.output.show_samples, NULL,
	  "samples instead of percentages", NULL },
	{ OPTION_FLAG, 0, "show-total-period", &options.output.show_period, NULL,
	  "periods instead of percentages", NULL },
	{ OPTION_U64, 0, "cacheline", &options.output.cacheline, "BYTES",
	  "mark boundaries of that distance (64); 0: none", NULL },
	{ OPTION_FLAG, 0, "hex", &options.output.hexadecimal, NULL,
	  "offsets and sizes as perf prints them: 0x28", NULL },
	GROUPING_OPTION_SPECS(options.grouping),
	{ OPTION_FLAG, 0, "stdio", &options.stdio, NULL, "as text (it always is)", NULL },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Input", NULL },
	INPUT_OPTION_SPECS(options.input),
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, NULL },
};

static const struct command_usage annotate_usage = {
	.name = "annotate",
	.synopsis = "[--data-type[=NAME]] [--type-stat] [--insn-stat] [OPTIONS]",
	.summary = "Show the types that samples of a perf.data file go to, field by field.",
	.options = annotate_options,
};

static void print_histogram(const struct histogram *histogram, const struct event_group *group,
			    const struct event *events, struct strbuf *buffer)
{
	const struct dso *dso = histogram->object;
	uint32_t event_count = group->count;
	struct histogram_lines lines;
	struct annotated_line *shown _cleanup_free_ = NULL;
	struct figures *figures _cleanup_free_ = NULL;
	const char **names _cleanup_free_ = xcalloc(event_count, sizeof(*names));
	struct arena texts _cleanup_arena_ = { 0 };

	histogram_lines(histogram, event_count, &lines);
	shown = xcalloc(lines.count, sizeof(*shown));
	figures = xcalloc(lines.count * event_count, sizeof(*figures));
	for (uint32_t event = 0; event < event_count; event++)
		names[event] = events[group->events[event]].name;
	for (size_t i = 0; i < lines.count; i++) {
		const struct member_line *member = &lines.lines[i].member;
		struct strbuf type _cleanup_strbuf_ = STRBUF_INIT;

		if (i)
			type_declaration(member->type, &type);
		else
			type_name(member->type, &type);
		for (uint32_t event = 0; event < event_count; event++)
			figures[i * event_count + event] =
				(struct figures){ .samples = lines.lines[i].counts[event].samples,
						  .period = lines.lines[i].counts[event].period };
		shown[i] = (struct annotated_line){ .type = arena_strdup(&texts, type.data),
						    .name = member->name,
						    .depth = member->depth,
						    .offset = member->offset,
						    .size = member->size,
						    .bit_size = member->bit_size,
						    .opens = member->has_members,
						    .is_base = member->is_base,
						    .figures = figures + i * event_count };
	}
	print_annotated_type(&(struct annotated_type){ .name = type_name_interned(histogram->type),
						       .object = dso ? dso->long_name : "[unknown]",
						       .samples = histogram->samples,
						       .events = names,
						       .event_count = event_count,
						       .lines = shown,
						       .line_count = lines.count },
			     &options.output, buffer);
	histogram_lines_release(&lines);
}

/* The types of one group of events; returns how many were printed. */
static size_t print_types(const struct histograms *histograms, const struct event_group *group,
			  const struct event *events, const struct type_pattern *pattern,
			  struct nearest *nearest)
{
	size_t printed = 0;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	for (size_t i = 0; i < histograms->count; i++) {
		const struct histogram *histogram = &histograms->items[i];

		if (!type_pattern_matches(pattern, histogram->type)) {
			if (!type_is_pointer(histogram->type))
				nearest_consider(nearest, type_name_without_keyword(
								  type_name_interned(histogram->type)));
			continue;
		}
		print_histogram(histogram, group, events, &text);
		fwrite(text.data, 1, text.length, stdout);
		strbuf_reset(&text);
		printed++;
	}
	return printed;
}

static struct error *no_such_type(const struct nearest *nearest)
{
	if (nearest->best)
		return error_create(ERROR_NOT_FOUND,
				    "no sample is known to access a type '%s'; did you mean '%s'?",
				    options.type, nearest->best);
	return error_create(
		ERROR_NOT_FOUND,
		"no sample is known to access a type '%s' (dtprof report -s type lists the types)",
		options.type);
}

static struct error *annotate_types(const struct input *input, const struct type_pattern *pattern)
{
	struct event_groups groups;
	size_t event_count, printed = 0;
	const struct event *events = session_events(input->session, &event_count);
	struct nearest nearest = { .word = options.type ? type_name_without_keyword(options.type) : "" };
	struct histograms **histograms _cleanup_free_ = NULL;

	event_groups_init(&groups, input->session, &options.grouping);
	options.output.name_events = groups.count > 1;
	histograms = xcalloc(groups.count, sizeof(struct histograms *));
	for (size_t i = 0; i < groups.count; i++)
		histograms[i] = histograms_create(groups.groups[i].count);
	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		const struct resolved_place *place =
			&input->resolution->places[input->resolution->place_of[i]];

		if (place->access.kind == ACCESS_TYPE && filter_accepts(&options.filter, &result))
			histograms_add(
				histograms[groups.group_of[result.event]], place->dso, &place->access,
				groups.member_of[result.event],
				(struct access_count){ .samples = result.samples, .period = result.period });
	}
	for (size_t i = 0; i < groups.count; i++) {
		histograms_sort(histograms[i]);
		printed += print_types(histograms[i], &groups.groups[i], events, pattern, &nearest);
		histograms_destroy(histograms[i]);
	}
	event_groups_release(&groups);
	return printed || !options.type ? NULL : no_such_type(&nearest);
}

static struct error *run_annotate(struct input *input, struct type_pattern *pattern)
{
	RETURN_ERROR(input_open(&options.input, input));
	RETURN_ERROR(input_resolve(&options.input, NEED_TYPE | NEED_DSO | filter_needs(&options.filter),
				   false, input));
	RETURN_ERROR(type_pattern_init(pattern, options.type, input->resolution, &options.input.dso));
	options.output.colour = terminal_colour();
	pager_start();
	if (options.type_stat)
		print_type_stat(input, &options.filter);
	if (options.insn_stat)
		RETURN_ERROR(print_insn_stat(input, &options.input.dso, &options.filter));
	return annotate_types(input, pattern);
}

int command_annotate(int argc, char **argv)
{
	struct input input = { 0 };
	struct type_pattern pattern = { 0 };
	int rest, status;

	if (!command_begin(argc, argv, &annotate_usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	if (rest)
		return fail_usage(error_create(
			ERROR_OTHER, "what is '%s'? (--data-type=NAME names a type, -i FILE a file)",
			argv[0]));

	struct error *error = run_annotate(&input, &pattern);

	status = error ? fail(error) : EXIT_SUCCESS;
	type_pattern_release(&pattern);
	input_close(&input);
	filter_release(&options.filter);
	return status;
}
