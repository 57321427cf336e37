// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof report: counted samples as tables by the chosen keys, one for each event or group of events. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/event_groups.h"
#include "profiler/commands/globals.h"
#include "profiler/commands/input.h"
#include "profiler/commands/terminal.h"
#include "profiler/ingest/header_text.h"
#include "report/filter.h"
#include "report/layout.h"
#include "report/print.h"
#include "report/table.h"

#define DEFAULT_SORT "comm,dso,sym"
#define MEMORY_SORT  "local_weight,mem,sym,dso,snoop,tlb,locked,blocked" /* --mem-mode */

static struct {
	struct input_options input;
	struct layout_options layout;
	struct print_options print;
	struct filter filter;
	struct grouping grouping;
	bool relative; /* percentages of what the filters leave */
	bool full_source_path;
	bool header, header_only, full_header;
	bool memory_mode;
	bool stdio;
} options;

static struct error *parse_words(void *value, const char *argument)
{
	word_list_parse(value, argument);
	return NULL;
}

static struct error *parse_pids(void *value, const char *argument)
{
	return word_list_parse_numbers(value, argument, "--pid");
}

static struct error *parse_tids(void *value, const char *argument)
{
	return word_list_parse_numbers(value, argument, "--tid");
}

static struct error *parse_percentage(void *value, const char *argument)
{
	if (strcmp(argument, "relative") != 0 && strcmp(argument, "absolute") != 0)
		return error_create(ERROR_OTHER, "'%s' is not relative or absolute", argument);
	*(bool *)value = argument[0] == 'r';
	return NULL;
}

static struct error *parse_separator(void *value, const char *argument)
{
	if (!*argument || *argument == '.')
		return error_create(ERROR_OTHER, "the separator may not be '.' or empty");
	*(const char **)value = strcmp(argument, "\\t") ? argument : "\t";
	return NULL;
}

static const struct option_spec report_options[] = {
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Rows and columns", NULL },
	{ OPTION_STRING, 's', "sort", &options.layout.sort, "KEYS",
	  "group and sort by these keys, with commas between\n(comm,dso,sym); +KEYS adds to the default",
	  NULL },
	{ OPTION_STRING, 'F', "fields", &options.layout.fields, "KEYS", "show these columns, in this order",
	  NULL },
	{ OPTION_FLAG, 'H', "hierarchy", &options.layout.hierarchy, NULL,
	  "one level for each key, or for each {group,of,keys}", NULL },
	{ OPTION_FLAG, 'n', "show-nr-samples", &options.layout.show_samples, NULL,
	  "a column with the number of samples", NULL },
	{ OPTION_FLAG, 0, "show-total-period", &options.layout.show_period, NULL,
	  "a column with the sum of the periods", NULL },
	{ OPTION_PERCENT, 0, "percent-limit", &options.print.percent_limit, "PERCENT",
	  "leave out rows below it", NULL },
	GROUPING_OPTION_SPECS(options.grouping),
	{ OPTION_FLAG, 0, "mem-mode", &options.memory_mode, NULL,
	  "weigh samples by their weight (latency), not by their\nperiod; sorts by where the data came from",
	  NULL },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Which samples (lists with commas between)", NULL },
	{ OPTION_CALL, 'c', "comms", &options.filter.comms, "LIST", "of these commands", parse_words },
	{ OPTION_CALL, 'd', "dsos", &options.filter.dsos, "LIST", "in these programs and libraries",
	  parse_words },
	{ OPTION_CALL, 'S', "symbols", &options.filter.symbols, "LIST", "in these functions", parse_words },
	{ OPTION_CALL, 0, "pid", &options.filter.pids, "LIST", "of these processes", parse_pids },
	{ OPTION_CALL, 0, "tid", &options.filter.tids, "LIST", "of these threads", parse_tids },
	{ OPTION_CALL, 0, "percentage", &options.relative, "HOW",
	  "of all samples (absolute), or of the chosen ones (relative)", parse_percentage },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Output", NULL },
	{ OPTION_CALL, 't', "field-separator", &options.print.separator, "TEXT",
	  "between columns, which then are not aligned", parse_separator },
	{ OPTION_STRING, 'w', "column-widths", &options.layout.widths, "LIST",
	  "widths of the columns; 0: as needed", NULL },
	{ OPTION_FLAG, 0, "hex", &options.print.hexadecimal, NULL, "offsets as perf prints them: +0x28",
	  NULL },
	{ OPTION_FLAG, 0, "full-source-path", &options.full_source_path, NULL,
	  "source files with their directories", NULL },
	{ OPTION_FLAG, 0, "header", &options.header, NULL,
	  "first what the file says of itself and its events", NULL },
	{ OPTION_FLAG, 0, "header-only", &options.header_only, NULL, "nothing but that", NULL },
	{ OPTION_FLAG, 'I', "show-info", &options.full_header, NULL, "with --header: long lists in full",
	  NULL },
	{ OPTION_FLAG, 0, "stdio", &options.stdio, NULL, "as text (it always is)", NULL },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Input", NULL },
	INPUT_OPTION_SPECS(options.input),
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, NULL },
};

