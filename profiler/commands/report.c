// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof report: counted samples in tables by the chosen keys, one table for each event or group of
 * events.
 *
 * In order: the browser, the tables, the output, the command. The options are in report_options.c.
 */
#include "profiler/commands/report.h"

#include <assert.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "profiler/commands/annotate.h"
#include "profiler/commands/browse.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/html.h"
#include "profiler/commands/report_import.h"
#include "profiler/cli/sandbox.h"
#include "profiler/cli/names.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/ingest/session.h"
#include "profiler/cli/trouble.h"
#include "profiler/machine/cached_costs.h"
#include "report/key/keys.h"
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
	bool has_chains;
	uint64_t needs;
	struct event_groups groups;
	struct table **tables;      /* one per group */
	struct coverage *coverages; /* one per group */
	struct shown_samples shown;
};

static struct report_options *const options = &report_options;

/* Returns the "by" of the heading, or NULL for periods. As perf's weight, no weight is 1. */
static const char *report_weighing_name(enum weighing weighing, const struct session *session,
					bool as_perf)
{
	if (weighing == BY_WEIGHT &&
	    session_any_event(session, event,
			      as_perf || event->attr.sample_type & PERF_SAMPLE_WEIGHT_TYPE))
		return "weight";
	return weighing == BY_PERIOD ? NULL : "samples";
}

/* ---- the browser ---- */

