// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof report: counted samples in tables by the chosen keys, one table for each event or group of
 * events.
 *
 * In order: the options, the tables, the output, the command.
 */
#include "profiler/commands/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"
#include "profiler/base/text.h"
#include "profiler/commands/annotate.h"
#include "profiler/commands/branches.h"
#include "profiler/commands/browse.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/html.h"
#include "profiler/cli/names.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/commands/records.h"
#include "profiler/ingest/session.h"
#include "profiler/cli/trouble.h"
#include "report/result.h"
#include "report/print/print.h"
#include "report/table.h"
#include "report/text.h"

struct report {
	struct layout layout;
	bool browses; /* in place of tables */
	enum browse_start start;
	const char *sort; /* as given */
	struct strbuf heading;
	struct sample_choice choice;
	regex_t parent, ignored; /* -p, --ignore-callees */
	bool is_usage;           /* the error is in the command line */
	struct error *bad_keys;  /* the error about a key, which may still turn out to be a
				    tracepoint's field */
	struct trace_keys trace_keys;
	bool has_parent, has_ignored;
	bool has_chains;
	uint64_t needs;
	bool of_branches; /* results are branches, not samples */
	struct event_groups groups;
	struct layout
		*layouts; /* one per group if some keys belong to some events only; else NULL */
	struct table **tables;      /* one per group */
	struct coverage *coverages; /* one per group */
	struct shown_samples shown;
};

/* ---- options ---- */

#define DEFAULT_SORT "comm,dso,sym"
/* --mem-mode */
#define MEMORY_SORT                                                                                \
	"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat,"  \
	"local_p_"                                                                                 \
	"stage_cyc"
#define BRANCH_SORT     "comm,dso_from,symbol_from,symbol_to,cycles"
#define DEFAULT_QUANTUM (100 * NS_PER_MS) /* perf's default */

struct report_options report_options = {
	.callgraph = CALLGRAPH_OPTIONS_INIT,
	.layout.children = true,
	.inline_frames = true,
	.print.callgraph = true,
	.time_quantum = DEFAULT_QUANTUM,
};

static struct report_options *const options = &report_options;

static struct error *parse_percentage(void *value, const char *argument)
{
	if (strcmp(argument, "relative") != 0 && strcmp(argument, "absolute") != 0)
		return error_create(ERROR_OTHER, "'%s' is not relative or absolute", argument);
	*(bool *)value = argument[0] == 'r';
	return NULL;
}

struct error *report_parse_separator(void *value, const char *argument)
{
	if (!*argument || *argument == '.')
		return error_create(ERROR_OTHER, "the separator may not be '.' or empty");
	*(const char **)value = strcmp(argument, "\\t") ? argument : "\t";
	return NULL;
}

/* As in perf, rows and branches of call graphs share a limit until -g gives another. */
static struct error *parse_percent_limit(void *value, const char *argument)
{
	struct report_options *into = value;

	RETURN_ERROR(option_percent("it", argument, &into->print.percent_limit));
	into->callgraph.threshold = into->print.percent_limit;
	return NULL;
}

static struct error *parse_callgraph(void *value, const char *argument)
{
	return callgraph_parse(value, argument);
}

static struct error *parse_weighing(void *value, const char *argument)
{
	static const char *const names[] = { "period", "weight", "samples" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (!strcmp(argument, names[i])) {
			*(enum weighing *)value = (enum weighing)i;
			return NULL;
		}
	return error_create(ERROR_OTHER, "'%s' is not period, weight or samples", argument);
}

static struct error *parse_quantum(void *value, const char *argument)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", NS_PER_US }, { "ms", NS_PER_MS }, { "s", NS_PER_S } };
	size_t digits = strspn(argument, "0123456789");
	unsigned long long number = 0;
	char text[20] = "";

	if (digits && digits < sizeof(text))
		memcpy(text, argument, digits);
	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (!strcmp(argument + digits, units[i].name) &&
		    option_number(text, UINT64_MAX / units[i].ns, &number) && number) {
			*(uint64_t *)value = number * units[i].ns;
			return NULL;
		}
	return error_create(ERROR_OTHER, "'%s' is not a time with a unit, such as 10ms", argument);
}

static struct error *parse_parallelism(void *value, const char *argument)
{
	struct filter *filter = value;

	filter->parallelism = (struct number_set){ 0 };
	filter->has_parallelism = true;
	return number_set_parse(&filter->parallelism, argument, 1, "it takes numbers of threads");
}

static struct error *parse_socket(void *value, const char *argument)
{
	struct filter *filter = value;
	unsigned long long number;

	if (!option_number(argument, INT32_MAX, &number))
		return error_create(ERROR_OTHER, "'%s' is not the number of a socket", argument);
	filter->socket = (unsigned int)number;
	filter->has_socket = true;
	return NULL;
}

static bool json, csv, total_weight, inverted, ignored;
static bool wants_branches, wants_no_branches;

static struct error *refuse_branch_history(void *unused, const char *argument)
{
	(void)unused;
	(void)argument;
	return error_create(ERROR_UNSUPPORTED,
			    "branches are not joined to call chains here: -b counts the branches "
			    "themselves, --no-branch-stack -g shows call chains");
}

static bool skip_empty = true, demangle = true;

/* An option of perf's that is refused with a reason. */
#define REFUSED(letter, name, reason)                                                              \
	{                                                                                          \
		OPTION_CALL_OPTIONAL, letter, name, (void *)(reason), NULL, NULL,                  \
			refuse_perf_option                                                         \
	}

