// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/report_options.h"

#include <string.h>

#include "profiler/commands/globals.h"

#define DEFAULT_SORT "comm,dso,sym"
/* --mem-mode */
#define MEMORY_SORT                                                                                          \
	"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat,local_p_"    \
	"stage_cyc"
#define DEFAULT_QUANTUM 100000000 /* ns, as perf's */

struct report_options report_options = {
	.callgraph = CALLGRAPH_OPTIONS_INIT,
	.layout.children = true,
	.inline_frames = true,
	.print.callgraph = true,
	.time_quantum = DEFAULT_QUANTUM,
};

static struct report_options *const options = &report_options;

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

struct error *report_parse_separator(void *value, const char *argument)
{
	if (!*argument || *argument == '.')
		return error_create(ERROR_OTHER, "the separator may not be '.' or empty");
	*(const char **)value = strcmp(argument, "\\t") ? argument : "\t";
	return NULL;
}

/* As perf: rows and branches of call graphs have one limit, until -g says another one. */
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

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
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
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	size_t digits = strspn(argument, "0123456789");
	unsigned long long number = 0;
	char text[20] = "";

	if (digits && digits < sizeof(text))
		memcpy(text, argument, digits);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(argument + digits, units[i].name) &&
		    option_number(text, UINT64_MAX / units[i].ns, &number) && number) {
			*(uint64_t *)value = number * units[i].ns;
			return NULL;
		}
	return error_create(ERROR_OTHER, "'%s' is not a time with its unit, as 10ms", argument);
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
		return error_create(ERROR_OTHER, "'%s' is no number of a socket", argument);
	filter->socket = (unsigned int)number;
	filter->has_socket = true;
	return NULL;
}

static bool json, csv, total_weight, inverted;
static bool skip_empty = true, demangle = true;