static const struct command_usage report_usage = {
	.name = "report",
	.synopsis = "[OPTIONS]",
	.summary = "Show where the samples of a perf.data file are, by type, field, symbol ...",
	.options = report_options,
};

static void print_keys(void)
{
	printf("\nKeys of --sort and --fields:\n");
	for (const struct key *const *key = all_keys; *key; key++)
		printf("    %-14s %s\n", (*key)->alias ? (*key)->alias : (*key)->name, (*key)->summary);
}

struct report {
	struct layout layout;
	struct strbuf heading;
	struct event_groups groups;
	struct table **tables; /* one for each group */
};

static void make_tables(struct report *report, const struct session *session)
{
	event_groups_init(&report->groups, session, &options.grouping);
	report->tables = xcalloc(report->groups.count, sizeof(struct table *));
	for (size_t i = 0; i < report->groups.count; i++)
		report->tables[i] = table_create(&report->layout, report->groups.groups[i].count);
}

static void fill_tables(struct report *report, const struct input *input)
{
	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		struct table *table = report->tables[report->groups.group_of[result.event]];
		uint32_t member = report->groups.member_of[result.event];

		/* as perf: what has no weight still counts */
		if (options.memory_mode)
			result.period = (result.weight ? result.weight : 1) * result.samples;
		if (filter_accepts(&options.filter, &result))
			table_add(table, &result, member);
		else if (!options.relative)
			table_add_filtered(table, &result, member);
	}
}

static void write_out(struct strbuf *text)
{
	fwrite(text->data, 1, text->length, stdout);
	strbuf_reset(text);
}

static void print_report(struct report *report, const struct input *input)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	const char *sort = options.layout.sort ? options.layout.sort : options.layout.default_sort;
	const char *weighed_sort = options.memory_mode ? sort : NULL;

	if (!session_totals(input->session)->samples && !options.input.quiet)
		warning("the file has no samples");
	if (options.header)
		session_header_text(input->session, options.full_header, &text);
	else if (!options.input.quiet)
		strbuf_add_string(&text, "# To display the perf.data header info, please use "
					 "--header/--header-only options.\n#\n");
	if (!options.input.quiet)
		strbuf_add_format(&text, "%s#\n# Total Lost Samples: %" PRIu64 "\n#\n", report->heading.data,
				  session_totals(input->session)->lost_samples);
	for (size_t i = 0; i < report->groups.count; i++) {
		struct table *table = report->tables[i];
		struct strbuf name _cleanup_strbuf_ = STRBUF_INIT;

		if (!table->total_samples && !(options.relative && report->groups.count == 1))
			continue;
		table_sort(table);
		event_group_name(&report->groups.groups[i], input->session, &name);
		if (!options.input.quiet)
			print_table_heading(table,
					    &(struct table_heading){ .event = name.data,
								     .is_group = table->event_count > 1,
								     .weighed_sort = weighed_sort },
					    &text);
		print_table(table, &options.print, &text);
		strbuf_add_string(&text, "\n\n");
		write_out(&text);
	}
	write_out(&text);
}

static void report_release(struct report *report)
{
	for (size_t i = 0; i < report->groups.count; i++)
		table_destroy(report->tables[i]);
	free(report->tables);
	event_groups_release(&report->groups);
	strbuf_release(&report->heading);
}

static void print_header(const struct input *input)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	session_header_text(input->session, options.full_header, &text);
	write_out(&text);
}

static struct error *run_report(struct report *report, struct input *input)
{
	RETURN_ERROR(input_open(&options.input, input));
	if (options.header_only) {
		pager_start();
		print_header(input);
		return NULL;
	}
	RETURN_ERROR(input_resolve(&options.input,
				   layout_needs(&report->layout) | filter_needs(&options.filter) |
					   (options.memory_mode ? NEED_WEIGHT : 0),
				   options.full_source_path, input));
	filter_elide(&options.filter, &report->layout, &report->heading);
	make_tables(report, input->session);
	fill_tables(report, input);
	options.print.colour = terminal_colour();
	pager_start();
	print_report(report, input);
	return NULL;
}

int command_report(int argc, char **argv)
{
	struct report report = { .heading = STRBUF_INIT };
	struct input input = { 0 };
	int rest, status;

	options.layout.default_sort = DEFAULT_SORT;
	if (!command_begin(argc, argv, &report_usage, OPTIONS_ANYWHERE, &rest, &status)) {
		if (status == EXIT_SUCCESS)
			print_keys();
		return status;
	}
	if (rest)
		return fail_usage(
			error_create(ERROR_OTHER, "what is '%s'? (-i FILE names a file to read)", argv[0]));

	if (options.memory_mode)
		options.layout.default_sort = MEMORY_SORT;

	struct error *error = layout_parse(&options.layout, &report.layout);

	if (error)
		return fail_usage(error);
	options.print.verbose = options.input.verbose;
	options.print.quiet = options.input.quiet;
	error = run_report(&report, &input);
	status = error ? fail(error) : EXIT_SUCCESS;
	report_release(&report);
	input_close(&input);
	filter_release(&options.filter);
	return status;
}