static const struct option_spec specs[] = {
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Rows and columns", NULL },
	{ OPTION_STRING, 's', "sort", &report_options.layout.sort, "KEYS",
	  "group and sort by these keys, separated by commas\n(comm,dso,sym); +KEYS adds to the "
	  "default",
	  NULL },
	{ OPTION_STRING, 'F', "fields", &report_options.layout.fields, "KEYS",
	  "show these columns, in this order; +KEYS adds to those of -s", NULL },
	{ OPTION_STRING, 0, "sort-by", &report_options.layout.sort_by, "KEYS",
	  "sort rows by these keys first, without grouping by them", NULL },
	{ OPTION_FLAG, 'H', "hierarchy", &report_options.layout.hierarchy, NULL,
	  "show a level for each key, or for each {group,of,keys}", NULL },
	{ OPTION_FLAG, 'n', "show-nr-samples", &report_options.layout.show_samples, NULL,
	  "add a column with the number of samples", NULL },
	{ OPTION_FLAG, 0, "show-total-period", &report_options.layout.show_period, NULL,
	  "add a column with the sum of the periods", NULL },
	{ OPTION_FLAG, 0, "show-cpu-utilization", &report_options.layout.show_levels, NULL,
	  "add columns with the shares of the kernel and of user space", NULL },
	{ OPTION_FLAG, 0, "showcpuutilization", &report_options.layout.show_levels, NULL,
	  "the same", NULL },
	{ OPTION_CALL, 0, "percent-limit", &report_options, "PERCENT",
	  "leave out rows and branches of call graphs below this", parse_percent_limit },
	GROUPING_OPTION_SPECS(report_options.grouping),
	{ OPTION_UNSIGNED, 0, "group-sort-idx", &report_options.group_sort_index, "N",
	  "sort the rows of a group by its event N, from 0", NULL },
	{ OPTION_FLAG, 0, "skip-empty", &skip_empty, NULL,
	  "leave out tables of events without samples (the default)", NULL },
	{ OPTION_FLAG, 0, "mem-mode", &report_options.memory_mode, NULL,
	  "compute shares by weight (latency), not by period; sort by\nwhere the data came from",
	  NULL },
	{ OPTION_FLAG, 0, "mem-only", &report_options.memory_only, NULL,
	  "leave out instructions that access no memory", NULL },
	{ OPTION_FLAG, 0, "latency", &report_options.layout.latency_first, NULL,
	  "show shares of wall-clock time first (if recorded with\n--latency)", NULL },
	{ OPTION_FLAG, 0, "no-branch-stack", &wants_no_branches, NULL,
	  "count samples even if they have branch stacks", NULL },
	{ OPTION_FLAG, 'b', "branch-stack", &wants_branches, NULL,
	  "count the branches of branch stacks, not samples (the default\nfor files of record -b, "
	  "without types)",
	  NULL },
	{ OPTION_CALL_OPTIONAL, 0, "branch-history", NULL, NULL, NULL, refuse_branch_history },
	{ OPTION_CALL, 0, "by", &report_options.weighing, "WHAT",
	  "compute shares by period (the default), weight or samples", parse_weighing },
	{ OPTION_FLAG, 0, "total-weight", &total_weight, NULL, "the same as --by weight", NULL },
	{ OPTION_CALL, 0, "time-quantum", &report_options.time_quantum, "TIME",
	  "round the key time to this, such as 10ms (100ms)", parse_quantum },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Call graphs (if the file has call chains)", NULL },
	{ OPTION_FLAG, 0, "no-call-graph", &report_options.callgraph.none, NULL, "show none",
	  NULL },
	{ OPTION_CALL_NEXT, 'g', "call-graph", &report_options.callgraph, "HOW",
	  "words separated by commas: graph, flat, fractal, folded or\nnone; threshold in percent; "
	  "number of "
	  "branches; caller or\ncallee; function, address or srcline; percent, period or\ncount "
	  "(graph,0.5,caller,function,percent)",
	  parse_callgraph },
	{ OPTION_FLAG, 0, "children", &report_options.layout.children, NULL,
	  "add rows for callers, including their callees (the default;\n--no-children: do not)",
	  NULL },
	{ OPTION_FLAG, 'G', "inverted", &inverted, NULL, "show callers above callees: -g caller",
	  NULL },
	{ OPTION_UNSIGNED, 0, "max-stack", &report_options.callgraph.max_stack, "N",
	  "use at most N frames of a chain (127)", NULL },
	{ OPTION_FLAG, 0, "inline", &report_options.inline_frames, NULL,
	  "show frames of inlined functions (the default;\n--no-inline: do not)", NULL },
	{ OPTION_STRING, 0, "ignore-callees", &report_options.ignore_callees, "REGEX",
	  "count callees of functions with such a name as the function", NULL },
	{ OPTION_STRING, 'p', "parent", &report_options.parent, "REGEX",
	  "let the key parent show these callers (^sys_|^do_page_fault)", NULL },
	{ OPTION_FLAG, 'x', "exclude-other", &report_options.exclude_other, NULL,
	  "use only samples with such a caller", NULL },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Choosing samples (lists are separated by commas)",
	  NULL },
	{ OPTION_CALL, 'c', "comms", &report_options.filter.comms, "LIST", "of these commands",
	  parse_words_option },
	{ OPTION_CALL, 'd', "dsos", &report_options.filter.dsos, "LIST",
	  "in these programs and libraries", parse_words_option },
	{ OPTION_CALL, 'S', "symbols", &report_options.filter.symbols, "LIST", "in these functions",
	  parse_words_option },
	{ OPTION_STRING, 0, "symbol-filter", &report_options.filter.symbol_part, "TEXT",
	  "in functions whose name contains this", NULL },
	{ OPTION_CALL, 0, "types", &report_options.filter.types, "LIST",
	  "of accesses to these types; * and ? are wildcards", parse_words_option },
	{ OPTION_CALL, 0, "pid", &report_options.filter.pids, "LIST", "of these processes",
	  parse_pids_option },
	{ OPTION_CALL, 0, "tid", &report_options.filter.tids, "LIST", "of these threads",
	  parse_tids_option },
	{ OPTION_CALL, 0, "parallelism", &report_options.filter, "LIST",
	  "while this many threads ran at once, such as 1-2", parse_parallelism },
	{ OPTION_CALL, 0, "socket-filter", &report_options.filter, "N",
	  "on processors of this socket", parse_socket },
	{ OPTION_FLAG, 0, "guest", &report_options.filter.guests, NULL, "of virtual machines, too",
	  NULL },
	{ OPTION_STRING, 'C', "cpu", &report_options.cpus, "LIST",
	  "on these processors, such as 0-3,8", NULL },
	{ OPTION_STRING, 0, "time", &report_options.time, "RANGES",
	  "between START,STOP in seconds (either may be left out); or\n10%/2 (the second tenth), "
	  "20%-40%; "
	  "several with commas\nbetween, of times with blanks",
	  NULL },
	{ OPTION_FLAG, 'U', "hide-unresolved", &report_options.filter.resolved, NULL,
	  "in functions whose name is known", NULL },
	{ OPTION_CALL, 0, "percentage", &report_options.relative, "HOW",
	  "show shares of all samples (absolute) or of the chosen ones\n(relative)",
	  parse_percentage },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Output", NULL },
	BROWSE_OPTION_SPECS(report_options.browse),
	{ OPTION_FLAG, 0, "json", &json, NULL, "print JSON (Documentation/json.md)", NULL },
	{ OPTION_FLAG, 0, "csv", &csv, NULL, "print comma-separated values (the same)", NULL },
	{ OPTION_STRING, 0, "html", &report_options.html, "FILE",
	  "write a page for browsers: types, their layouts, code, and a\nflame graph", NULL },
	{ OPTION_STRING, 'o', "output", &report_options.output, "FILE", "write this file", NULL },
	{ OPTION_U64, 0, "max-rows", &report_options.print.max_rows, "N",
	  "print at most N rows of each table, or of each level below a\nrow", NULL },
	{ OPTION_FLAG, 0, "perf-format", &report_options.perf_format, NULL,
	  "print tables in perf's form (the default where output is no\nterminal; "
	  "--no-perf-format: do not)",
	  NULL },
	{ OPTION_CALL, 't', "field-separator", &report_options.print.separator, "TEXT",
	  "separate columns with this, and do not align them", report_parse_separator },
	{ OPTION_STRING, 'w', "column-widths", &report_options.layout.widths, "LIST",
	  "set the widths of columns; 0: as needed", NULL },
	{ OPTION_UNSIGNED, 0, "max-name", &report_options.print.max_name, "N",
	  "cut the middle out of longer names (default: the width of\nthe terminal)", NULL },
	{ OPTION_FLAG, 0, "hex", &report_options.print.hexadecimal, NULL,
	  "print offsets as perf does: +0x28", NULL },
	{ OPTION_FLAG, 0, "demangle", &demangle, NULL,
	  "show names of C++ and Rust as in the source (the default;\n--no-demangle: as in the "
	  "object)",
	  NULL },
	{ OPTION_FLAG, 0, "ns", &report_options.print.nanoseconds, NULL,
	  "show times in nanoseconds", NULL },
	{ OPTION_FLAG, 0, "full-source-path", &report_options.full_source_path, NULL,
	  "show source files with their directories", NULL },
	{ OPTION_FLAG, 0, "raw-trace", &report_options.raw_trace, NULL,
	  "show the key trace as fields, not as the kernel prints it", NULL },
	{ OPTION_FLAG, 0, "header", &report_options.header, NULL, "begin with the file's header",
	  NULL },
	{ OPTION_FLAG, 0, "header-only", &report_options.header_only, NULL, "print only the header",
	  NULL },
	{ OPTION_FLAG, 'I', "show-info", &report_options.full_header, NULL,
	  "with --header, print long lists in full", NULL },

	{ OPTION_FLAG, 0, "stats", &report_options.stats, NULL,
	  "print the number of records of each kind instead of tables", NULL },
	{ OPTION_FLAG, 'D', "dump-raw-trace", &report_options.dump, NULL,
	  "print each record with its bytes and fields instead of tables", NULL },
	{ OPTION_FLAG, 0, "tasks", &report_options.tasks, NULL,
	  "print the tree of tasks instead of tables", NULL },
	{ OPTION_FLAG, 0, "mmaps", &report_options.maps, NULL,
	  "print the tree of tasks with their last maps", NULL },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Input", NULL },
	INPUT_OPTION_SPECS(report_options.input),
	PERF_OPTION_SPECS,
	/* of perf's browser and code, or of how perf works */
	{ OPTION_CALL, 'M', "disassembler-style", NULL, "STYLE", NULL, ignore_option },
	{ OPTION_CALL, 0, "percent-type", NULL, "TYPE", NULL, ignore_option },
	{ OPTION_CALL, 0, "prefix", NULL, "PREFIX", NULL, ignore_option },
	{ OPTION_CALL, 0, "prefix-strip", NULL, "N", NULL, ignore_option },
	{ OPTION_CALL, 0, "samples", NULL, "N", NULL, ignore_option },
	{ OPTION_CALL, 0, "unwind-style", NULL, "LIST", NULL, ignore_option },
	{ OPTION_CALL, 0, "addr2line-style", NULL, "LIST", NULL, ignore_option },
	{ OPTION_FLAG, 0, "asm-raw", &ignored, NULL, NULL, NULL },
	{ OPTION_FLAG, 0, "disable-order", &ignored, NULL, NULL, NULL },
	{ OPTION_FLAG, 0, "stdio2", &ignored, NULL, NULL, NULL },
	REFUSED('T', "threads", "counters read for each thread are not shown"),
	REFUSED(0, "pretty", "counters read for each thread are not shown"),
	REFUSED(0, "itrace", "hardware traces are not decoded"),
	REFUSED(0, "total-cycles", "-b shows the branches themselves, -s cycles their cycles"),
	REFUSED(0, "stitch-lbr", "branches are not joined to call chains"),
	REFUSED(0, "show-ref-call-graph", "each event has its own call chains"),
	REFUSED(0, "switch-on", "--time chooses samples by their times"),
	REFUSED(0, "switch-off", "--time chooses samples by their times"),
	{ OPTION_FLAG, 0, "source", &ignored, NULL, NULL, NULL },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, NULL },
};