static const struct option_spec specs[] = {
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Rows and columns", NULL },
	{ OPTION_STRING, 's', "sort", &report_options.layout.sort, "KEYS",
	  "group and sort by these keys, with commas between\n(comm,dso,sym); +KEYS adds to the default",
	  NULL },
	{ OPTION_STRING, 'F', "fields", &report_options.layout.fields, "KEYS",
	  "show these columns, in this order; +KEYS adds to those of -s", NULL },
	{ OPTION_STRING, 0, "sort-by", &report_options.layout.sort_by, "KEYS",
	  "rows by these keys first; they tell no rows apart", NULL },
	{ OPTION_FLAG, 'H', "hierarchy", &report_options.layout.hierarchy, NULL,
	  "one level for each key, or for each {group,of,keys}", NULL },
	{ OPTION_FLAG, 'n', "show-nr-samples", &report_options.layout.show_samples, NULL,
	  "a column with the number of samples", NULL },
	{ OPTION_FLAG, 0, "show-total-period", &report_options.layout.show_period, NULL,
	  "a column with the sum of the periods", NULL },
	{ OPTION_FLAG, 0, "show-cpu-utilization", &report_options.layout.show_levels, NULL,
	  "columns with the kernel's and with user space's share", NULL },
	{ OPTION_FLAG, 0, "showcpuutilization", &report_options.layout.show_levels, NULL, "the same", NULL },
	{ OPTION_CALL, 0, "percent-limit", &report_options, "PERCENT",
	  "leave out rows and branches of call graphs below it", parse_percent_limit },
	GROUPING_OPTION_SPECS(report_options.grouping),
	{ OPTION_UNSIGNED, 0, "group-sort-idx", &report_options.group_sort_index, "N",
	  "rows of a group by its event N, from 0 on", NULL },
	{ OPTION_FLAG, 0, "skip-empty", &skip_empty, NULL,
	  "no tables of events without samples (the default)", NULL },
	{ OPTION_FLAG, 0, "mem-mode", &report_options.memory_mode, NULL,
	  "weigh samples by their weight (latency), not by their\nperiod; sorts by where the data came from",
	  NULL },
	{ OPTION_FLAG, 0, "mem-only", &report_options.memory_only, NULL,
	  "leave out instructions that access no memory", NULL },
	{ OPTION_FLAG, 0, "latency", &report_options.layout.latency_first, NULL,
	  "shares of the time on the clock first (where it was recorded\nwith --latency)", NULL },
	{ OPTION_CALL, 0, "by", &report_options.weighing, "WHAT",
	  "weigh rows by period (the default), weight or samples", parse_weighing },
	{ OPTION_FLAG, 0, "total-weight", &total_weight, NULL, "the same as --by weight", NULL },
	{ OPTION_CALL, 0, "time-quantum", &report_options.time_quantum, "TIME",
	  "what the key time rounds to, as 10ms (100ms)", parse_quantum },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Call graphs (where the file has call chains)", NULL },
	{ OPTION_FLAG, 0, "no-call-graph", &report_options.callgraph.none, NULL, "none", NULL },
	{ OPTION_CALL_NEXT, 'g', "call-graph", &report_options.callgraph, "HOW",
	  "words with commas between: graph, flat, fractal, folded or\nnone; threshold in percent; how many "
	  "branches; caller or\ncallee; function, address or srcline; percent, period or\ncount "
	  "(graph,0.5,caller,function,percent)",
	  parse_callgraph },
	{ OPTION_FLAG, 0, "children", &report_options.layout.children, NULL,
	  "rows for callers, too, with what they called (the default;\n--no-children: not)", NULL },
	{ OPTION_FLAG, 'G', "inverted", &inverted, NULL, "callers above what they called: -g caller", NULL },
	{ OPTION_UNSIGNED, 0, "max-stack", &report_options.callgraph.max_stack, "N",
	  "no more than N frames of a chain (127)", NULL },
	{ OPTION_FLAG, 0, "inline", &report_options.inline_frames, NULL,
	  "frames of functions that were inlined (the default;\n--no-inline: not)", NULL },
	{ OPTION_STRING, 0, "ignore-callees", &report_options.ignore_callees, "REGEX",
	  "samples below functions with such a name are theirs", NULL },
	{ OPTION_STRING, 'p', "parent", &report_options.parent, "REGEX",
	  "callers that the key parent shows (^sys_|^do_page_fault)", NULL },
	{ OPTION_FLAG, 'x', "exclude-other", &report_options.exclude_other, NULL,
	  "only samples with such a caller", NULL },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Which samples (lists with commas between)", NULL },
	{ OPTION_CALL, 'c', "comms", &report_options.filter.comms, "LIST", "of these commands", parse_words },
	{ OPTION_CALL, 'd', "dsos", &report_options.filter.dsos, "LIST", "in these programs and libraries",
	  parse_words },
	{ OPTION_CALL, 'S', "symbols", &report_options.filter.symbols, "LIST", "in these functions",
	  parse_words },
	{ OPTION_STRING, 0, "symbol-filter", &report_options.filter.symbol_part, "TEXT",
	  "in functions with this in their name", NULL },
	{ OPTION_CALL, 0, "types", &report_options.filter.types, "LIST",
	  "of accesses to these types; * and ? stand for letters", parse_words },
	{ OPTION_CALL, 0, "pid", &report_options.filter.pids, "LIST", "of these processes", parse_pids },
	{ OPTION_CALL, 0, "tid", &report_options.filter.tids, "LIST", "of these threads", parse_tids },
	{ OPTION_CALL, 0, "parallelism", &report_options.filter, "LIST",
	  "while so many threads ran at once, as 1-2", parse_parallelism },
	{ OPTION_CALL, 0, "socket-filter", &report_options.filter, "N", "on processors of this socket",
	  parse_socket },
	{ OPTION_FLAG, 0, "guest", &report_options.filter.guests, NULL, "of virtual machines, too", NULL },
	{ OPTION_STRING, 'C', "cpu", &report_options.cpus, "LIST", "on these processors, as 0-3,8", NULL },
	{ OPTION_STRING, 0, "time", &report_options.time, "RANGES",
	  "between START,STOP in seconds (either may be left out); or\n10%/2 (the second tenth), 20%-40%; "
	  "several with commas\nbetween, of times with blanks",
	  NULL },
	{ OPTION_FLAG, 'U', "hide-unresolved", &report_options.filter.resolved, NULL,
	  "in functions whose name is known", NULL },
	{ OPTION_CALL, 0, "percentage", &report_options.relative, "HOW",
	  "of all samples (absolute), or of the chosen ones (relative)", parse_percentage },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Output", NULL },
	{ OPTION_FLAG, 0, "stdio", &report_options.stdio, NULL, "as text (the default)", NULL },
	{ OPTION_FLAG, 0, "json", &json, NULL, "as JSON (Documentation/json.md)", NULL },
	{ OPTION_FLAG, 0, "csv", &csv, NULL, "as comma-separated values (the same)", NULL },
	{ OPTION_CALL, 't', "field-separator", &report_options.print.separator, "TEXT",
	  "between columns, which then are not aligned", report_parse_separator },
	{ OPTION_STRING, 'w', "column-widths", &report_options.layout.widths, "LIST",
	  "widths of the columns; 0: as needed", NULL },
	{ OPTION_UNSIGNED, 0, "max-name", &report_options.print.max_name, "N",
	  "shorten longer names in their middle (on a terminal: to its\nwidth)", NULL },
	{ OPTION_FLAG, 0, "hex", &report_options.print.hexadecimal, NULL,
	  "offsets as perf prints them: +0x28", NULL },
	{ OPTION_FLAG, 0, "demangle", &demangle, NULL,
	  "names of C++ and Rust as in the source (the default;\n--no-demangle: as in the object)", NULL },
	{ OPTION_FLAG, 0, "ns", &report_options.print.nanoseconds, NULL, "times to the nanosecond", NULL },
	{ OPTION_FLAG, 0, "full-source-path", &report_options.full_source_path, NULL,
	  "source files with their directories", NULL },
	{ OPTION_FLAG, 0, "raw-trace", &report_options.raw_trace, NULL,
	  "the key trace as fields, not as the kernel prints it", NULL },
	{ OPTION_FLAG, 0, "header", &report_options.header, NULL,
	  "first what the file says of itself and its events", NULL },
	{ OPTION_FLAG, 0, "header-only", &report_options.header_only, NULL, "nothing but that", NULL },
	{ OPTION_FLAG, 'I', "show-info", &report_options.full_header, NULL,
	  "with --header: long lists in full", NULL },

	{ OPTION_FLAG, 0, "stats", &report_options.stats, NULL, "how many records of each kind; no tables",
	  NULL },
	{ OPTION_FLAG, 0, "tasks", &report_options.tasks, NULL, "the tasks as a tree; no tables", NULL },
	{ OPTION_FLAG, 0, "mmaps", &report_options.maps, NULL,
	  "the same, and what each had mapped in the end", NULL },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Input", NULL },
	INPUT_OPTION_SPECS(report_options.input),
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, NULL },
};

