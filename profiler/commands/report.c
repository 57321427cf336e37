// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof report: counted samples as tables by the chosen keys, one for each event or group of events. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/globals.h"
#include "profiler/commands/progress.h"
#include "profiler/commands/record_list.h"
#include "profiler/commands/report_options.h"
#include "profiler/commands/terminal.h"
#include "profiler/commands/trace_keys.h"
#include "profiler/commands/type_source.h"
#include "profiler/ingest/header_text.h"
#include "report/coverage.h"
#include "report/print_json.h"
#include "report/table.h"

#define DEFAULT_PARENT "^sys_|^do_page_fault" /* perf's */

static struct report_options *const options = &report_options;

static void print_keys(void)
{
	printf("\nKeys of --sort and --fields:\n");
	for (const struct key *const *key = all_keys; *key; key++)
		printf("    %-18s %s\n", (*key)->alias && (*key)->identity ? (*key)->alias : (*key)->name,
		       (*key)->summary);
	printf("\n"
	       "and of tracepoints, by the formats that the file has:\n"
	       "    %-18s field of an event, or all its fields (EVENT.*)\n"
	       "    %-18s field of all events that have one of this name\n"
	       "    %-18s all fields of all tracepoints\n",
	       "EVENT.FIELD", "FIELD", "trace_fields");
}

struct report {
	struct layout layout;
	const char *sort; /* as the user wrote it */
	struct strbuf heading;
	struct sample_choice choice;
	regex_t parent, ignored; /* -p, --ignore-callees */
	bool is_usage;           /* the error is of the command line alone */
	struct error *bad_keys;  /* what is no key of all files, and may be one of this */
	struct trace_keys trace_keys;
	bool has_parent, has_ignored;
	bool has_chains;
	unsigned int needs;
	struct event_groups groups;
	struct layout *layouts;     /* one for each group, where keys are of some events alone; else NULL */
	struct table **tables;      /* one for each group */
	struct coverage *coverages; /* the same */
};

/* The group's layout: as in perf, fields of an event are no columns of others. */
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

static void make_tables(struct report *report, const struct input *input)
{
	const struct resolution *resolution = input->resolution;

	event_groups_init(&report->groups, input->session, &options->grouping);
	report->tables = xcalloc(report->groups.count, sizeof(struct table *));
	report->coverages = xcalloc(report->groups.count, sizeof(*report->coverages));
	if (report->trace_keys.count)
		report->layouts = xcalloc(report->groups.count, sizeof(*report->layouts));
	for (size_t i = 0; i < report->groups.count; i++) {
		report->tables[i] = table_create(group_layout(report, i), report->groups.groups[i].count);
		if (options->group_sort_index < report->groups.groups[i].count)
			report->tables[i]->first_event = options->group_sort_index;
		if (report->needs & NEED_CHAIN && (!options->callgraph.none || options->callgraph.children))
			table_keep_chains(report->tables[i], &options->callgraph, resolution->frames,
					  resolution->frame_count);
	}
}

/* As perf: what has no weight still counts. */
static uint64_t weigh(const struct result *result)
{
	switch (options->weighing) {
	case BY_WEIGHT: return (result->weight ? result->weight : 1) * result->samples;
	case BY_SAMPLES: return result->samples;
	default: return result->period;
	}
}

static void fill_tables(struct report *report, const struct input *input)
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
		if (filter_accepts(&options->filter, &result))
			table_add(table, &result, member);
		else if (!options->relative)
			table_add_filtered(table, &result, member);
	}
}

static bool has_rows(const struct report *report, size_t group)
{
	return report->tables[group]->total_samples || options->grouping.keep_empty || options->relative;
}

static void sort_tables(struct report *report)
{
	for (size_t i = 0; i < report->groups.count; i++)
		if (has_rows(report, i))
			table_sort(report->tables[i]);
}

/* A pager has the terminal for itself. */
static void show_progress(const char *what, const char *which)
{
	if (!pager_runs())
		progress_show(what, which);
}

