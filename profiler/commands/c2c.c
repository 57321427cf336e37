// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof c2c: cachelines that processors share, as perf c2c shows them.
 *
 * Counted entries become the samples of report/c2c/, in the order of time.
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/text.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/lock_reading.h"
#include "profiler/commands/html.h"
#include "profiler/cli/sandbox.h"
#include "profiler/cli/input.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/trouble.h"
#include "profiler/commands/record.h"
#include "profiler/ingest/session.h"
#include "profiler/record/attr.h"
#include "profiler/record/rights.h"
#include "profiler/resolve/sharing_uses.h"
#include "report/c2c/c2c_table.h"
#include "report/c2c/sharing.h"
#include "report/json.h"

#define PARTS_DEFAULT "iaddr"
#define DISPLAY_UNSET UINT_MAX

static struct {
	struct input_options input;
	struct c2c_print_options print;
	unsigned int display; /* enum c2c_display */
	const char *parts;
	struct callgraph_options callgraph;
	bool show_all, double_line;
	bool stdio, functions, json, csv;
	const char *html;
	double percent_limit;
} options = { .display = DISPLAY_UNSET, .percent_limit = 0.5, .callgraph = { .max_stack = 127 } };

/* ---- the command line ---- */

static struct error *parse_parts(const char *text, unsigned int *parts)
{
	static const struct part_name {
		const char *name;
		unsigned int part;
	} names[] = { { "pid", C2C_PID },
		      { "tid", C2C_TID },
		      { "iaddr", C2C_CODE },
		      { "dso", C2C_DSO },
		      { "offset", 0 } };

	*parts = 0;
	each_word (word, length, text) {
		const struct part_name *known =
			array_find(i, names, COUNT_OF(names), text_is(word, length, names[i].name));

		if (!known)
			return error_other("-c: '%.*s' is not pid, tid, iaddr or dso", (int)length,
					   word);
		*parts |= known->part;
	}
	return NULL;
}

/* ---- samples ---- */

static struct c2c_sample make_sample(const struct input *input, const struct session_nodes *nodes,
				     size_t entry)
{
	struct result result = resolution_result(input->resolution, input->counts, entry);
	const struct resolved_place *place = entry_place(input->resolution, entry);
	bool user_data = !(result.data_address >> 63);
	/* data in user space is in no map of the kernel's */
	bool mapped = result.data_known && result.data && result.data->dso_path &&
		      !(result.level == 'k' && user_data);

	return (struct c2c_sample){
		.place = result.place,
		.data = result.data,
		.thread = result.thread,
		.ip = sharing_access_ip(&result, place),
		.address = result.data_known ? result.data_address : 0,
		.physical_address = result.physical_address,
		.source = result.data_source,
		.weight = result.weight,
		.samples = result.samples,
		.period = result.period,
		.chain = result.chain,
		.pid = result.pid,
		.tid = result.tid,
		.cpu = result.cpu,
		.memory_node = session_nodes_of_memory(nodes, result.physical_address),
		.level = result.level,
		.mapped = mapped,
		.is_private = mapped && user_data && result.data->is_private && !result.data_shared,
	};
}

/* Samples on their way to a table. */
struct gathering {
	const struct input *input;
	const struct session_nodes *nodes;
	struct c2c_table *table;
	void (*take)(struct c2c_table *table, const struct c2c_sample *samples, size_t count);
};

static struct error *gather(void *data)
{
	const struct gathering *gathering = data;
	const struct sample_counts *counts = gathering->input->counts;
	_cleanup_free_ uint32_t *order = sample_counts_by_time(counts);
	_cleanup_free_ struct c2c_sample *samples = xcalloc(counts->count, sizeof(*samples));

	for (size_t i = 0; i < counts->count; i++)
		samples[i] = make_sample(gathering->input, gathering->nodes, order[i]);
	gathering->take(gathering->table, samples, counts->count);
	return NULL;
}

/* ---- output ---- */

static void print_tables(const struct input *input, const struct c2c_table *table)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	size_t count;
	const struct event *events = session_events(input->session, &count);
	_cleanup_free_ const char **names = xcalloc(count, sizeof(*names));

	for (size_t i = 0; i < count; i++)
		names[i] = events[i].name;
	options.print.events = names;
	options.print.event_count = count;
	options.print.verbose = options.input.verbose;
	options.print.on_terminal = terminal_width();
	print_c2c(table, &options.print, &text);
	pager_start();
	print_text(&text);
}

