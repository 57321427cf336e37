// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Verdicts on recorded programs: tests/workloads/sharing.c, sampled by a timer. Skipped where the
 * kernel does not let this user record, or where there is one processor only.
 *
 * How often each verdict is right is measured by tests/bench/c2c_verdicts.sh. Here the machine may
 * be busy, so that threads hardly run side by side. A verdict may be missing then; it must not be
 * wrong.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "report/text.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

static char *program; /* NULL: it could not be built */

static int set_up(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *path = xstrdup(scratch_file("sharing"));
	_cleanup_free_ char *command = xasprintf(
		"%s -g -O2 -pthread -o %s tests/workloads/sharing.c", process_compiler(), path);

	(void)state;
	process_shell(command, &result);
	if (!result.status)
		program = xstrdup(path);
	return 0;
}

static int tear_down(void **state)
{
	free(program);
	return scratch_tear_down(state);
}

/* Records one way of sharing, and appends the report with these options. */
static void record_and_report(const char *way, const char *options, struct process_result *result)
{
	_cleanup_process_ struct process_result record = { 0 };
	_cleanup_free_ char *data = xstrdup(scratch_file("data"));
	_cleanup_free_ char *command = NULL, *report = NULL;

	if (!program)
		skip_because("the workload cannot be compiled here");
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip_because("there is one processor only");
	command = xasprintf("%s c2c record -q -u -F 2000 -o %s %s %s 700 16", dtprof_path(), data,
			    program, way);
	report = xasprintf("%s c2c report -q %s -i %s", dtprof_path(), options, data);
	process_shell(command, &record);
	if (record.status)
		skip_because("recording is not allowed here: %s", record.errors.data);
	process_shell(report, result);
	if (result->status)
		fail_msg("%s: %s", report, result->errors.data);
}

static bool has_verdict(const char *csv, const char *verdict)
{
	size_t length = strlen(verdict);

	for (const char *line = csv; *line; line += strcspn(line, "\n") + 1) {
		if (!strncmp(line, verdict, length) && line[length] == ',')
			return true;
		if (!line[strcspn(line, "\n")])
			break;
	}
	return false;
}

static void test_no_false_sharing(void **state)
{
	static const char *const ways[] = { "neighbours-mended",
					    "neighbours-aligned",
					    "fields-mended",
					    "locks-mended",
					    "histogram-mended",
					    "parts-mended",
					    "counter",
					    "queue",
					    "barrier",
					    "random",
					    "turns",
					    "hand-over" };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		record_and_report(ways[i], "--csv", &result);
		if (has_verdict(result.output.data ? result.output.data : "", "false") ||
		    has_verdict(result.output.data ? result.output.data : "", "both"))
			fail_msg("%s: false sharing claimed:\n%s", ways[i], result.output.data);
	}
}

/* Asserts that false sharing, if it is found, has the right names. */
static void assert_names(const char *way, const char *first, const char *second)
{
	_cleanup_process_ struct process_result result = { 0 };
	const char *csv;

	record_and_report(way, "--csv", &result);
	csv = result.output.data ? result.output.data : "";
	if (!has_verdict(csv, "false")) {
		print_message("# %s: threads hardly ran side by side\n", way);
		assert_false(has_verdict(csv, "true"));
		return;
	}
	if (!strstr(csv, first) || !strstr(csv, second))
		fail_msg("%s: no %s, or no %s:\n%s", way, first, second, csv);
}

static void test_names(void **state)
{
	(void)state;
	assert_names("fields", ",struct stats,sent,", ",struct stats,received,");
	assert_names("locks", ",struct spinlock,taken,", ",pool,");
}

/* Objects in an array have their numbers, and one that is no array has none. */
static void test_elements(void **state)
{
	static const char *const ways[][2] = { { "locks", ", pool[" }, { "fields", ", stats\n" } };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		const char *text;

		record_and_report(ways[i][0], "", &result);
		text = result.output.data ? result.output.data : "";
		if (strstr(text, "1. false sharing") && !strstr(text, ways[i][1]))
			fail_msg("no %s in %s", ways[i][1], text);
	}
}

/* Objects that aligned_alloc() puts at the beginning of lines share no line. */
static void test_aligned_on_purpose(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	record_and_report("neighbours-aligned", "--csv --show-all", &result);
	assert_false(has_verdict(result.output.data, "latent-place"));
}