const struct command_usage report_usage = {
	.name = "report",
	.synopsis = "[OPTIONS]",
	.summary = "Show where the samples of a perf.data file are, by type, field, symbol ...",
	.options = specs,
};

/* Returns the "by" of the heading, or NULL for periods. */
static const char *report_weighing_name(enum weighing weighing)
{
	return weighing == BY_WEIGHT ? "weight" : weighing == BY_SAMPLES ? "samples" : NULL;
}

static bool has_type_key(const char *keys)
{
	return keys && strstr(keys, "type");
}

/*
 * Checks the options that go with --html, and sets its keys: the page groups and sorts by itself.
 */
static struct error *check_html(void)
{
	struct layout_options *layout = &options->layout;

	if (json || csv)
		return error_create(ERROR_OTHER, "--html cannot be combined with --json or --csv");
	if (layout->sort || layout->fields || layout->sort_by || layout->hierarchy)
		return error_create(ERROR_OTHER,
				    "--html has its own keys: leave out -s, -F, --sort-by and -H");
	layout->sort = HTML_SORT;
	layout->fields = HTML_FIELDS;
	options->callgraph.threshold =
		options->print.percent_limit; /* the flame graph needs all branches */
	return NULL;
}

/* Checks the options against each other, and derives settings from them. Call after parsing. */
static struct error *report_options_finish(void)
{
	struct callgraph_options *callgraph = &options->callgraph;

