// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof report: counted samples as tables by the chosen keys, one for each event or group of events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/globals.h"
#include "profiler/commands/progress.h"
#include "profiler/commands/report_output.h"
#include "profiler/commands/report_tables.h"
#include "profiler/commands/terminal.h"

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
		report_print_header(input);
		return NULL;
	}
	if (options->stats || options->tasks || options->maps)
		return report_print_records(input);
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
	report_make_tables(report, input);
	progress_show("Sorting rows", NULL);
	report_fill_tables(report, input);
	report_sort_tables(report);
	progress_end();
	options->print.colour = terminal_colour();
	if (!options->print.max_name)
		options->print.max_name = terminal_width();
	switch (options->format) {
	case OUTPUT_JSON: report_print_json(report, input); break;
	case OUTPUT_CSV: report_print_csv(report, input); break;
	case OUTPUT_TEXT: report_print_text(report, input); break;
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
	options->input.dso.build_id_folder = global_options.build_id_folder;
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