/* ---- perf's tables ---- */

/*
 * Returns whether rows have call graphs. As in perf, they do if chains were recorded, but not with
 * -g none.
 */
static bool has_chains(const struct session *session)
{
	return !options.callgraph.none && session_has_chains(session);
}

/* OPTION_CALL_NEXT of -g. Without words callers come first, as in perf. */
static struct error *parse_callgraph(void *value, const char *argument)
{
	struct callgraph_options *callgraph = value;

	RETURN_ERROR(callgraph_parse(callgraph, argument ?: "caller"));
	/* perf shows all branches of a row */
	callgraph->threshold = 0;
	return NULL;
}

static struct error *report_tables(struct input *input, const struct input_needs *needs,
				   struct session_nodes *nodes, struct c2c_options *table_options)
{
	struct gathering gathering = { .input = input, .nodes = nodes, .take = c2c_table_announce };
	struct error *error;

	session_nodes_init(input->session, nodes);
	table_options->nodes = (struct c2c_nodes){ nodes->count, nodes->of_cpu, nodes->cpu_count };
	if (has_chains(input->session))
		table_options->callgraph = callgraph_create(
			&options.callgraph, input->resolution->frames, input->counts->frame_count);
	gathering.table = c2c_table_create(table_options);
	error = input_each_slice(&options.input, needs, input, gather, &gathering);
	gathering.take = c2c_table_add;
	if (!error)
		error = input_each_slice(&options.input, needs, input, gather, &gathering);
	c2c_table_finish(gathering.table);
	if (!error)
		print_tables(input, gathering.table);
	c2c_table_destroy(gathering.table);
	callgraph_destroy(table_options->callgraph);
	return error;
}

/* ---- verdicts ---- */

static const char *last_name(void *data, int32_t tid)
{
	return session_last_name(data, tid);
}

/* The uses of memory in a recording, and the verdicts on its cachelines. */
struct verdicts {
	struct sharing_uses uses;
	struct sharing *sharing;
	struct sharing_print_options print;
	struct arena texts; /* of cures */
};

/* Finds the verdicts on cachelines; verdicts_deinit() is due afterwards, also after an error. */
static struct error *verdicts_make(struct verdicts *verdicts, struct input *input,
				   const struct named_waits *waits, uint64_t cacheline)
{
	struct sharing_uses *uses = &verdicts->uses;

	*verdicts = (struct verdicts){ 0 };
	RETURN_ERROR(sharing_uses_init(uses, input->session, input->resolution, input->counts,
				       &input->operands, cacheline));
	verdicts->sharing = sharing_uses_judge(uses);
	sharing_find_cures(verdicts->sharing, &verdicts->texts);
	sharing_take_locks(verdicts->sharing, &waits->reading.waits, &verdicts->texts);
	verdicts->print =
		(struct sharing_print_options){ .percent_limit = options.percent_limit,
						.all = options.show_all,
						.quiet = options.input.quiet,
						.width = terminal_width(),
						.cost = uses->input.has_latencies ? "the latency"
										  : "the samples",
						.name = last_name,
						.name_data = input->session,
						.all_samples = uses->samples,
						.left_out = uses->left_out };
	return NULL;
}

static void verdicts_deinit(struct verdicts *verdicts)
{
	sharing_destroy(verdicts->sharing);
	sharing_uses_deinit(&verdicts->uses);
	arena_deinit(&verdicts->texts);
}

/* Adds the document of --json, as a member or without a name. */
static void add_verdicts(const struct verdicts *verdicts, struct json *json, const char *name)
{
	json_start(json, name, "dtprof-c2c", 1);
	print_sharing_json(verdicts->sharing, &verdicts->print, json);
	json_end(json);
}

static struct error *c2c_write_html(const struct verdicts *verdicts, const struct input *input)
{
	struct html_document document;

	RETURN_ERROR(html_open(&document, options.html, "c2c", input));
	add_verdicts(verdicts, &document.json, "c2c");
	return html_close(&document, NULL, options.input.quiet);
}

