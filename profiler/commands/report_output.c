// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/report_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/commands/globals.h"
#include "profiler/commands/progress.h"
#include "profiler/commands/record_list.h"
#include "profiler/commands/terminal.h"
#include "profiler/commands/type_source.h"
#include "profiler/ingest/header_text.h"
#include "report/print_json.h"

static struct report_options *const options = &report_options;

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

/* Said of a timer's samples that are not charged (--blame=sampled). */
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

/* AMD's IBS and Arm's SPE choose the instruction when it is dispatched, not when it is waited for. */
#define TAGGING_MEANING                                                                                      \
	"# The processor tagged these instructions when it dispatched them: the samples are not of time.\n"  \
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

/* Counters without precision: while a load waits nothing retires, but their interrupt takes its time. */
static void print_skid(const struct event_group *group, const struct input *input, struct strbuf *text)
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
		strbuf_add_format(
			text,
			"# The counter is without precision: of its samples behind loads %.1f%% are at "
			"the next instruction,\n# the others up to 7 further\n#\n",
			100.0 * (double)skid->next / (double)samples);
}

static void print_group(struct report *report, size_t group, const struct input *input, struct strbuf *text)
{
	struct table *table = report->tables[group];
	struct strbuf name _cleanup_strbuf_ = STRBUF_INIT;
	const char *sort = report->sort ? report->sort : options->layout.default_sort;
	struct table_heading heading = { .plural = report->groups.groups[group].plural,
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
	    is_timer(&report->groups.groups[group], input->session) && options->input.blame == BLAME_SAMPLED)
		strbuf_add_string(text, TIMER_MEANING);
	if (!options->input.quiet && report->needs & NEED_TYPE)
		print_charges(&report->coverages[group], text);
	if (!options->input.quiet && report->needs & NEED_TYPE && options->input.blame != BLAME_SAMPLED)
		print_skid(&report->groups.groups[group], input, text);
	if (!options->input.quiet && report->needs & NEED_TYPE && options->weighing != BY_WEIGHT &&
	    tags_instructions(&report->groups.groups[group], input->session))
		strbuf_add_string(text, TAGGING_MEANING);
	print_table(table, &options->print, text);
	strbuf_add_string(text, "\n\n");
	write_out(text);
}

void report_print_text(struct report *report, const struct input *input)
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
	/* of source lines and inlined frames debug information is asked as well, and there are no types then
	 */
	if (!options->input.quiet && report->needs & NEED_TYPE)
		type_source_text(input->session, &text);
	for (size_t i = 0; i < report->groups.count; i++)
		if (report_has_rows(report, i))
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

void report_print_json(struct report *report, const struct input *input)
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

		if (!report_has_rows(report, i))
			continue;

		struct machine_table machine = machine_table(report, i, input, &names, &name);

		print_table_json(report->tables[i], &machine, &options->print, &json);
	}
	json_end(&json);
	json_end(&json);
	json_finish(&json);
}

void report_print_csv(struct report *report, const struct input *input)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	uint32_t columns = 0; /* of the table before: another one needs a line of names of its own */

	for (size_t i = 0; i < report->groups.count; i++) {
		struct strbuf name _cleanup_strbuf_ = STRBUF_INIT;
		const char **names _cleanup_free_ = NULL;
		uint32_t count = report->tables[i]->event_count;

		if (!report_has_rows(report, i))
			continue;

		struct machine_table machine = machine_table(report, i, input, &names, &name);
		bool heading = !options->input.quiet &&
			       (!columns || count > 1 || columns != count || report->layouts);

		print_table_csv(report->tables[i], &machine, &options->print, heading, &text, write_out);
		columns = count;
	}
	write_out(&text);
}

void report_print_header(const struct input *input)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	session_header_text(input->session, options->full_header, &text);
	write_out(&text);
}

struct error *report_print_records(struct input *input)
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
