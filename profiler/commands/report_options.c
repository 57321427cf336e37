// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The options of dtprof report: their table, what their arguments mean, and how they go together.
 */
#include "profiler/commands/report.h"

#include "profiler/cli/names.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/commands/browse.h"
#include "profiler/commands/html.h"

#define DEFAULT_SORT "comm,dso,sym"
#define MEMORY_SORT  /* --mem-mode */                                                              \
	"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat,"  \
	"local_p_stage_cyc"

struct report_options report_options = {
	.callgraph = CALLGRAPH_OPTIONS_INIT,
	.layout.children = true,
	.inline_frames = true,
	.print.callgraph = true,
};

static struct report_options *const options = &report_options;

struct error *report_parse_separator(void *value, const char *argument)
{
	if (!*argument || *argument == '.')
		return error_other("the separator may not be '.' or empty");
	*(const char **)value = strcmp(argument, "\\t") ? argument : "\t";
	return NULL;
}

/* Parses --percent-limit. As in perf, rows and call graphs share it until -g gives another. */
static struct error *parse_percent_limit(void *value, const char *argument)
{
	struct report_options *into = value;

	RETURN_ERROR(option_percent("it", argument, &into->print.percent_limit));
	into->callgraph.threshold = into->print.percent_limit;
	return NULL;
}

static struct error *report_options_parse_callgraph(void *value, const char *argument)
{
	return callgraph_parse(value, argument);
}

static bool json, csv, inverted, demangle = true;

/* A file has the form that programs read, unless --no-perf-format follows. */
static struct error *parse_output(void *unused _unused_, const char *argument)
{
	report_options.output = argument;
	report_options.perf_format = true;
	return NULL;
}

// clang-format off
static const struct option_spec specs[] = {
	GROUP("Rows and columns"),
	OPTION(STRING, 's', "sort", &report_options.layout.sort, "KEYS", "group and sort by these keys, separated by commas\n(comm,dso,sym); +KEYS adds to the default"),
	OPTION(STRING, 'F', "fields", &report_options.layout.fields, "KEYS", "show these columns, in this order; +KEYS adds to those of -s"),
	OPTION(STRING, 0, "sort-by", &report_options.layout.sort_by, "KEYS", "sort rows by these keys first, without grouping by them"),
	FLAG('H', "hierarchy", &report_options.layout.hierarchy, "show a level for each key, or for each {group,of,keys}"),
	FLAG('n', "show-nr-samples", &report_options.layout.show_samples, "add a column with the number of samples"),
	FLAG(0, "show-total-period", &report_options.layout.show_period, "add a column with the sum of the periods"),
	{ OPTION_CALL, 0, "percent-limit", &report_options, "PERCENT", "leave out rows and branches of call graphs below this", parse_percent_limit },
	GROUPING_OPTION_SPECS(report_options.grouping),
	FLAG(0, "with-off-cpu", &report_options.grouping.off_cpu, "time on processors and time asleep in one table (record\n--off-cpu)"),
	LOCK_TIME_SPEC(report_options.input),
	FLAG(0, "mem-mode", &report_options.memory_mode, "compute shares by weight (latency), not by period; sort by\nwhere the data came from"),
	FLAG(0, "mem-only", &report_options.memory_only, "leave out instructions that access no memory"),
	OPTION(ENUM, 0, "by", WORDS(report_options.weighing, "period", "weight", "samples"), "WHAT", "compute shares by period (the default), weight or samples"),
	GROUP("Call graphs (if the file has call chains)"),
	FLAG(0, "no-call-graph", &report_options.callgraph.none, "show none"),
	{ OPTION_CALL_NEXT, 'g', "call-graph", &report_options.callgraph, "HOW", "words separated by commas: graph, folded or none;\nthreshold in percent; number of branches; caller or callee\n(graph,0.5,caller)", report_options_parse_callgraph },
	FLAG(0, "children", &report_options.layout.children, "add rows for callers, including their callees (the default;\n--no-children: do not)"),
	FLAG('G', "inverted", &inverted, "show callers above callees: -g caller"),
	OPTION(UNSIGNED, 0, "max-stack", &report_options.callgraph.max_stack, "N", "use at most N frames of a chain (127)"),
	FLAG(0, "inline", &report_options.inline_frames, "show frames of inlined functions (the default;\n--no-inline: do not)"),
	GROUP("Choosing samples (lists are separated by commas)"),
	NAME_OPTION_SPECS(report_options.filter),
	OPTION(STRING, 0, "symbol-filter", &report_options.filter.symbol_part, "TEXT", "in functions whose name contains this"),
	{ OPTION_CALL, 0, "pid", &report_options.filter.pids, "LIST", "of these processes", parse_pids_option },
	{ OPTION_CALL, 0, "tid", &report_options.filter.tids, "LIST", "of these threads", parse_tids_option },
	FLAG(0, "guest", &report_options.filter.guests, "of virtual machines, too"),
	OPTION(STRING, 'C', "cpu", &report_options.choice.cpu_list, "LIST", "on these processors, such as 0-3,8"),
	OPTION(STRING, 0, "time", &report_options.choice.time, "RANGES", "between START,STOP in seconds (either may be left out); or\n10%/2 (the second tenth), 20%-40%; several are separated\nby commas, or times by blanks"),
	FLAG('U', "hide-unresolved", &report_options.filter.resolved, "in functions whose name is known"),
	OPTION(ENUM, 0, "percentage", WORDS(report_options.relative, "absolute", "relative"), "HOW", "show shares of all samples (absolute) or of the chosen ones\n(relative)"),
	GROUP("Output"),
	BROWSE_OPTION_SPECS(report_options.browse),
	FLAG(0, "json", &json, "print JSON (Documentation/json.md)"),
	FLAG(0, "csv", &csv, "print comma-separated values (the same)"),
	OPTION(STRING, 0, "import", &report_options.import, "FILE", "show the histograms of types in this file (export\n--format=data-type-json), and read no recording"),
	OPTION(STRING, 0, "html", &report_options.html, "FILE", "write a page for browsers: types, their layouts, code, and a\nflame graph"),
	{ OPTION_CALL, 'o', "output", NULL, "FILE", "write this file", parse_output },
	OPTION(U64, 0, "max-rows", &report_options.print.max_rows, "N", "print at most N rows of each table, or of each level below a\nrow"),
	FLAG(0, "perf-format", &report_options.perf_format, "print tables in perf's form (the default if the output\nis not a terminal; --no-perf-format: do not)"),
	{ OPTION_CALL, 't', "field-separator", &report_options.print.separator, "TEXT", "separate columns with this, and do not align them", report_parse_separator },
	OPTION(STRING, 'w', "column-widths", &report_options.layout.widths, "LIST", "set the widths of columns; 0: as needed"),
	OPTION(UNSIGNED, 0, "max-name", &report_options.print.max_name, "N", "cut the middle out of longer names (default: the width of\nthe terminal)"),
	FLAG(0, "hex", &report_options.print.hexadecimal, "print offsets as perf does: +0x28"),
	FLAG(0, "demangle", &demangle, "show names of C++, D and Rust as in the source (the default;\n--no-demangle: as in the object)"),
	FLAG(0, "ns", &report_options.print.nanoseconds, "show times in nanoseconds"),
	FLAG(0, "full-source-path", &report_options.full_source_path, "show source files with their directories"),
	FLAG(0, "header", &report_options.header, "begin with the file's header"),
	FLAG(0, "header-only", &report_options.header_only, "print only the header"),
	FLAG(0, "stats", &report_options.stats, "print the number of records of each kind instead of tables"),
	GROUP("Input"),
	SOURCE_OPTION_SPEC(report_options.input),
	INPUT_OPTION_SPECS(report_options.input),
	OPTIONS_END,
};
// clang-format on