	if (json && csv)
		return error_create(ERROR_OTHER, "--json and --csv cannot be combined");
	if (options->html)
		RETURN_ERROR(check_html());
	options->format = options->html ? OUTPUT_HTML
			  : json        ? OUTPUT_JSON
			  : csv         ? OUTPUT_CSV
					: OUTPUT_TEXT;
	options->grouping.keep_empty = !skip_empty;
	options->no_demangle = !demangle;
	if (total_weight)
		options->weighing = BY_WEIGHT;
	options->layout.default_sort = options->memory_mode ? MEMORY_SORT : DEFAULT_SORT;
	if (options->memory_mode)
		options->weighing = BY_WEIGHT;
	/* as in perf: a type belongs to the accessing instruction, not to its callers */
	if (options->memory_mode || options->layout.hierarchy ||
	    has_type_key(options->layout.sort) || has_type_key(options->layout.fields))
		options->layout.children = false;
	if (inverted || (options->layout.children && !callgraph->order_chosen))
		callgraph->caller_first = true;
	options->filter.has_parent = options->exclude_other;
	if (options->stats && (options->tasks || options->maps))
		return error_create(ERROR_OTHER,
				    "--tasks and --mmaps cannot be combined with --stats");
	if (!callgraph->max_stack)
		return error_create(ERROR_OTHER, "--max-stack must be at least 1");
	return NULL;
}

/* ---- the browser ---- */

/* Sets the first view for the keys of -s. Returns false if the browser lacks one of them. */
static bool find_start(const char *keys, enum browse_start *start)
{
	static const struct {
		const char *key;
		enum browse_start start;
	} starts[] = {
		{ "type", BROWSE_TYPES },    { "typeoff", BROWSE_TYPES },
		{ "sym", BROWSE_FUNCTIONS }, { "symbol", BROWSE_FUNCTIONS },
		{ "dso", BROWSE_OBJECTS },   { "comm", BROWSE_THREADS },
		{ "pid", BROWSE_THREADS },   { "tid", BROWSE_THREADS },
	};
	bool first = true;

	*start = BROWSE_TYPES;
	for (const char *key = keys; key && *key; first = false) {
		size_t length = strcspn(key, ","), i = 0, count = COUNT_OF(starts);

		while (i < count &&
		       (strlen(starts[i].key) != length || strncmp(starts[i].key, key, length)))
			i++;
		if (i == count)
			return false;
		*start = first ? starts[i].start : *start;
		key += length + (key[length] == ',');
	}
	return true;
}

/* Returns whether an option asks for more or other than the browser shows. */
static bool wants_text(void)
{
	const struct layout_options *layout = &options->layout;
	const struct print_options *print = &options->print;

	return options->format != OUTPUT_TEXT || wants_branches || print->separator ||
	       options->perf_format || options->header || options->header_only || options->dump ||
	       options->stats || options->tasks || options->maps || layout->hierarchy ||
	       layout->fields || layout->sort_by || layout->latency_first || layout->show_samples ||
	       layout->show_period || layout->show_levels || layout->widths ||
	       options->callgraph.asked || options->parent || options->exclude_other ||
	       options->ignore_callees || options->memory_mode || options->grouping.all ||
	       print->percent_limit > 0 || print->max_name || options->raw_trace ||
	       options->input.quiet || global_options.debug_type_profile;
}

/* Decides whether the browser opens. Call after parsing. */
static struct error *choose_browser(struct report *report)
{
	bool known = find_start(options->layout.sort, &report->start);

	return browse_decide(options->browse, wants_text() || !known, &report->browses);
}

static struct error *report_browse(struct report *report, struct input *input)
{
	static const enum browse_weight weights[] = { [BY_PERIOD] = WEIGH_PERIOD,
						      [BY_WEIGHT] = WEIGH_LATENCY,
						      [BY_SAMPLES] = WEIGH_SAMPLES };

	return browse_run(&(struct browse_report){ .input = &options->input,
						   .filter = &options->filter,
						   .relative = options->relative,
						   .memory_only = options->memory_only,
						   .start = report->start,
						   .weight = weights[options->weighing],
						   .chooses = !options->layout.sort },
			  input);
}

/* ---- tables ---- */

/*
 * Returns the group's layout. As in perf, tables of other events have no columns for the fields of
 * an event.
 */
static const struct layout *group_layout(struct report *report, size_t group)
{
	const struct event_group *events = &report->groups.groups[group];
	struct layout *layout;

	if (!report->layouts)
		return &report->layout;
	layout = &report->layouts[group];
	*layout = report->layout;
	for (size_t i = 0; i < report->trace_keys.count; i++) {
		bool found = false;

		for (uint32_t e = 0; e < events->count && !found; e++)
			found = events->events[e] == report->trace_keys.choices[i].event;
		if (!found)
			layout_remove(layout, &report->trace_keys.keys[i]);
	}
	return layout;
}

/* Creates a table for each group of events. Call after resolving. */
static void report_make_tables(struct report *report, const struct input *input)
{
	const struct resolution *resolution = input->resolution;

	event_groups_init(&report->groups, input->session, &options->grouping);
	report->tables = xcalloc(report->groups.count, sizeof(struct table *));
	report->coverages = xcalloc(report->groups.count, sizeof(*report->coverages));
	if (report->trace_keys.count)
		report->layouts = xcalloc(report->groups.count, sizeof(*report->layouts));
	for (size_t i = 0; i < report->groups.count; i++) {
		report->tables[i] =
			table_create(group_layout(report, i), report->groups.groups[i].count);
		if (options->group_sort_index < report->groups.groups[i].count)
			report->tables[i]->first_event = options->group_sort_index;
		if (report->needs & NEED_CHAIN &&
		    (!options->callgraph.none || options->callgraph.children))
			table_keep_chains(report->tables[i], &options->callgraph,
					  resolution->frames, resolution->frame_count);
		if (report->tables[i]->children)
			report->tables[i]->symbol_part = options->filter.symbol_part;
	}
}

/* Returns the figure that rows are weighed by. As in perf, a sample without a weight counts as
 * 1. */
static uint64_t weigh(const struct result *result)
{
	switch (options->weighing) {
	case BY_WEIGHT: return (result->weight ? result->weight : 1) * result->samples;
	case BY_SAMPLES: return result->samples;
	default: return result->period;
	}
}

/*
 * Returns whether the result is in the rows of its callers though not in one of its own: with rows
 * for callers, --symbol-filter chooses rows, as in perf.
 */
static bool is_of_callers(const struct table *table, const struct result *result)
{
	struct filter others = options->filter;

	others.symbol_part = NULL;
	return table->symbol_part && filter_accepts(&others, result);
}