static void write_bytes(const char *bytes, size_t length)
{
	/* into a file the writing goes on below the sign of life */
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

/* What samples are of where a timer stands in for memory events. */
#define TIMER_MEANING                                                                                        \
	"# A timer's samples are of time, not of misses: each is of the instruction that was next when it "  \
	"struck,\n"                                                                                          \
	"# which is often the one that waited for its operands, or the one behind.\n#\n"

static bool is_timer(const struct event_group *group, const struct session *session)
{
	size_t count;
	const struct event *events = session_events(session, &count);

	for (uint32_t i = 0; i < group->count; i++) {
		const struct perf_event_attr *attr = &events[group->events[i]].attr;

		if (attr->type == PERF_TYPE_SOFTWARE &&
		    (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK))
			return true;
	}
	return false;
}

static void print_group(struct report *report, size_t group, const struct input *input, struct strbuf *text)
{
	struct table *table = report->tables[group];
	struct strbuf name _cleanup_strbuf_ = STRBUF_INIT;
	const char *sort = report->sort ? report->sort : options->layout.default_sort;
	struct table_heading heading = { .is_group = table->event_count > 1,
					 .time = options->time,
					 .weighing = report_weighing_name(options->weighing),
					 .socket =
						 options->filter.has_socket ? &options->filter.socket : NULL,
					 .sort = options->layout.fields && !report->sort ? NULL : sort };

	event_group_name(&report->groups.groups[group], input->session, &name);
	heading.event = name.data;
	show_progress("Printing", name.data);
	if (!options->input.quiet)
		print_table_heading(table, &heading, text);
	if (!options->input.quiet && report->needs & NEED_TYPE) {
		coverage_sort(&report->coverages[group]);
		print_coverage(&report->coverages[group], text);
	}
	if (!options->input.quiet)
		print_address_coverage(&report->coverages[group], text);
	if (!options->input.quiet && report->needs & (NEED_TYPE | NEED_DATA_ADDRESS) &&
	    is_timer(&report->groups.groups[group], input->session))
		strbuf_add_string(text, TIMER_MEANING);
	print_table(table, &options->print, text);
	strbuf_add_string(text, "\n\n");
	write_out(text);
}

static void print_report(struct report *report, const struct input *input)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	if (!session_totals(input->session)->samples && !options->input.quiet)
		warning("the file has no samples");
	if (options->header)
		session_header_text(input->session, options->full_header, &text);
	else if (!options->input.quiet)
		strbuf_add_string(&text, "# To display the perf.data header info, please use "
					 "--header/--header-only options.\n#\n");
	if (!options->input.quiet)
		strbuf_add_format(&text, "%s#\n# Total Lost Samples: %" PRIu64 "\n#\n", report->heading.data,
				  session_totals(input->session)->lost_samples);
	if (!options->input.quiet)
		type_source_text(input->session, &text);
	for (size_t i = 0; i < report->groups.count; i++)
		if (has_rows(report, i))
			print_group(report, i, input, &text);
	write_out(&text);
}

/* What programs get of a group; *names is to be freed. */
static struct machine_table machine_table(struct report *report, size_t group, const struct input *input,
					  const char ***names, struct strbuf *name)
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

static void print_json(struct report *report, const struct input *input)
{
	struct json json = JSON_INIT(flush_json, NULL);
	const char *by = report_weighing_name(options->weighing);

	json_object(&json, NULL);
	json_string(&json, "format", "dtprof-report");
	json_unsigned(&json, "version", 1);
	json_string(&json, "by", by ? by : "period");
	json_unsigned(&json, "lost_samples", session_totals(input->session)->lost_samples);
	json_array(&json, "tables");
	for (size_t i = 0; i < report->groups.count; i++) {
		struct strbuf name _cleanup_strbuf_ = STRBUF_INIT;
		const char **names _cleanup_free_ = NULL;

		if (!has_rows(report, i))
			continue;

		struct machine_table machine = machine_table(report, i, input, &names, &name);

		print_table_json(report->tables[i], &machine, &options->print, &json);
	}
	json_end(&json);
	json_end(&json);
	json_finish(&json);
}