static void print_verdicts(const struct verdicts *verdicts)
{
	const struct sharing *sharing = verdicts->sharing;
	const struct sharing_print_options *print = &verdicts->print;
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	if (options.json) {
		struct json json = JSON_INIT(write_stdout, NULL);

		add_verdicts(verdicts, &json, NULL);
		json_finish(&json);
		return;
	}
	if (options.csv)
		print_sharing_csv(sharing, print, &text);
	else if (options.functions)
		print_sharing_functions(sharing, print, &text);
	else
		print_sharing(sharing, print, &text);
	pager_start();
	print_text(&text);
}

/* Samples have a data address by themselves, or it is computed from the registers. */
#define ADDRESS_TYPES (PERF_SAMPLE_ADDR | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER)

/* Returns the fields that events with samples have. */
static uint64_t recorded_types(const struct input *input)
{
	size_t count;
	const struct event *events = session_events(input->session, &count);
	uint64_t types = 0;

	for (size_t i = 0; i < count; i++)
		types |= events[i].samples ? events[i].attr.sample_type : 0;
	return types;
}

/* Returns an error if no sample can have a verdict. Warns if verdicts are doubtful. */
static struct error *check_samples(const struct input *input, const struct sharing_uses *uses)
{
	uint64_t types = recorded_types(input);

	if (!uses->input.count && uses->samples && !(types & ADDRESS_TYPES))
		return error_create(ERROR_NOT_FOUND,
				    "no sample has a data address; record with dtprof c2c record");
	if (!(types & PERF_SAMPLE_CPU) && !options.input.quiet &&
	    any_of(i, 1, uses->input.count, uses->input.uses[i].tid != uses->input.uses[0].tid))
		warning("samples have no processor (dtprof c2c record records it): threads that "
			"take turns on one may seem to contend");
	return NULL;
}

static struct error *report_verdicts(struct input *input, const struct named_waits *waits,
				     uint64_t cacheline)
{
	struct verdicts verdicts;
	struct error *error;

	if (cacheline > SHARING_LINE_MAX) {
		warning("cachelines of %" PRIu64 " bytes are treated as lines of %d", cacheline,
			SHARING_LINE_MAX);
		cacheline = SHARING_LINE_MAX;
	}
	error = verdicts_make(&verdicts, input, waits, cacheline);
	if (!error)
		error = check_samples(input, &verdicts.uses);
	if (!error && options.html)
		error = c2c_write_html(&verdicts, input);
	else if (!error)
		print_verdicts(&verdicts);
	verdicts_deinit(&verdicts);
	return error;
}

/* The needs of perf's tables: a set of enum result_need. */
#define TABLE_NEEDS                                                                                \
	(NEED_DSO | NEED_ADDRESS | NEED_SYMBOL | NEED_PID | NEED_TID | NEED_CPU | NEED_WEIGHT |    \
	 NEED_DATA_SOURCE | NEED_DATA_ADDRESS | NEED_TIME | NEED_IP | NEED_PHYSICAL_ADDRESS)

struct error *c2c_add_json(const struct input_options *input_options, struct input *input,
			   struct json *json)
{
	struct input_needs needs = { .needs = SHARING_USES_NEEDS | NEED_SOURCE_LINE,
				     .details = DETAILS_MAX };
	struct named_waits waits;
	struct verdicts verdicts = { 0 };
	struct error *error = named_waits_read(&waits, input, input_options, NULL);
	uint64_t cacheline;

	if (!error)
		error = input_resolve(input_options, &needs, input);
	cacheline = input_cacheline(input);
	if (!error)
		error = verdicts_make(&verdicts, input, &waits,
				      cacheline < SHARING_LINE_MAX ? cacheline : SHARING_LINE_MAX);
	if (!error)
		add_verdicts(&verdicts, json, "c2c");
	verdicts_deinit(&verdicts);
	named_waits_deinit(&waits);
	return error;
}

static struct error *report_input(struct input *input, struct session_nodes *nodes,
				  struct named_waits *waits)
{
	struct c2c_options table_options = { .show_all = options.show_all,
					     .parts_text = options.parts ?: PARTS_DEFAULT };
	bool tables = options.stdio || options.print.stats_only;
	unsigned int width = terminal_width();
	bool at_end = width && !options.json && !options.csv && !options.html;
	struct error *error = NULL;
	struct input_needs needs = { .needs = (tables ? TABLE_NEEDS : SHARING_USES_NEEDS) |
					      (options.print.no_source ? 0 : NEED_SOURCE_LINE),
				     .slices = tables,
				     .details = tables ? 0 : DETAILS_MAX,
				     .tells_trouble = at_end };