static void report_fill_tables(struct report *report, const struct input *input)
{
	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		uint32_t group = report->groups.group_of[result.event];
		struct table *table = report->tables[group];
		uint32_t member = report->groups.member_of[result.event];

		result.period = weigh(&result);
		if (report->needs & (NEED_TYPE | NEED_DATA_ADDRESS))
			coverage_add(&report->coverages[group], &result);
		if (options->memory_only && result.place->no_memory)
			continue;
		if (filter_accepts(&options->filter, &result)) {
			table_add(table, &result, member);
			shown_samples_add(&report->shown, input, i);
			continue;
		}
		if (!options->relative)
			table_add_filtered(table, &result, member);
		if (is_of_callers(table, &result))
			table_add_to_callers(table, &result, member);
	}
}

/* Returns whether the group's table is shown. */
static bool report_has_rows(const struct report *report, size_t group)
{
	return report->tables[group]->total_samples || options->grouping.keep_empty ||
	       options->relative;
}

static void report_sort_tables(struct report *report)
{
	for (size_t i = 0; i < report->groups.count; i++)
		if (report_has_rows(report, i))
			table_sort(report->tables[i]);
}

/* ---- output ---- */

/* Shows progress, unless a pager has the terminal. */
static void show_progress(const char *what, const char *which)
{
	if (!pager_runs())
		progress_show(what, which);
}

static void write_bytes(const char *bytes, size_t length)
{
	/* while output goes to a file, progress stays visible */
	if (isatty(STDOUT_FILENO))
		progress_end();
	pager_start();
	fwrite(bytes, 1, length, stdout);
}

static void write_out(struct strbuf *text)
{
	write_bytes(text->data, text->length);
	strbuf_reset(text);
}

/* The explanation of a timer's samples that are not charged to accesses (--blame=sampled). */
#define TIMER_MEANING                                                                              \
	"# A timer's samples are of time, not of misses: each is of the instruction that was "     \
	"next when it "                                                                            \
	"struck,\n"                                                                                \
	"# which is often the one that waited for its operands, or the one behind.\n#\n"

static bool is_timer(const struct event_group *group, const struct session *session)
{
	size_t count;
	const struct event *events = session_events(session, &count);

	for (uint32_t i = 0; i < group->count; i++)
		if (event_is_timer(&events[group->events[i]]))
			return true;
	return false;
}

/* The explanation of samples of AMD's IBS and Arm's SPE: these choose an instruction when it is
 * dispatched, not while something waits for it. */
#define TAGGING_MEANING                                                                            \
	"# The processor tagged these instructions when it dispatched them: the samples are not "  \
	"of time.\n"                                                                               \
	"# Their latency is: --by weight.\n#\n"

static bool tags_instructions(const struct event_group *group, const struct session *session)
{
	size_t count;
	const struct event *events = session_events(session, &count);

	for (uint32_t i = 0; i < group->count; i++)
		if (!strncmp(events[group->events[i]].name, "ibs_", 4) ||
		    !strncmp(events[group->events[i]].name, "arm_spe", 7))
			return true;
	return false;
}

/*
 * Prints how far samples of imprecise counters are from the loads that they waited for. Nothing
 * retires while a load waits, but instructions after it do until the interrupt arrives.
 */
static void print_skid(const struct event_group *group, const struct input *input,
		       struct strbuf *text)
{
	const struct blame_skid *skid = &input->resolution->skid;
	uint64_t samples = skid->next + skid->further;
	size_t count;
	const struct event *events = session_events(input->session, &count);
	bool counts = false;

	for (uint32_t i = 0; i < group->count; i++)
		counts |= events[group->events[i]].attr.type != PERF_TYPE_SOFTWARE &&
			  event_is_late(&events[group->events[i]]);
	if (counts && samples)
		strbuf_add_format(text,
				  "# The counter is without precision: of its samples behind loads "
				  "%.1f%% are at "
				  "the next instruction,\n# the others up to 7 further\n#\n",
				  100.0 * (double)skid->next / (double)samples);
}

/* Prints what the heading says in perf's form. */
static void print_group_heading(struct report *report, size_t group, const struct input *input,
				const struct table_heading *heading, struct strbuf *text)
{
	const struct event_group *events = &report->groups.groups[group];
	bool types = report->needs & NEED_TYPE;

	print_table_heading(report->tables[group], heading, text);
	if (types) {
		coverage_sort(&report->coverages[group]);
		print_coverage(&report->coverages[group], text);
	}
	print_address_coverage(&report->coverages[group], text);
	if (report->needs & (NEED_TYPE | NEED_DATA_ADDRESS) && is_timer(events, input->session) &&
	    options->input.blame == BLAME_SAMPLED)
		strbuf_add_string(text, TIMER_MEANING);
	if (types)
		print_charges(&report->coverages[group], text);
	if (types && options->input.blame != BLAME_SAMPLED)
		print_skid(events, input, text);
	if (types && options->weighing != BY_WEIGHT && tags_instructions(events, input->session))
		strbuf_add_string(text, TAGGING_MEANING);
}

static uint64_t group_samples(const struct event_group *group, const struct session *session)
{
	size_t count;
	const struct event *events = session_events(session, &count);
	uint64_t samples = 0;

	for (uint32_t i = 0; i < group->count; i++)
		samples += events[group->events[i]].samples;
	return samples;
}

static void print_group(struct report *report, size_t group, const struct input *input,
			struct strbuf *text)
{
	struct table *table = report->tables[group];
	uint64_t samples = group_samples(&report->groups.groups[group], input->session);
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	const char *sort = report->sort ? report->sort : options->layout.default_sort;
	struct table_heading heading = {
		.plural = report->groups.groups[group].plural,
		.time = options->time,
		.weighing = report_weighing_name(options->weighing),
		.socket = options->filter.has_socket ? &options->filter.socket : NULL,
		.sort = options->layout.fields && !report->sort ? NULL : sort
	};

	event_group_name(&report->groups.groups[group], input->session, &name);
	heading.event = name.data;
	if (report->of_branches)
		heading.samples = &samples;
	show_progress("Printing", name.data);
	heading.chosen = report->heading.data;
	heading.coverage = report->needs & NEED_TYPE ? &report->coverages[group] : NULL;
	if (options->print.screen && !options->input.quiet)
		print_screen_heading(table, &heading, &options->print, text);
	else if (!options->input.quiet)
		print_group_heading(report, group, input, &heading, text);
	print_table(table, &options->print, text);
	strbuf_add_string(text, options->print.screen ? "" : "\n\n");
	write_out(text);
}

/* Appends how to see types, of which perf's default keys say nothing. */
static void add_hint(const struct report *report, struct strbuf *text)
{
	static const char hint[] = "Types of the accessed data: dtprof report -s type,typeoff";
	const char *path = options->input.path;
	unsigned int width = options->print.line_width;
	size_t start = text->length;

	if (options->layout.sort || options->layout.fields || options->memory_mode ||
	    report->of_branches || report->needs & NEED_TYPE)
		return;
	strbuf_add_string(text, hint);
	if (path && strcmp(path, "-") != 0 &&
	    (!width || sizeof(hint) + strlen(" -i ") + strlen(path) <= width))
		strbuf_add_format(text, " -i %s", path);
	strbuf_end_line(text, start);
}