/* The proposals are those of dtprof layout. */
static void test_proposals(void **state)
{
	static const struct {
		const char *way, *verdict, *proposal;
	} rows[] = {
		{ "fields", "false sharing, fields of one object",
		  "layout: pad struct stats 16 -> 128 bytes: " },
		{ "neighbours-mended", NULL, "layout:" },
		{ "tally", "true sharing",
		  "layout: copy struct tally 16 -> 16 bytes: 'count' in tally_of_thread" },
		/* the lock is one object */
		{ "queue", NULL, "layout: copy" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		const char *text;

		record_and_report(rows[i].way, "", &result);
		text = result.output.data ? result.output.data : "";
		if (!rows[i].verdict && strstr(text, rows[i].proposal))
			fail_msg("%s: '%s' proposed:\n%s", rows[i].way, rows[i].proposal, text);
		if (rows[i].verdict && !strstr(text, rows[i].verdict))
			print_message("# %s: threads hardly ran side by side\n", rows[i].way);
		else if (rows[i].verdict && !strstr(text, rows[i].proposal))
			fail_msg("%s: no '%s':\n%s", rows[i].way, rows[i].proposal, text);
	}
}

/* With many objects the written fields move to a record of their own. How many have a verdict
 * depends on the machine; below 16 they are padded. */
static void test_proposal_for_many_objects(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	const char *text;
	size_t lines = 0;

	(void)state;
	record_and_report("many-fields", "--percent-limit 0", &result);
	text = result.output.data ? result.output.data : "";
	for (const char *at = text; (at = strstr(at, "false sharing, fields of one object")); at++)
		lines++;
	if (lines < 16)
		print_message("# threads met in %zu lines only\n", lines);
	else if (!strstr(text, "layout: split struct connection 64 -> 64 bytes: "))
		fail_msg("no split:\n%s", text);
}

/* Runs dtprof layout on the last recording. */
static void layout(const char *type, struct process_result *result)
{
	shell_must(result, "%s layout -q --json --type=%s -i %s", dtprof_path(), type,
		   scratch_file("data"));
}

/* Returns the samples of the thread with the second most; 0: there is one thread. */
static unsigned long samples_of_second(void)
{
	_cleanup_process_ struct process_result result = { 0 };

	/* event, group, type, samples, ... */
	shell_must(&result, "%s report -q --csv -s tid -i %s | cut -d, -f4 | sort -nr | sed -n 2p",
		   dtprof_path(), scratch_file("data"));
	return strtoul(result.output.data ? result.output.data : "", NULL, 10);
}

/* Returns whether more threads want to run than the machine has processors. Samples of one thread
 * are then too far apart to be pairs. */
static bool is_busy(void)
{
	double load;

	return getloadavg(&load, 1) != 1 || load > (double)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Returns whether the fields of a queue are found to be used together, in one of three recordings.
 */
static bool has_pairs_in_time(void)
{
	for (int i = 0; i < 3; i++) {
		_cleanup_process_ struct process_result report = { 0 }, queue = { 0 };

		record_and_report("queue", "", &report);
		layout("queue", &queue);
		if (strstr(queue.output.data, "\"affinity_in_time\": [\n"))
			return true;
	}
	return false;
}

/* dtprof layout uses the same verdicts, and pairs fields by the times of samples. */
static void test_layout(void **state)
{
	_cleanup_process_ struct process_result report = { 0 }, shared = { 0 }, mended = { 0 };

	(void)state;
	record_and_report("fields", "", &report);
	layout("stats", &shared);
	/* latent false sharing costs nothing, so that no layout gains */
	if (strstr(report.output.data, ". false sharing, fields of one object"))
		assert_non_null(strstr(shared.output.data, "\"kind\": \"pad\""));
	else
		print_message("# threads hardly ran side by side\n");
	/* each thread uses one field only */
	assert_non_null(strstr(shared.output.data, "\"affinity_in_time\": []"));
	process_result_deinit(&report);
	record_and_report("fields-mended", "", &report);
	layout("apart_stats", &mended);
	assert_null(strstr(mended.output.data, "\"kind\": \"pad\""));
	/* both threads use the lock and their end of the ring */
	if (has_pairs_in_time())
		return;
	if (samples_of_second() < 200 || is_busy())
		print_message("# the threads hardly ran\n");
	else
		fail_msg("the lock and the ends of the ring are no pairs");
}

/* Both fields that are written get lines of their own: beside the one that stays, both threads
 * would wait for the field that they read. */
static void test_all_written_fields_are_padded(void **state)
{
	_cleanup_process_ struct process_result report = { 0 }, shown = { 0 };

	(void)state;
	record_and_report("limited-fields", "", &report);
	/* whether other variables share the line is up to the linker */
	if (!strstr(report.output.data, "1. false sharing")) {
		print_message("# threads hardly ran side by side\n");
		return;
	}
	shell_must(&shown, "%s layout -q --type=limits --emit=c --proposal=pad -i %s",
		   dtprof_path(), scratch_file("data"));
	if (!strstr(shown.output.data, "_Alignas(64) volatile long int in;") ||
	    !strstr(shown.output.data, "_Alignas(64) volatile long int out;") ||
	    !strstr(shown.output.data, "sizeof(struct limits) == 192"))
		fail_msg("the fields share lines:\n%s", shown.output.data);
}

/*
 * Objects that share no line where they are, but would elsewhere. Nobody waits for the stores to
 * them, so samples are at the loads of other memory, and only their registers tell of the objects.
 */
static void test_latent(void **state)
{
	_cleanup_process_ struct process_result built = { 0 }, record = { 0 }, report = { 0 },
						shown = { 0 };
	_cleanup_free_ char *path = xstrdup(scratch_file("latent"));
	_cleanup_free_ char *build = xasprintf(
		"%s -g -O2 -fno-move-loop-stores -pthread -o %s tests/workloads/sharing.c",
		process_compiler(), path);
	_cleanup_free_ char *command =
		xasprintf("%s c2c record -q -u -F 2000 -o %s %s neighbours 700 48", dtprof_path(),
			  scratch_file("data"), path);
	_cleanup_free_ char *show =
		xasprintf("%s c2c report -q --csv -i %s", dtprof_path(), scratch_file("data"));

	(void)state;
	process_shell(build, &built);
	if (built.status)
		skip_because("the compiler cannot leave the stores in the loop");
	process_shell(command, &record);
	if (record.status)
		skip_because("recording is not allowed here: %s", record.errors.data);
	if (samples_of_second() < 50)
		skip_because("the threads hardly ran");
	process_shell(show, &report);
	process_check_status(&report, 0);
	if (!strstr(report.output.data, "latent-place,neighbours,") ||
	    !strstr(report.output.data, ",struct regression,"))
		fail_msg("no latent false sharing:\n%s", report.output.data);
	assert_false(has_verdict(report.output.data, "false"));
	/* the layout of the type goes by the same verdicts */
	shell_must(&shown, "%s annotate --layout -q --stdio --data-type=regression -i %s",
		   dtprof_path(), scratch_file("data"));
	assert_non_null(strstr(shown.output.data, "\nLatent false sharing "));
}

/* perf's tables count data sources. Those of a timer's samples are empty, and it is said why. */
static void test_no_sources(void **state)
{
	_cleanup_process_ struct process_result record = { 0 }, report = { 0 };
	_cleanup_free_ char *command =
		xasprintf("%s record -q -e cpu-clock:u -o %s %s fields 100 16", dtprof_path(),
			  scratch_file("data"), program);
	_cleanup_free_ char *show =
		xasprintf("%s c2c report --stdio -i %s", dtprof_path(), scratch_file("data"));

	(void)state;
	if (!program)
		skip_because("the workload cannot be compiled here");
	process_shell(command, &record);
	if (record.status)
		skip_because("recording is not allowed here: %s", record.errors.data);
	process_shell(show, &report);
	process_check_status(&report, 0);
	assert_non_null(strstr(report.errors.data, "no sample has a data source"));
}

static void test_text_fits(void **state)
{
	_cleanup_process_ struct process_result piped = { 0 }, shown = { 0 };
	_cleanup_free_ char *report =
		xasprintf("%s c2c report -q --show-all -i %s", dtprof_path(), scratch_file("data"));

	(void)state;
	record_and_report("fields", "--show-all", &piped);
	assert_non_null(strstr(piped.output.data, "samples have a data address"));
	/* names are cut for a terminal alone */
	assert_null(strstr(piped.output.data, "..."));
	terminal_run(report, 80, 24, &shown);
	assert_non_null(strstr(shown.output.data, "samples have a data address"));
	for (const char *line = shown.output.data; *line; line += strcspn(line, "\n") + 1) {
		size_t length = strcspn(line, "\n");

		/* a slow machine shows how far the report is, and erases that */
		for (const char *erased;
		     (erased = memmem(line, length, "\033[K", strlen("\033[K")));) {
			length -= (size_t)(erased - line) + strlen("\033[K");
			line = erased + strlen("\033[K");
		}
		if (text_columns(line, length) > 80)
			fail_msg("longer than 80 columns: %.*s", (int)length, line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_false_sharing),
		cmocka_unit_test(test_no_sources),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_all_written_fields_are_padded),
		cmocka_unit_test(test_latent),
		cmocka_unit_test(test_text_fits),
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_aligned_on_purpose),
		cmocka_unit_test(test_proposals),
		cmocka_unit_test(test_proposal_for_many_objects),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