	RETURN_ERROR(parse_parts(table_options.parts_text, &table_options.parts));
	RETURN_ERROR(input_open(&options.input, input));
	/* Arm reports no HITM */
	table_options.display = options.display != DISPLAY_UNSET     ? options.display
				: session_is_aarch64(input->session) ? C2C_PEER
								     : C2C_TOTAL_HITM;
	if (has_chains(input->session))
		needs.needs |= NEED_CHAIN;
	if (!tables)
		RETURN_ERROR(named_waits_read(waits, input, &options.input, NULL));
	RETURN_ERROR(input_resolve(&options.input, &needs, input));
	input_warn_if_empty(input);
	table_options.cacheline = input_cacheline(input);
	table_options.cacheline <<= options.double_line;
	if (tables && !options.input.quiet && recorded_types(input) &&
	    !(recorded_types(input) & PERF_SAMPLE_DATA_SRC))
		warning("no sample has a data source, which perf's tables count, so they are "
			"empty; "
			"without --stdio and --stats, addresses tell who shares what");
	if (tables)
		error = report_tables(input, &needs, nodes, &table_options);
	else
		error = report_verdicts(input, waits, table_options.cacheline);
	if (!error && at_end)
		trouble_print(&options.input, input, width);
	return error;
}

// clang-format off
static const struct option_spec report_specs[] = {
	GROUP("Shared cachelines"),
	OPTION(ENUM, 'd', "display", WORDS(options.display, "tot", "lcl", "rmt", "peer"), "WHICH", "sort by, and show lines with: tot (HITM), lcl, rmt or peer\n(tot; of an Arm machine peer)"),
	OPTION(STRING, 'c', "coalesce", &options.parts, "LIST", "tell rows of a line apart by these, besides the offset: pid,\ntid, iaddr, dso (iaddr)"),
	FLAG(0, "double-cl", &options.double_line, "take two adjacent lines as one, as prefetchers do"),
	FLAG(0, "show-all", &options.show_all, "show all lines that threads share, also with too few samples\nfor a verdict, and all rows; with --stdio lines without HITM"),
	OPTION(PERCENT, 0, "percent-limit", &options.percent_limit, "PERCENT", "leave out lines below this share of all samples (0.5)"),
	GROUP("Output"),
	FLAG(0, "functions", &options.functions, "show which function contends with which"),
	FLAG(0, "json", &options.json, "print JSON (Documentation/json.md)"),
	FLAG(0, "csv", &options.csv, "print comma-separated values"),
	OPTION(STRING, 0, "html", &options.html, "FILE", "write a page for browsers: lines, their fields and threads"),
	FLAG(0, "stdio", &options.stdio, "print perf's tables"),
	FLAG(0, "stats", &options.print.stats_only, "print only the sums of perf's tables"),
	OPTION(COUNT, 'N', "node-info", &options.print.node_info, NULL, "show shares of each node; twice: its processors"),
	{ OPTION_CALL_NEXT, 'g', "call-graph", &options.callgraph, "HOW", "with --stdio: how call chains are shown, as in report;\nnone: not at all", parse_callgraph },
	FLAG(0, "full-symbols", &options.print.full_symbols, "do not cut long names"),
	FLAG(0, "no-source", &options.print.no_source, "leave out source lines"),
	GROUP("Input"),
	INPUT_OPTION_SPECS(options.input),
	OPTIONS_END,
};
// clang-format on

static const struct command_usage report_usage_c2c = {
	.name = "c2c report",
	.synopsis = "[OPTIONS]",
	.summary = "Show the cachelines that processors share, and who contends for them.",
	.options = report_specs,
	.alternatives = (const char *const[]){ "html json csv", "html functions", "html stdio",
					       "html stats", NULL },
};