static void print_csv(struct report *report, const struct input *input)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	uint32_t columns = 0; /* of the table before: another one needs a line of names of its own */

	for (size_t i = 0; i < report->groups.count; i++) {
		struct strbuf name _cleanup_strbuf_ = STRBUF_INIT;
		const char **names _cleanup_free_ = NULL;
		uint32_t count = report->tables[i]->event_count;

		if (!has_rows(report, i))
			continue;

		struct machine_table machine = machine_table(report, i, input, &names, &name);
		bool heading = !options->input.quiet &&
			       (!columns || count > 1 || columns != count || report->layouts);

		print_table_csv(report->tables[i], &machine, &options->print, heading, &text, write_out);
		columns = count;
	}
	write_out(&text);
}

static void report_release(struct report *report)
{
	for (size_t i = 0; i < report->groups.count; i++)
		table_destroy(report->tables[i]);
	free(report->tables);
	free(report->layouts);
	free(report->coverages);
	event_groups_release(&report->groups);
	sample_choice_release(&report->choice);
	if (report->has_parent)
		regfree(&report->parent);
	if (report->has_ignored)
		regfree(&report->ignored);
	error_free(report->bad_keys);
	trace_keys_release(&report->trace_keys);
	strbuf_release(&report->heading);
}

static void print_header(const struct input *input)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	session_header_text(input->session, options->full_header, &text);
	write_out(&text);
}