const struct command_usage report_usage = {
	.name = "report",
	.synopsis = "[OPTIONS]",
	.summary = "Show where the samples of a perf.data file are, by type, field, symbol ...",
	.options = specs,
	/* the page groups and sorts by itself */
	.alternatives = (const char *const[]){ "html json csv", "html sort", "html fields",
					       "html sort-by", "html hierarchy", NULL },
};

/* Returns whether the keys of -s or -F, which may be NULL, have a key of types. */
static bool report_has_type_key(const char *keys)
{
	return keys && (strstr(keys, "type") || strstr(keys, "waiting"));
}

static void set_html(void)
{
	options->layout.sort = HTML_SORT;
	options->layout.fields = HTML_FIELDS;
	options->callgraph.threshold =
		options->print.percent_limit; /* the flame graph needs all branches */
}

bool report_is_for_screen(void)
{
	return !json && !csv && !options->html && !options->print.separator &&
	       !options->perf_format;
}

struct error *report_options_finish(void)
{
	struct callgraph_options *callgraph = &options->callgraph;

	if (options->html)
		set_html();
	options->format = options->html ? OUTPUT_HTML
			  : json        ? OUTPUT_JSON
			  : csv         ? OUTPUT_CSV
					: OUTPUT_TEXT;
	options->no_demangle = !demangle;
	options->layout.default_sort = !options->memory_mode    ? DEFAULT_SORT
				       : report_is_for_screen() ? MEMORY_SCREEN_SORT
								: MEMORY_SORT;
	if (options->memory_mode)
		options->weighing = BY_WEIGHT;
	/* as in perf: a type belongs to the accessing instruction, not to its callers */
	if (options->memory_mode || options->layout.hierarchy ||
	    report_has_type_key(options->layout.sort) ||
	    report_has_type_key(options->layout.fields))
		options->layout.children = false;
	if (inverted || (options->layout.children && !callgraph->order_chosen))
		callgraph->caller_first = true;
	if (!callgraph->max_stack)
		return error_other("--max-stack must be at least 1");
	return NULL;
}