static int c2c_report(int argc, char **argv)
{
	_cleanup_input_ struct input input = { 0 };
	struct session_nodes nodes = { 0 };
	struct named_waits waits = { 0 };
	int rest, status;

	if (!command_begin(argc, argv, &report_usage_c2c, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	if (rest)
		return command_fail_usage(
			error_other("'%s' is not an option; -i FILE names the file", argv[0]));

	sandbox_for(options.html, NULL, options.input.verbose);
	struct error *error = report_input(&input, &nodes, &waits);

	status = error ? command_fail(error) : input_status(&input);
	session_nodes_deinit(&nodes);
	named_waits_deinit(&waits);
	return status;
}

/* ---- record ---- */

static struct {
	unsigned int operations; /* MEMORY_LOADS, MEMORY_STORES; 0: both */
	struct strbuf events;    /* other events of -e */
	bool list;
	bool user, kernel;
	unsigned int latency;
} recorded = { .events = STRBUF_INIT };

/* Parses perf's tags of memory events (ldlat-loads, mem-ldst ...), or other events. */
static struct error *parse_event(void *value _unused_, const char *argument)
{
	static const struct event_tag {
		const char *tag;
		unsigned int operations;
	} tags[] = { { "ldlat-loads", MEMORY_LOADS },
		     { "ldlat-stores", MEMORY_STORES },
		     { "spe-load", MEMORY_LOADS },
		     { "spe-store", MEMORY_STORES },
		     { "mem-ldst", MEMORY_LOADS | MEMORY_STORES },
		     { "spe-ldst", MEMORY_LOADS | MEMORY_STORES } };
	bool others = false;

	recorded.list |= !strcmp(argument, "list");
	each_word (word, length, argument) {
		const struct event_tag *known =
			array_find(i, tags, COUNT_OF(tags), text_is(word, length, tags[i].tag));

		recorded.operations |= known ? known->operations : 0;
		others |= length && !known;
	}
	if (others)
		strbuf_add_format(&recorded.events, "%s%s", recorded.events.length ? "," : "",
				  argument);
	return others && recorded.operations
		       ? error_other("-e: '%s' mixes memory events and others", argument)
		       : NULL;
}

// clang-format off
static const struct option_spec record_specs[] = {
	GROUP("Shared cachelines"),
	{ OPTION_CALL, 'e', "event", NULL, "EVENT", "ldlat-loads, ldlat-stores, mem-ldst; or any other events\n(this machine's memory events, else a timer)", parse_event },
	FLAG('u', "all-user", &recorded.user, "record only user space"),
	FLAG('k', "all-kernel", &recorded.kernel, "record only the kernel"),
	OPTION(UNSIGNED, 'l', "ldlat", &recorded.latency, "CYCLES", "sample loads that take at least this long (30 on Intel and Arm, all on AMD)"),
	OPTIONS_END,
};
// clang-format on

static void c2c_prepare_record(struct record_arguments *arguments)
{
	struct record_options *record = &arguments->record;

	record->attr.exclude_kernel |= recorded.user;
	record->attr.exclude_user |= recorded.kernel;
	record->attr.cpu = true;
	record->attr.switches = true; /* they tell whether threads ran at one time or in turn */
	record->operations = recorded.operations;
	record->latency = recorded.latency;
	arguments->list |= recorded.list;
	/* physical addresses need the right to profile the kernel; record tells the error */
	struct rights rights;
	_cleanup_error_ struct error *error = rights_read(record->root, &rights);

	record->attr.physical_address |= !error && rights_allow_kernel(&rights);
	if (!recorded.events.length)
		return;
	/* every event gets a timer's fields, to compute addresses where none are given */
	record->events = recorded.events.data;
	record->attr.data_address = true;
	record->attr.weight = true;
	record->attr.data_maps = true;
	record->attr.interrupt_registers |= registers_general();
}

static int c2c_record(int argc, char **argv)
{
	static const struct record_variant variant = {
		.name = "c2c record",
		.summary = "Sample memory accesses with what c2c report needs, as perf c2c record "
			   "does.",
		.options = record_specs,
		.prepare = c2c_prepare_record,
		.list = list_memory_events
	};
	int status = command_record_as(argc, argv, &variant);

	strbuf_deinit(&recorded.events);
	return status;
}

/* ---- c2c ---- */

static const struct option_spec c2c_specs[] = {
	OPTIONS_END,
};

static const struct command_usage c2c_usage = {
	.name = "c2c",
	.synopsis = "record|report [OPTIONS]",
	.summary = "Find cachelines that threads fight over ('dtprof c2c record --help', 'dtprof "
		   "c2c report --help').",
	.options = c2c_specs,
};

int command_c2c(int argc, char **argv)
{
	return command_pair(argc, argv, &c2c_usage, c2c_record, c2c_report);
}