static bool has_chains(const struct session *session)
{
	size_t count;
	const struct event *events = session_events(session, &count);

	for (size_t i = 0; i < count; i++)
		if (events[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

/* As in perf: shares of the time on the clock are left out where nearly all of it was of one thread at a
 * time. */
static void drop_needless_latency(struct report *report, const struct sample_counts *counts)
{
	const struct layout_options *layout = &options->layout;
	uint64_t samples = 0, alone = 0;

	if (!layout->latency || layout->latency_first || (layout->fields && layout->fields[0] != '+') ||
	    (layout->sort && strstr(layout->sort, "latency")))
		return;
	for (size_t i = 0; i < counts->count; i++) {
		samples += counts->entries[i].samples;
		alone += counts->entries[i].parallelism == 1 ? counts->entries[i].samples : 0;
	}
	if (samples && alone * 100 / samples >= 99)
		layout_remove_latency(&report->layout);
}

/* What the file has decides whether there are call graphs, and rows for callers. */
static struct error *choose_callgraph(struct report *report, const struct session *session)
{
	struct callgraph_options *callgraph = &options->callgraph;

	report->has_chains = has_chains(session);
	if (!report->has_chains && callgraph->asked)
		return error_create(ERROR_OTHER,
				    "-g: the samples have no call chains; record them with 'dtprof "
				    "record -g'");
	if (!report->has_chains)
		options->layout.children = false;
	options->layout.latency = session_has_switches(session);
	RETURN_ERROR(layout_parse(&options->layout, &report->layout));
	report->needs = layout_needs(&report->layout) | filter_needs(&options->filter) |
			(options->weighing == BY_WEIGHT ? NEED_WEIGHT : 0) |
			(options->memory_only ? NEED_TYPE : 0);
	if (report->needs & NEED_PARALLELISM && !options->layout.latency)
		return error_create(ERROR_OTHER,
				    "the file has no context switches, and so neither latency nor "
				    "parallelism; record it with 'dtprof record --latency'");
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

static struct error *compile(const char *option, const char *pattern, regex_t *regex, bool *compiled)
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
		return error_create(ERROR_OTHER,
				    "--ignore-callees does not go with types, which are those of "
				    "the instruction that made the access");
	if (!report->has_chains)
		return error_create(ERROR_OTHER, "--ignore-callees: the samples have no call chains; record "
						 "them with 'dtprof record -g'");
	report->needs |= NEED_CHAIN | NEED_SYMBOL | NEED_ADDRESS;
	return compile("--ignore-callees", options->ignore_callees, &report->ignored, &report->has_ignored);
}

/* --stats, --tasks, --mmaps */
static struct error *print_records(struct input *input)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	RETURN_ERROR(session_count(input->session, 0, &input->counts));
	if (options->stats)
		print_record_stats(input->session, &text);
	else
		print_tasks(input->session, options->maps, &text);
	write_out(&text);
	return NULL;
}

/* A wrong key is said before the file is looked at, unless the file may know it. */
static struct error *open_file(struct report *report, struct input *input)
{
	struct error *error = input_open(&options->input, input);

	if (!report->bad_keys)
		return error;
	if (!error && trace_keys_of(input->session))
		return NULL;
	error_free(error);
	error = report->bad_keys;
	report->bad_keys = NULL;
	report->is_usage = true;
	return error;
}

/* As in perf: where all is tracepoints, what they say is what is looked for. */
static void choose_default_sort(const struct session *session)
{
	size_t count;
	const struct event *events = session_events(session, &count);

	for (size_t i = 0; i < count; i++)
		if (events[i].attr.type != PERF_TYPE_TRACEPOINT || !events[i].field_count)
			return;
	if (!options->memory_mode)
		options->layout.default_sort = options->raw_trace ? "trace_fields" : "trace";
}

static struct error *run_report(struct report *report, struct input *input)
{
	RETURN_ERROR(open_file(report, input));
	if (options->header_only) {
		print_header(input);
		return NULL;
	}
	if (options->stats || options->tasks || options->maps)
		return print_records(input);
	report->sort = options->layout.sort;
	choose_default_sort(input->session);
	RETURN_ERROR(
		trace_keys_choose(&report->trace_keys, input->session, &options->layout, options->raw_trace));
	RETURN_ERROR(choose_callgraph(report, input->session));
	RETURN_ERROR(compile_patterns(report));
	RETURN_ERROR(sample_choice_init(&report->choice, options->time, options->cpus, input->session));
	RETURN_ERROR(input_resolve(
		&options->input,
		&(struct input_needs){ .needs = report->needs,
				       .full_source_path = options->full_source_path,
				       .choice = &report->choice,
				       .time_quantum = options->time_quantum,
				       .parent = &report->parent,
				       .traces = report->trace_keys.choices,
				       .trace_count = report->trace_keys.count,
				       .raw_trace = options->raw_trace,
				       .no_demangle = options->no_demangle,
				       .ignore_callees = report->has_ignored ? &report->ignored : NULL,
				       .caller_first = options->callgraph.caller_first,
				       .no_inline = !options->inline_frames,
				       .chain_limit = options->callgraph.max_stack },
		input));
	drop_needless_latency(report, input->counts);
	filter_elide(&options->filter, &report->layout, &report->heading);
	make_tables(report, input);
	progress_show("Sorting rows", NULL);
	fill_tables(report, input);
	sort_tables(report);
	progress_end();
	options->print.colour = terminal_colour();
	if (!options->print.max_name)
		options->print.max_name = terminal_width();
	switch (options->format) {
	case OUTPUT_JSON: print_json(report, input); break;
	case OUTPUT_CSV: print_csv(report, input); break;
	case OUTPUT_TEXT: print_report(report, input); break;
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
	struct option_spec *both _cleanup_free_ = options_combine(variant->options, report_usage.options);
	const struct command_usage usage = { .name = variant->name,
					     .synopsis = report_usage.synopsis,
					     .summary = variant->summary ? variant->summary
									 : report_usage.summary,
					     .options = both };
	struct report report = { .heading = STRBUF_INIT };
	struct input input = { 0 };
	int rest, status;
	struct error *error;

	if (!command_begin(argc, argv, &usage, OPTIONS_ANYWHERE, &rest, &status)) {
		if (status == EXIT_SUCCESS)
			print_keys();
		return status;
	}
	if (rest > 1 || (rest && !access(argv[0], F_OK)))
		return fail_usage(error_create(ERROR_OTHER, "what is '%s'? (-i FILE names a file to read)",
					       argv[rest - 1]));
	if (rest)
		options->filter.symbol_part = argv[0];
	if (variant->prepare)
		variant->prepare();
	if (variant->is_instead && *variant->is_instead) {
		error = variant->instead();
		return error ? fail(error) : EXIT_SUCCESS;
	}
	error = report_options_finish();
	if (error)
		return fail_usage(error);
	report.bad_keys = layout_parse(&options->layout, &report.layout);
	options->print.verbose = options->input.verbose;
	options->print.quiet = options->input.quiet;
	error = run_report(&report, &input);
	status = !error ? EXIT_SUCCESS : report.is_usage ? fail_usage(error) : fail(error);
	report_release(&report);
	input_close(&input);
	filter_release(&options->filter);
	return status;
}