/* Prints the tables for a screen: above each a heading of one line, and below all of them what is
 * missing. */
static void report_print_screen(struct report *report, const struct input *input)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t lost = session_totals(input->session)->lost_samples;
	bool any = false;

	if (options->header)
		session_header_text(input->session, options->full_header, &text);
	for (size_t i = 0; i < report->groups.count; i++) {
		if (!report_has_rows(report, i))
			continue;
		strbuf_add_string(&text, any ? "\n" : "");
		print_group(report, i, input, &text);
		any = true;
	}
	if (!options->input.quiet) {
		size_t start = text.length;

		trouble_text(&options->input, input, &report->shown, true,
			     options->print.line_width, &text);
		if (lost) {
			text_add_grouped(&text, lost);
			strbuf_add_string(
				&text,
				" samples were lost: record with a larger -m or a lower -F\n");
		}
		add_hint(report, &text);
		if (any && text.length > start)
			write_bytes("\n", 1);
	}
	write_out(&text);
}

/* Appends the file's header, or perf's hint of it. */
static void report_add_header(const struct input *input, struct strbuf *text)
{
	if (options->header)
		session_header_text(input->session, options->full_header, text);
	else if (!options->input.quiet)
		strbuf_add_string(text, "# To display the perf.data header info, please use "
					"--header/--header-only options.\n#\n");
}

static void report_print_text(struct report *report, const struct input *input)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!session_totals(input->session)->samples && !options->input.quiet)
		warning("the file has no samples");
	report_add_header(input, &text);
	if (!options->input.quiet)
		strbuf_add_format(&text, "%s#\n# Total Lost Samples: %" PRIu64 "\n#\n",
				  report->heading.data,
				  session_totals(input->session)->lost_samples);
	/* source lines and inlined frames use debug information, too, but show no types */
	if (!options->input.quiet && report->needs & NEED_TYPE)
		type_source_text(input->session, &text);
	for (size_t i = 0; i < report->groups.count; i++)
		if (report_has_rows(report, i))
			print_group(report, i, input, &text);
	if (report->of_branches)
		print_branch_kinds(&input->counts->branches, &text);
	write_out(&text);
}

/* Returns what JSON and CSV show of a group. The caller frees *names. */
static struct machine_table machine_table(struct report *report, size_t group,
					  const struct input *input, const char ***names,
					  struct strbuf *name)
{
	const struct event_group *events = &report->groups.groups[group];
	size_t count;
	const struct event *all = session_events(input->session, &count);

	*names = xcalloc(events->count, sizeof(**names));
	for (uint32_t i = 0; i < events->count; i++)
		(*names)[i] = all[events->events[i]].name;
	event_group_name(events, input->session, name);
	show_progress("Printing", name->data);
	coverage_sort(&report->coverages[group]);
	return (struct machine_table){ .events = *names,
				       .group = name->data,
				       .coverage = &report->coverages[group],
				       .has_types = report->needs & NEED_TYPE };
}

static void flush_json(void *data, const char *text, size_t length)
{
	(void)data;
	write_bytes(text, length);
}

/* Adds the members of the JSON document to the open object. */
static void report_add_json(struct report *report, const struct input *input, struct json *json)
{
	const char *by = report_weighing_name(options->weighing);

	json_string(json, "format", "dtprof-report");
	json_unsigned(json, "version", 1);
	json_string(json, "by", by ? by : "period");
	json_unsigned(json, "lost_samples", session_totals(input->session)->lost_samples);
	json_array(json, "tables");
	for (size_t i = 0; i < report->groups.count; i++) {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
		_cleanup_free_ const char **names = NULL;

		if (!report_has_rows(report, i))
			continue;

		struct machine_table machine = machine_table(report, i, input, &names, &name);

		print_table_json(report->tables[i], &machine, &options->print, json);
	}
	json_end(json);
}

static void report_print_json(struct report *report, const struct input *input)
{
	struct json json = JSON_INIT(flush_json, NULL);

	json_object(&json, NULL);
	report_add_json(report, input, &json);
	json_end(&json);
	json_finish(&json);
}

/* ---- --html ---- */

struct html_source {
	struct report *report;
	const struct input *input;
};

/* Returns whether options leave out a part of the samples. */
static bool chooses_samples(void)
{
	struct filter filter = options->filter;

	/* samples of virtual machines are left out, as everywhere */
	filter.guests = true;
	return options->time || options->cpus || filter_needs(&filter);
}

static void add_report(void *data, struct json *json)
{
	const struct html_source *source = data;

	report_add_json(source->report, source->input, json);
}

static struct html_report html_report(struct html_source *source)
{
	const struct report *report = source->report;

	return (struct html_report){ .path = options->html,
				     .input = &options->input,
				     .filter = &options->filter,
				     .grouping = &options->grouping,
				     .choice = &report->choice,
				     .no_demangle = options->no_demangle,
				     .chooses = chooses_samples(),
				     .add_report = add_report,
				     .data = source };
}

static struct error *report_write_html(struct report *report, struct input *input)
{
	struct html_source source = { report, input };
	struct html_report html = html_report(&source);

	return html_write(&html, input);
}

static void report_print_csv(struct report *report, const struct input *input)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint32_t columns =
		0; /* of the previous table; a different number needs a new line of names */

	for (size_t i = 0; i < report->groups.count; i++) {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
		_cleanup_free_ const char **names = NULL;
		uint32_t count = report->tables[i]->event_count;

		if (!report_has_rows(report, i))
			continue;

		struct machine_table machine = machine_table(report, i, input, &names, &name);
		bool heading = !options->input.quiet &&
			       (!columns || count > 1 || columns != count || report->layouts);

		print_table_csv(report->tables[i], &machine, &options->print, heading, &text,
				write_out);
		columns = count;
	}
	write_out(&text);
}

static void report_print_header(const struct input *input)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	session_header_text(input->session, options->full_header, &text);
	write_out(&text);
}

static struct error *report_print_records(struct input *input)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	RETURN_ERROR(session_count(input->session, 0, &input->counts));
	if (options->dump) {
		report_add_header(input, &text);
		write_out(&text);
		dump_records(input->session, write_out);
	}
	if (options->dump || options->stats)
		session_stats_text(input->session, &text);
	else
		session_tasks_text(input->session, options->maps, &text);
	write_out(&text);
	return NULL;
}