const struct command_usage report_usage = {
	.name = "report",
	.synopsis = "[OPTIONS]",
	.summary = "Show where the samples of a perf.data file are, by type, field, symbol ...",
	.options = specs,
};

const char *report_weighing_name(enum weighing weighing)
{
	return weighing == BY_WEIGHT ? "weight" : weighing == BY_SAMPLES ? "samples" : NULL;
}

static bool has_type_key(const char *keys)
{
	return keys && strstr(keys, "type");
}

struct error *report_options_finish(void)
{
	struct callgraph_options *callgraph = &options->callgraph;

	if (json && csv)
		return error_create(ERROR_OTHER, "--json and --csv do not go together");
	options->format = json ? OUTPUT_JSON : csv ? OUTPUT_CSV : OUTPUT_TEXT;
	options->grouping.keep_empty = !skip_empty;
	options->no_demangle = !demangle;
	if (total_weight)
		options->weighing = BY_WEIGHT;
	options->layout.default_sort = options->memory_mode ? MEMORY_SORT : DEFAULT_SORT;
	if (options->memory_mode)
		options->weighing = BY_WEIGHT;
	/* as perf: a type is of the instruction that accessed it, not of its callers */
	if (options->memory_mode || options->layout.hierarchy || has_type_key(options->layout.sort) ||
	    has_type_key(options->layout.fields))
		options->layout.children = false;
	if (inverted || (options->layout.children && !callgraph->order_chosen))
		callgraph->caller_first = true;
	options->filter.has_parent = options->exclude_other;
	if (options->stats && (options->tasks || options->maps))
		return error_create(ERROR_OTHER, "--tasks and --mmaps do not go together with --stats");
	if (!callgraph->max_stack)
		return error_create(ERROR_OTHER, "--max-stack takes a number from 1 on");
	return NULL;
}