/* Sets the first view for the keys of -s. Returns false if the browser lacks one of them. */
static bool find_start(const char *keys, enum browse_start *start)
{
	static const struct key_start {
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
	each_word (key, length, keys) {
		const struct key_start *known = array_find(i, starts, COUNT_OF(starts),
							   text_is(key, length, starts[i].key));

		if (!known)
			return false;
		*start = first ? known->start : *start;
		first = false;
	}
	return true;
}

/* Returns whether an option asks for more or other than the browser shows. */
static bool report_wants_text(void)
{
	const struct layout_options *layout = &options->layout;
	const struct print_options *print = &options->print;

	return options->format != OUTPUT_TEXT || print->separator || options->perf_format ||
	       options->header || options->header_only || options->stats || layout->hierarchy ||
	       layout->fields || layout->sort_by || layout->show_samples || layout->show_period ||
	       options->callgraph.asked || options->memory_mode || options->grouping.all ||
	       print->percent_limit > 0 || print->max_name || options->input.quiet ||
	       global_options.debug_type_profile;
}

/* Decides whether the browser opens. Call after parsing. */
static struct error *choose_browser(struct report *report)
{
	bool known = find_start(options->layout.sort, &report->start);

	return browse_decide(options->browse, report_wants_text() || !known, &report->browses);
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

/* Creates a table for each group of events. Call after resolving. */
static void report_make_tables(struct report *report, const struct input *input)
{
	const struct resolution *resolution = input->resolution;

	event_groups_init(&report->groups, input->session, &options->grouping);
	report->tables = xcalloc(report->groups.count, sizeof(struct table *));
	report->coverages = xcalloc(report->groups.count, sizeof(*report->coverages));
	for (size_t i = 0; i < report->groups.count; i++) {
		report->tables[i] = table_create(&report->layout, report->groups.groups[i].count);
		if (report->needs & NEED_CHAIN &&
		    (!options->callgraph.none || options->callgraph.children))
			table_keep_chains(report->tables[i], &options->callgraph,
					  resolution->frames, resolution->frame_count);
		if (report->tables[i]->children)
			report->tables[i]->symbol_part = options->filter.symbol_part;
	}
}

/* Returns the time on a processor in ns that a sample of the event stands for; 0: not known. */
static uint64_t sample_time(const struct event *event)
{
	return !event->attr.freq || !event->attr.sample_freq ? 0
							     : NS_PER_S / event->attr.sample_freq;
}

/* --with-off-cpu: sums of time on processors and of blocked time are of one unit. */
static struct error *check_blocked(const struct input *input)
{
	size_t count;
	const struct event *events = session_events(input->session, &count);
	const struct event *other = NULL;

	if (!options->grouping.off_cpu)
		return NULL;
	if (!session_has_blocked_time(input->session))
		return error_other("--with-off-cpu: %s has no blocked time; record it with "
				   "--off-cpu",
				   input->path);
	for (size_t i = 0; i < count; i++)
		if (!events[i].off_cpu && !event_is_timer(&events[i]) && !sample_time(&events[i]))
			other = &events[i];
	return other ? error_other("--with-off-cpu: samples of '%s' do not tell time; record a "
				   "timer (cpu-clock), or with -F",
				   other->name)
		     : NULL;
}

/* Returns the figure that rows are weighed by. As in perf, one without a weight is 1. */
static uint64_t weigh(const struct result *result, const struct event *event)
{
	if (options->grouping.off_cpu && options->weighing == BY_PERIOD && !event->off_cpu &&
	    !event_is_timer(event))
		return result->samples * sample_time(event);
	switch (options->weighing) {
	case BY_WEIGHT: return (result->weight ?: 1) * result->samples;
	case BY_SAMPLES: return result->samples;
	default: return result->period;
	}
}

/* Returns whether the result counts in the rows of its callers but has no row of its own: with rows
 * for callers, --symbol-filter chooses rows, as in perf. */
static bool is_of_callers(const struct table *table, const struct result *result)
{
	struct filter others = options->filter;

	others.symbol_part = NULL;
	return table->symbol_part && filter_accepts(&others, result);
}

static void report_fill_tables(struct report *report, const struct input *input)
{
	const struct event *events = session_events(input->session, NULL);

	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		uint32_t group = report->groups.group_of[result.event];
		struct table *table = report->tables[group];
		uint32_t member = report->groups.member_of[result.event];

		result.period = weigh(&result, &events[result.event]);
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
	for (size_t i = 0;
	     i < report->groups.count && !(report->needs & (NEED_DATA_ADDRESS | NEED_ELEMENT) ||
					   options->input.blame == BLAME_SAMPLED);
	     i++)
		report->coverages[i].computed = 0;
}

/* Returns whether the group's table is shown. */
static bool report_has_rows(const struct report *report, size_t group)
{
	return report->tables[group]->total_samples || options->relative;
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
	assert(text->printable);
	write_bytes(text->data, text->length);
	strbuf_reset(text);
}

/* The explanation of a timer's samples that are not charged to accesses (--blame=sampled). */
#define TIMER_MEANING                                                                              \
	"# A timer's samples are of time, not of misses: each is of the instruction that was "     \
	"next when it "                                                                            \
	"struck,\n"                                                                                \
	"# which is often the one that waited for its operands, or the one after it.\n#\n"

static bool is_timer(const struct event_group *group, const struct session *session)
{
	const struct event *events = session_events(session, NULL);

	return any_of(i, 0, group->count, event_is_timer(&events[group->events[i]]));
}

/* The explanation of samples of AMD's IBS and Arm's SPE: these choose an instruction when it is
 * dispatched, not while something waits for it. */
#define TAGGING_MEANING                                                                            \
	"# The processor tagged these instructions when it dispatched them: the samples are not "  \
	"of time.\n"                                                                               \
	"# Their latency is: --by weight.\n#\n"

static bool tags_instructions(const struct event_group *group, const struct session *session)
{
	const struct event *events = session_events(session, NULL);

	/* the events that are made of SPE's AUX data have the PMU of the recorded one */
	return session_any_event(
		session, event,
		(starts_with(event->name, "ibs_") || starts_with(event->name, "arm_spe")) &&
			any_of(i, 0, group->count,
			       events[group->events[i]].attr.type == event->attr.type));
}

/* Prints how far samples of imprecise counters are from the loads that they waited for. Nothing
 * retires while a load waits, but instructions after it do until the interrupt arrives. */
static void print_skid(const struct event_group *group, const struct input *input,
		       struct strbuf *text)
{
	const struct blame_skid *skid = &input->resolution->skid;
	uint64_t samples = skid->next + skid->further;
	const struct event *events = session_events(input->session, NULL);

	if (samples && any_of(i, 0, group->count,
			      events[group->events[i]].attr.type != PERF_TYPE_SOFTWARE &&
				      event_is_late(&events[group->events[i]])))
		strbuf_add_format(
			text,
			"# The counter is without precision: of its samples after loads %.1f%% are "
			"at the next instruction,\n# the others up to 7 further\n#\n",
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

static void print_group(struct report *report, size_t group, const struct input *input,
			struct strbuf *text)
{
	struct table *table = report->tables[group];
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	const char *sort = report->sort ?: options->layout.default_sort;
	struct table_heading heading = {
		.plural = report->groups.groups[group].plural,
		.time = options->choice.time,
		.weighing = report_weighing_name(options->weighing, input->session,
						 !options->print.screen),
		.sort = options->layout.fields && !report->sort ? NULL : sort
	};

	event_group_name(&report->groups.groups[group], input->session, &name);
	heading.event = name.data;
	show_progress("Printing", name.data);
	heading.chosen = report->heading.data;
	heading.coverage = report->needs & NEED_TYPE ? &report->coverages[group] : NULL;
	if (options->print.screen && !options->input.quiet)
		print_screen_heading(table, &heading, &options->print, text);
	else if (!options->input.quiet)
		print_group_heading(report, group, input, &heading, text);
	print_table(table, &options->print, text);
	strbuf_add_trusted(text, options->print.screen ? "" : "\n\n");
	write_out(text);
}

/* Appends that the key mem has no answers, if no sample has a data source. */
static void add_source_hint(const struct report *report, const struct input *input,
			    struct strbuf *text)
{
	const struct key_list *columns = &report->layout.columns;
	const struct sample_counts *counts = input->counts;

	if (!counts->count || !any_of(i, 0, columns->count, columns->keys[i] == &key_level))
		return;
	for (size_t i = 0; i < counts->count; i++) {
		union perf_mem_data_src source = { .val = counts->entries[i].data_source };

		if (source.val && !(source.mem_op & PERF_MEM_OP_NA))
			return;
	}
	text_add_wrapped(text,
			 "No sample tells which cache its data came from: only the memory events "
			 "of a processor do",
			 0, terminal_width(), 2);
	strbuf_add_char(text, '\n');
}

/* Appends a hint on how to see types, which perf's default keys do not show. */
static void add_hint(const struct report *report, struct strbuf *text)
{
	static const char hint[] = "Types of the accessed data: dtprof report -s type,typeoff";
	const char *path = options->input.path;
	unsigned int width = options->print.line_width;
	size_t start = text->length;

	if (options->layout.sort || options->layout.fields || options->memory_mode ||
	    report->needs & NEED_TYPE)
		return;
	strbuf_add_string(text, hint);
	if (path && strcmp(path, "-") != 0 &&
	    (!width || sizeof(hint) + strlen(" -i ") + strlen(path) <= width))
		strbuf_add_format(text, " -i %s", path);
	strbuf_end_line(text, start);
}

/* Returns the columns that lines may have, 0: any. With -v, nothing is cut. */
static unsigned int line_width(void)
{
	return options->input.verbose ? 0 : terminal_width();
}

#define FOLD_INDENT 4

/* Breaks the lines from `start` on for a reader at a terminal. */
static void fold_lines(struct strbuf *text, size_t start)
{
	text_fold(text, start, 0, options->perf_format ? 0 : line_width(), FOLD_INDENT);
}

static void add_header(const struct input *input, struct strbuf *text)
{
	size_t start = text->length;

	session_header_text(input->session, text);
	fold_lines(text, start);
}

/* Prints tables for a screen: above each a heading of a line, at the end what is missing. */
static void report_print_screen(struct report *report, const struct input *input)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	uint64_t lost = session_totals(input->session)->lost_samples;
	bool any = false;

	if (options->header)
		add_header(input, &text);
	for (size_t i = 0; i < report->groups.count; i++) {
		if (!report_has_rows(report, i))
			continue;
		strbuf_add_trusted(&text, any ? "\n" : "");
		print_group(report, i, input, &text);
		any = true;
	}
	if (!options->input.quiet) {
		size_t start = text.length;

		trouble_text(&options->input, input, &report->shown, true, terminal_width(), &text);
		if (lost) {
			text_add_grouped(&text, lost);
			strbuf_add_string(
				&text,
				" samples were lost: record with a larger -m or a lower -F\n");
		}
		add_source_hint(report, input, &text);
		add_hint(report, &text);
		if (any && text.length > start)
			write_bytes("\n", 1);
	}
	write_out(&text);
}

/* Appends the file's header, or perf's hint on how to see it. */
static void report_add_header(const struct input *input, struct strbuf *text)
{
	if (options->header)
		add_header(input, text);
	else if (!options->input.quiet) {
		size_t start = text->length;

		strbuf_add_string(text, "# To display the perf.data header info, please use "
					"--header/--header-only options.\n#\n");
		fold_lines(text, start);
	}
}

static void report_print_text(struct report *report, const struct input *input)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	input_warn_if_empty(input);
	report_add_header(input, &text);
	if (!options->input.quiet) {
		strbuf_add_text(&text, &report->heading);
		strbuf_add_format(&text, "#\n# Total Lost Samples: %" PRIu64 "\n#\n",
				  session_totals(input->session)->lost_samples);
	}
	/* source lines and inlined frames use debug information, too, but show no types */
	if (!options->input.quiet && report->needs & NEED_TYPE)
		type_source_text(input->session, &text);
	for (size_t i = 0; i < report->groups.count; i++)
		if (report_has_rows(report, i))
			print_group(report, i, input, &text);
	write_out(&text);
}

/* Returns what JSON and CSV show of a group. The caller frees *names. */
static struct machine_table machine_table(struct report *report, size_t group,
					  const struct input *input, const char ***names,
					  struct strbuf *name)
{
	const struct event_group *events = &report->groups.groups[group];
	const struct event *all = session_events(input->session, NULL);

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

static void flush_json(void *data _unused_, const char *text, size_t length)
{
	write_bytes(text, length);
}

/* Adds the JSON document, as a member or without a name. */
static void report_add_json(struct report *report, const struct input *input, struct json *json,
			    const char *member)
{
	const char *by = report_weighing_name(options->weighing, input->session, false);

	json_start(json, member, "dtprof-report", 1);
	json_string(json, "by", by ?: "period");
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
	json_end(json);
}

static void report_print_json(struct report *report, const struct input *input)
{
	struct json json = JSON_INIT(flush_json, NULL);

	report_add_json(report, input, &json, NULL);
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
	return options->choice.time || options->choice.cpu_list || filter_needs(&filter);
}

static void add_report(void *data, struct json *json)
{
	const struct html_source *source = data;

	report_add_json(source->report, source->input, json, "report");
}

static struct html_report html_report(struct html_source *source)
{
	return (struct html_report){ .path = options->html,
				     .input = &options->input,
				     .filter = &options->filter,
				     .grouping = &options->grouping,
				     .choice = &options->choice,
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
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	uint32_t columns =
		0; /* of the previous table; a different number needs a new line of names */

	for (size_t i = 0; i < report->groups.count; i++) {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
		_cleanup_free_ const char **names = NULL;
		uint32_t count = report->tables[i]->event_count;

		if (!report_has_rows(report, i))
			continue;

		struct machine_table machine = machine_table(report, i, input, &names, &name);
		bool heading = !options->input.quiet && (!columns || count > 1 || columns != count);

		print_table_csv(report->tables[i], &machine, &options->print, heading, &text,
				write_out);
		columns = count;
	}
	write_out(&text);
}

static void report_print_header(const struct input *input)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	add_header(input, &text);
	write_out(&text);
}

static struct error *report_print_stats(struct input *input)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	RETURN_ERROR(session_count(input->session, 0, &input->counts));
	if (options->header)
		add_header(input, &text);
	write_out(&text);
	session_stats_text(input->session, &text);
	fold_lines(&text, 0);
	write_out(&text);
	return NULL;
}

/* ---- the command ---- */

#define TIME_QUANTUM (100 * NS_PER_MS) /* of the key time; perf's default */

#define KEY_COLUMN 23

static void print_keys(void)
{
	printf("\nKeys of --sort and --fields:\n");
	for (const struct key *const *key = all_keys; *key; key++)
		print_term((*key)->alias && (*key)->identity ? (*key)->alias : (*key)->name,
			   KEY_COLUMN, (*key)->summary);
}

static void report_deinit(struct report *report)
{
	for (size_t i = 0; i < report->groups.count; i++)
		table_destroy(report->tables[i]);
	free_all(report->tables, report->coverages);
	event_groups_deinit(&report->groups);
	sample_choice_deinit(&options->choice);
	shown_samples_deinit(&report->shown);
	strbuf_deinit(&report->heading);
}

/* Decides by the file's contents whether there are call graphs and rows for callers. */
static struct error *choose_callgraph(struct report *report, const struct session *session)
{
	struct callgraph_options *callgraph = &options->callgraph;

	report->has_chains = session_has_chains(session);
	if (!report->has_chains && callgraph->asked)
		return error_other(
			"-g: the samples have no call chains; record them with 'dtprof record -g'");
	if (!report->has_chains)
		options->layout.children = false;
	RETURN_ERROR(layout_parse(&options->layout, &report->layout));
	report->needs = layout_needs(&report->layout) | filter_needs(&options->filter) |
			(options->weighing == BY_WEIGHT ? NEED_WEIGHT : 0) |
			(options->memory_only ? NEED_TYPE : 0);
	if (report->browses)
		report->needs |= browse_needs(&options->filter, session);
	callgraph->children = options->layout.children;
	options->print.callgraph = !callgraph->none;
	if (callgraph->none && !callgraph->children)
		return NULL;
	if (!report->has_chains)
		return NULL;
	report->needs |= NEED_CHAIN;
	return NULL;
}

static bool is_of_tracepoints(const struct session *session)
{
	return !session_any_event(session, event,
				  event->attr.type != PERF_TYPE_TRACEPOINT || !event->field_count);
}

/* Sets the default keys: as in perf, a file of tracepoints alone is sorted by contents. */
static void choose_default_sort(const struct session *session)
{
	if (!options->memory_mode && is_of_tracepoints(session))
		options->layout.default_sort = "trace";
}

/* Chooses between tables for readers at a terminal and perf's form, which programs read. */
static void choose_form(void)
{
	struct print_options *print = &options->print;

	print->screen = report_is_for_screen();
	print->colour = terminal_colour();
	/* -v shows names whole, so lines may be wider than the terminal */
	print->line_width = line_width();
	print->ellipsis = terminal_ellipsis();
	if (!print->max_name)
		print->max_name = print->line_width;
}

static struct error *check_symbol_part(const struct report *report, const struct input *input)
{
	if (!options->filter.symbol_part || !input->counts->count)
		return NULL;
	/* the first row of a table is its total */
	for (size_t i = 0; i < report->groups.count; i++)
		if (report->tables[i]->row_count > 1)
			return NULL;
	return error_create(ERROR_NOT_FOUND,
			    "--symbol-filter: no row has a function whose name contains '%s' "
			    "(dtprof report -s sym lists the functions)",
			    options->filter.symbol_part);
}

static struct error *run_report(struct report *report, struct input *input)
{
	RETURN_ERROR(input_open(&options->input, input));
	if (options->header_only) {
		report_print_header(input);
		return NULL;
	}
	if (options->stats)
		return report_print_stats(input);
	RETURN_ERROR(check_blocked(input));
	report->sort = options->layout.sort;
	choose_default_sort(input->session);
	/* the browser has neither call graphs nor fields of tracepoints */
	if (report->browses) {
		report->browses = options->layout.sort || !is_of_tracepoints(input->session);
		options->callgraph.none = report->browses;
		options->layout.children = options->layout.children && !report->browses;
	}
	RETURN_ERROR(choose_callgraph(report, input->session));
	RETURN_ERROR(sample_choice_init(&options->choice, input->session));
	RETURN_ERROR(input_resolve(
		&options->input,
		&(struct input_needs){
			.needs = report->needs,
			.full_source_path = options->full_source_path,
			.choice = &options->choice,
			.time_quantum = report->browses ? annotate_time_quantum(input->session)
							: TIME_QUANTUM,
			.no_demangle = options->no_demangle,
			.no_inline = !options->inline_frames,
			.chain_limit = options->callgraph.max_stack,
			.again = options->html,
			.tells_trouble = true },
		input));
	if (options->output)
		RETURN_ERROR(redirect_stdout(options->output, input->path));
	RETURN_ERROR(times_check(&options->choice, input));
	RETURN_ERROR(names_check(&options->filter, input));
	if (report->browses)
		return report_browse(report, input);
	choose_form();
	filter_elide(&options->filter, &report->layout, options->print.screen, &report->heading);
	report_make_tables(report, input);
	progress_show("Sorting rows", NULL);
	report_fill_tables(report, input);
	report_sort_tables(report);
	progress_end();
	RETURN_ERROR(check_symbol_part(report, input));
	if (!options->print.screen)
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

/* ---- --import ---- */

#define IMPORT_SORT "type,typeoff"

static void print_imported_text(const struct imported_event *event, struct strbuf *text)
{
	struct print_options print = options->print;
	const struct table_heading heading = {
		.event = event->name,
		.sort = options->layout.sort ?: IMPORT_SORT,
		.coverage = &event->coverage,
	};

	if (print.screen && !options->input.quiet)
		print_screen_heading(event->table, &heading, &print, text);
	else if (!options->input.quiet)
		print_table_heading(event->table, &heading, text);
	print_table(event->table, &print, text);
	if (!print.screen)
		strbuf_add_string(text, "\n\n");
}

static void print_imported(const struct imported *imported)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	struct json json = JSON_INIT(flush_json, NULL);

	if (options->format == OUTPUT_JSON) {
		json_start(&json, NULL, "dtprof-report", 1);
		json_string(&json, "by", "period");
		json_unsigned(&json, "lost_samples", 0);
		json_array(&json, "tables");
	}
	array_each (const struct imported_event, event, imported->events, imported->event_count) {
		const struct machine_table machine = { .events = &event->name,
						       .group = event->name,
						       .coverage = &event->coverage,
						       .has_types = true };

		if (options->format == OUTPUT_JSON)
			print_table_json(event->table, &machine, &options->print, &json);
		else if (options->format == OUTPUT_CSV)
			print_table_csv(event->table, &machine, &options->print,
					event == imported->events && !options->input.quiet, &text,
					write_out);
		else
			print_imported_text(event, &text);
	}
	if (options->format == OUTPUT_JSON)
		json_finish(&json);
	write_out(&text);
}

/* Shows the tables of --import, for which there is no recording. */
static int show_imported(struct report *report)
{
	struct imported imported = { 0 };
	struct error *error = report_import(options->import, &report->layout, &imported);

	if (!error && options->output)
		error = redirect_stdout(options->output, options->import);
	if (!error) {
		choose_form();
		print_imported(&imported);
	}
	imported_deinit(&imported);
	return error ? command_fail(error) : EXIT_SUCCESS;
}

int command_report(int argc, char **argv)
{
	static const struct option_spec none = OPTIONS_END;
	static const struct report_variant itself = { .name = "report", .options = &none };

	options->input.itrace.events = ITRACE_ALL; /* as in perf */
	return command_report_as(argc, argv, &itself);
}

int command_report_as(int argc, char **argv, const struct report_variant *variant)
{
	_cleanup_free_ struct option_spec *both =
		options_combine(variant->options, report_usage.options);
	const struct command_usage usage = { .name = variant->name,
					     .synopsis = report_usage.synopsis,
					     .summary = variant->summary ?: report_usage.summary,
					     .options = both,
					     .alternatives = report_usage.alternatives };
	struct report report = { .heading = STRBUF_TEXT };
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
		return command_fail_usage(error_other(
			"unexpected argument '%s' (-i FILE names a file to read)", argv[rest - 1]));
	if (rest)
		options->filter.symbol_part = argv[0];
	if (variant->prepare)
		variant->prepare();
	error = report_options_finish();
	if (!error && options->import && (options->html || options->layout.hierarchy))
		error = error_other("--import makes tables alone (no --html, --hierarchy)");
	if (!error && options->import) {
		options->layout.default_sort = IMPORT_SORT;
		options->layout.children = false;
	} else if (!error) {
		error = choose_browser(&report);
	}
	if (!error)
		error = layout_parse(&options->layout, &report.layout);
	if (error)
		return command_fail_usage(error);
	options->print.verbose = options->input.verbose;
	options->print.quiet = options->input.quiet;
	options->print.flush = write_out;
	if (options->html)
		costs_measurer_start();
	sandbox_for(options->output, report.browses ? "./dtprof.hist" : options->html,
		    options->input.verbose);
	if (options->import) {
		status = show_imported(&report);
		report_deinit(&report);
		return status;
	}
	error = run_report(&report, &input);
	status = error ? command_fail(error) : input_status(&input);
	costs_measurer_stop();
	report_deinit(&report);
	input_leave(&input);
	filter_deinit(&options->filter);
	return status;
}