/* ---- the command ---- */

#define DEFAULT_PARENT "^sys_|^do_page_fault" /* perf's default */

#define KEY_COLUMN 23

static void print_keys(void)
{
	printf("\nKeys of --sort and --fields:\n");
	for (const struct key *const *key = all_keys; *key; key++)
		print_term((*key)->alias && (*key)->identity ? (*key)->alias : (*key)->name,
			   KEY_COLUMN, (*key)->summary);
	printf("\nand of tracepoints, by the formats that the file has:\n");
	print_term("EVENT.FIELD", KEY_COLUMN, "field of an event, or all its fields (EVENT.*)");
	print_term("FIELD", KEY_COLUMN, "field of all events that have one of this name");
	print_term("trace_fields", KEY_COLUMN, "all fields of all tracepoints");
}

static void report_deinit(struct report *report)
{
	for (size_t i = 0; i < report->groups.count; i++)
		table_destroy(report->tables[i]);
	free(report->tables);
	free(report->layouts);
	free(report->coverages);
	event_groups_deinit(&report->groups);
	sample_choice_deinit(&report->choice);
	if (report->has_parent)
		regfree(&report->parent);
	if (report->has_ignored)
		regfree(&report->ignored);
	error_destroy(report->bad_keys);
	shown_samples_deinit(&report->shown);
	trace_keys_deinit(&report->trace_keys);
	strbuf_deinit(&report->heading);
}

/* As in perf, leaves out shares of wall-clock time if only one thread ran for nearly all of it. */
static void drop_needless_latency(struct report *report, const struct sample_counts *counts)
{
	const struct layout_options *layout = &options->layout;
	uint64_t samples = 0, alone = 0;

	if (!layout->latency || layout->latency_first ||
	    (layout->fields && layout->fields[0] != '+') ||
	    (layout->sort && strstr(layout->sort, "latency")))
		return;
	for (size_t i = 0; i < counts->count; i++) {
		samples += counts->entries[i].samples;
		alone += counts->entries[i].parallelism == 1 ? counts->entries[i].samples : 0;
	}
	if (samples && alone * 100 / samples >= 99)
		layout_remove_latency(&report->layout);
}

/* Decides by the file's contents whether there are call graphs and rows for callers. */
static struct error *choose_callgraph(struct report *report, const struct session *session)
{
	struct callgraph_options *callgraph = &options->callgraph;

	report->has_chains = session_has_chains(session);
	if (!report->has_chains && callgraph->asked)
		return error_create(ERROR_OTHER,
				    "-g: the samples have no call chains; record them with 'dtprof "
				    "record -g'");
	if (!report->has_chains)
		options->layout.children = false;
	options->layout.latency = session_has_switches(session);
	RETURN_ERROR(layout_parse(&options->layout, &report->layout));
	RETURN_ERROR(branches_check_keys(&report->layout, report->of_branches, wants_no_branches));
	report->needs = layout_needs(&report->layout) | filter_needs(&options->filter) |
			(options->weighing == BY_WEIGHT ? NEED_WEIGHT : 0) |
			(options->memory_only ? NEED_TYPE : 0);
	if (report->needs & NEED_PARALLELISM && !options->layout.latency)
		return error_create(ERROR_OTHER,
				    "the file has no context switches, and so neither latency nor "
				    "parallelism; record it with 'dtprof record --latency'");
	if (report->browses)
		report->needs |= browse_needs(&options->filter, session);
	callgraph->children = options->layout.children;
	options->print.callgraph = !callgraph->none;
	if (callgraph->none && !callgraph->children && !(report->needs & NEED_PARENT))
		return NULL;
	if (report->needs & NEED_PARENT && !report->has_chains)
		return error_create(ERROR_OTHER,
				    "the samples have no call chains, so no parents; record them "
				    "with 'dtprof record -g'");
	if (!report->has_chains)
		return NULL;
	report->needs |= NEED_CHAIN;
	if (callgraph->key != CALLGRAPH_FUNCTION)
		report->needs |= NEED_SOURCE_LINE;
	return NULL;
}

static struct error *compile(const char *option, const char *pattern, regex_t *regex,
			     bool *compiled)
{
	int code = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);
	char message[128];

	*compiled = !code;
	if (!code)
		return NULL;
	regerror(code, regex, message, sizeof(message));
	return error_create(ERROR_OTHER, "%s: '%s': %s", option, pattern, message);
}

static struct error *compile_patterns(struct report *report)
{
	const char *parent = options->parent ? options->parent : DEFAULT_PARENT;

	if (report->needs & NEED_PARENT)
		RETURN_ERROR(compile("--parent", parent, &report->parent, &report->has_parent));
	if (!options->ignore_callees)
		return NULL;
	if (report->needs & NEED_TYPE)
		return error_create(
			ERROR_OTHER,
			"--ignore-callees cannot be combined with types, which are those of "
			"the instruction that made the access");
	if (!report->has_chains)
		return error_create(ERROR_OTHER,
				    "--ignore-callees: the samples have no call chains; record "
				    "them with 'dtprof record -g'");
	report->needs |= NEED_CHAIN | NEED_SYMBOL | NEED_ADDRESS;
	return compile("--ignore-callees", options->ignore_callees, &report->ignored,
		       &report->has_ignored);
}

/*
 * Opens the file, after returning the error about an unknown key, unless it may be a tracepoint's
 * field.
 */
static struct error *open_file(struct report *report, struct input *input)
{
	struct error *error = input_open(&options->input, input);

	if (!report->bad_keys)
		return error;
	if (!error && trace_keys_of(input->session))
		return NULL;
	error_destroy(error);
	error = report->bad_keys;
	report->bad_keys = NULL;
	report->is_usage = true;
	return error;
}

static bool is_of_tracepoints(const struct session *session)
{
	size_t count;
	const struct event *events = session_events(session, &count);

	for (size_t i = 0; i < count; i++)
		if (events[i].attr.type != PERF_TYPE_TRACEPOINT || !events[i].field_count)
			return false;
	return true;
}

/*
 * Sets the default keys. As in perf, a file with nothing but tracepoints is sorted by their
 * contents.
 */
static void choose_default_sort(const struct session *session)
{
	if (!options->memory_mode && is_of_tracepoints(session))
		options->layout.default_sort = options->raw_trace ? "trace_fields" : "trace";
}

/* Chooses between tables for readers at a terminal and perf's form, which programs read. */
static void choose_form(void)
{
	struct print_options *print = &options->print;

	print->screen =
		options->format == OUTPUT_TEXT && !print->separator && !options->perf_format;
	print->colour = terminal_colour();
	print->line_width = terminal_width();
	print->ellipsis = terminal_ellipsis();
	if (!print->max_name)
		print->max_name = print->line_width;
}

/*
 * Decides whether branches are counted in place of samples. As in perf, they are in a file of
 * record -b. Unlike perf, not if types or data are asked for: the place that a branch went to has
 * neither.
 */
static struct error *choose_branches(struct report *report, const struct session *session)
{
	const struct layout_options *layout = &options->layout;
	bool has_data = options->memory_mode || options->memory_only || options->html ||
			report->browses || has_type_key(layout->sort) ||
			has_type_key(layout->fields) || options->filter.types.count;

	if (wants_branches && wants_no_branches)
		return error_create(ERROR_OTHER, "-b and --no-branch-stack cannot be combined");
	if (wants_branches && options->memory_mode)
		return error_create(ERROR_OTHER, "branch and mem mode incompatible: -b counts "
						 "branches, --mem-mode accesses");
	if (wants_branches && !session_has_branches(session))
		return error_create(ERROR_OTHER, "-b: the samples have no branch stacks; record "
						 "them with 'dtprof record -b'");
	report->of_branches = wants_branches ||
			      (!wants_no_branches && !has_data && session_is_of_branches(session));
	if (!report->of_branches)
		return NULL;
	options->layout.default_sort = BRANCH_SORT;
	options->layout.children = false;
	options->callgraph.none = true;
	return NULL;
}

static struct error *run_report(struct report *report, struct input *input)
{
	RETURN_ERROR(open_file(report, input));
	if (options->header_only) {
		report_print_header(input);
		return NULL;
	}
	if (options->dump || options->stats || options->tasks || options->maps)
		return report_print_records(input);
	report->sort = options->layout.sort;
	choose_default_sort(input->session);
	/* the browser has neither call graphs nor fields of tracepoints */
	if (report->browses) {
		report->browses = options->layout.sort || !is_of_tracepoints(input->session);
		options->callgraph.none = report->browses;
		options->layout.children = options->layout.children && !report->browses;
	}
	RETURN_ERROR(choose_branches(report, input->session));
	RETURN_ERROR(trace_keys_choose(&report->trace_keys, input->session, &options->layout,
				       options->raw_trace));
	RETURN_ERROR(choose_callgraph(report, input->session));
	RETURN_ERROR(compile_patterns(report));
	RETURN_ERROR(
		sample_choice_init(&report->choice, options->time, options->cpus, input->session));
	RETURN_ERROR(input_resolve(
		&options->input,
		&(struct input_needs){
			.needs = report->needs,
			.full_source_path = options->full_source_path,
			.choice = &report->choice,
			.time_quantum = report->browses ? annotate_time_quantum(input->session)
							: options->time_quantum,
			.parent = &report->parent,
			.traces = report->trace_keys.choices,
			.trace_count = report->trace_keys.count,
			.raw_trace = options->raw_trace,
			.no_demangle = options->no_demangle,
			.ignore_callees = report->has_ignored ? &report->ignored : NULL,
			.caller_first = options->callgraph.caller_first,
			.no_inline = !options->inline_frames,
			.branches = report->of_branches,
			.chain_limit = options->callgraph.max_stack,
			.tells_trouble = true },
		input));
	if (options->output && !freopen(options->output, "we", stdout))
		return error_errno(errno, "-o: cannot create %s", options->output);
	RETURN_ERROR(times_check(&report->choice, options->time, input));
	RETURN_ERROR(names_check(&options->filter, input));
	if (report->browses)
		return report_browse(report, input);
	drop_needless_latency(report, input->counts);
	choose_form();
	filter_elide(&options->filter, &report->layout, options->print.screen, &report->heading);
	report_make_tables(report, input);
	progress_show("Sorting rows", NULL);
	report_fill_tables(report, input);
	report_sort_tables(report);
	progress_end();
	if (options->print.screen)
		warn_of_objects(&options->input, input);
	else
		warn_of_trouble(&options->input, input, &report->shown);
	switch (options->format) {
	case OUTPUT_JSON: report_print_json(report, input); break;
	case OUTPUT_CSV: report_print_csv(report, input); break;
	case OUTPUT_HTML: return report_write_html(report, input);
	case OUTPUT_TEXT:
		if (options->print.screen)
			report_print_screen(report, input);
		else
			report_print_text(report, input);
		break;
	}
	progress_end();
	return NULL;
}

int command_report(int argc, char **argv)
{
	static const struct option_spec none = { OPTION_END, 0, NULL, NULL, NULL, NULL, NULL };
	static const struct report_variant itself = { .name = "report", .options = &none };

	return command_report_as(argc, argv, &itself);
}

int command_report_as(int argc, char **argv, const struct report_variant *variant)
{
	_cleanup_free_ struct option_spec *both =
		options_combine(variant->options, report_usage.options);
	const struct command_usage usage = { .name = variant->name,
					     .synopsis = report_usage.synopsis,
					     .summary = variant->summary ? variant->summary
									 : report_usage.summary,
					     .options = both };
	struct report report = { .heading = STRBUF_INIT };
	struct input input = { 0 };
	int rest, status;
	struct error *error;

	options->perf_format = !isatty(STDOUT_FILENO);
	if (!command_begin(argc, argv, &usage, OPTIONS_ANYWHERE, &rest, &status)) {
		if (status == EXIT_SUCCESS)
			print_keys();
		return status;
	}
	if (rest > 1 || (rest && !access(argv[0], F_OK)))
		return command_fail_usage(error_create(
			ERROR_OTHER, "unexpected argument '%s' (-i FILE names a file to read)",
			argv[rest - 1]));
	if (rest)
		options->filter.symbol_part = argv[0];
	options->input.dso.build_id_folder = global_options.build_id_folder;
	if (variant->prepare)
		variant->prepare();
	if (variant->is_instead && *variant->is_instead) {
		error = variant->instead();
		return error ? command_fail(error) : EXIT_SUCCESS;
	}
	error = report_options_finish();
	if (!error)
		error = choose_browser(&report);
	if (error)
		return command_fail_usage(error);
	report.bad_keys = layout_parse(&options->layout, &report.layout);
	options->print.verbose = options->input.verbose;
	options->print.quiet = options->input.quiet;
	error = run_report(&report, &input);
	status = !error            ? input_status(&input)
		 : report.is_usage ? command_fail_usage(error)
				   : command_fail(error);
	report_deinit(&report);
	input_leave(&input);
	filter_deinit(&options->filter);
	return status;
}
