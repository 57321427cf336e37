// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a running program to its types: a workload under `dtprof record`, then what report and annotate make
 * of it, with perf's symbols beside. Skipped where the kernel does not let this user open perf events.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "tests/support/process.h"
#include "tests/support/report_rows.h"

struct recording {
	char *folder;
	char *program;
	char *data;
	long samples; /* of the closing line */
};

static bool may_record(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IP,
		.exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0) {
		print_message("skipped: perf_event_open: %s\n", strerror(errno));
		return false;
	}
	close(fd);
	return true;
}

static void run_shell(struct process_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void run_shell(struct process_result *result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	_cleanup_free_ char *command = xvasprintf(format, arguments);

	va_end(arguments);
	process_shell(command, result);
}

/* N of "[ dtprof record: Captured and wrote 1.234 MB FILE (N samples) ]", or -1. */
static long closing_samples(const char *errors)
{
	const char *line = strstr(errors, "[ dtprof record: Captured and wrote ");
	const char *count = line ? strrchr(line, '(') : NULL;

	return count && strstr(count, " samples) ]") ? strtol(count + 1, NULL, 10) : -1;
}

static int set_up(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	struct recording *recording;

	*state = NULL;
	if (!may_record())
		return 0;
	recording = xcalloc(1, sizeof(*recording));
	recording->folder = scratch_create();
	recording->program = xasprintf("%s/cache", recording->folder);
	recording->data = xasprintf("%s/perf.data", recording->folder);
	*state = recording;

	const char *compiler = process_exists("gcc") ? "gcc" : "clang";

	process_run((const char *const[]){ compiler, "-O2", "-g", "-o", recording->program,
					   "tests/workloads/cache.c", NULL },
		    &result);
	if (result.status) {
		print_error("%s: %s\n", compiler, result.errors.data);
		return -1;
	}
	process_result_release(&result);
	process_run((const char *const[]){ dtprof_path(), "record", "-F", "5000", "-e", "cpu-clock", "-o",
					   recording->data, "--", recording->program, "10000000", NULL },
		    &result);
	recording->samples = closing_samples(result.errors.data);
	if (result.status || recording->samples < 0) {
		print_error("dtprof record: status %d: %s\n", result.status, result.errors.data);
		return -1;
	}
	return 0;
}

static int tear_down(void **state)
{
	struct recording *recording = *state;

	if (!recording)
		return 0;
	scratch_remove(recording->folder);
	free(recording->program);
	free(recording->data);
	free(recording);
	return 0;
}

static struct recording *recorded(void **state)
{
	if (!*state)
		skip();
	return *state;
}

static void report(const char *data, const char *keys, struct report_rows *rows)
{
	_cleanup_process_ struct process_result result = { 0 };

	run_shell(&result, "%s report --stdio -i %s -s %s -t '|'", dtprof_path(), data, keys);
	if (result.status)
		fail_msg("dtprof report: status %d: %s", result.status, result.errors.data);
	report_rows_parse(rows, result.output.data);
}

/* A timer hits the instruction after the one that waited, so which fields it hits is chance; which structs is
 * not. */
static void test_structs_are_found(void **state)
{
	static const char *const types[] = { "struct entry", "struct object", "struct answer",
					     "struct client" };
	struct recording *recording = recorded(state);
	struct report_rows rows;

	report(recording->data, "type", &rows);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t row = 0;

		while (row < rows.count && strcmp(rows.items[row].columns[0], types[i]) != 0)
			row++;
		if (row == rows.count)
			fail_msg("not found: %s", types[i]);
	}
	report_rows_release(&rows);
}

static void test_percentages_add_up(void **state)
{
	struct recording *recording = recorded(state);
	struct report_rows rows;
	double sum = 0;

	report(recording->data, "type", &rows);
	for (size_t i = 0; i < rows.count; i++)
		sum += rows.items[i].percent;
	report_rows_release(&rows);
	assert_true(sum > 99.0 && sum < 101.0);
}

static void test_struct_is_annotated(void **state)
{
	struct recording *recording = recorded(state);
	_cleanup_process_ struct process_result result = { 0 };

	run_shell(&result, "%s annotate --stdio -i %s --data-type=entry", dtprof_path(), recording->data);
	assert_int_equal(result.status, 0);
	assert_non_null(strstr(result.output.data, "Annotate type: 'struct entry'"));
	assert_non_null(strstr(result.output.data, "key;"));
}

static void test_perf_report_gives_the_same_symbols(void **state)
{
	struct recording *recording = recorded(state);
	_cleanup_process_ struct process_result result = { 0 };
	struct report_rows ours, theirs;

	if (!process_exists("perf")) {
		print_message("skipped: no perf here (Debian: linux-perf)\n");
		skip();
	}
	run_shell(&result, "perf report -f -i %s --stdio -s sym -t '|' 2>/dev/null", recording->data);
	assert_int_equal(result.status, 0);
	report_rows_parse(&theirs, result.output.data);
	report(recording->data, "sym", &ours);
	assert_true(ours.count >= 4 && theirs.count >= 4);
	/* symbols with the same share may come in either order: each of their first must have its share here
	 */
	for (size_t i = 0; i < 4; i++) {
		size_t row = 0;

		while (row < ours.count &&
		       strcmp(ours.items[row].columns[0], theirs.items[i].columns[0]) != 0)
			row++;
		if (row == ours.count)
			fail_msg("perf has %s, dtprof has not", theirs.items[i].columns[0]);
		assert_true(ours.items[row].percent > theirs.items[i].percent - 0.02);
		assert_true(ours.items[row].percent < theirs.items[i].percent + 0.02);
	}
	report_rows_release(&ours);
	report_rows_release(&theirs);
}

static void test_running_process_is_recorded(void **state)
{
	struct recording *recording = recorded(state);
	_cleanup_free_ char *data = xasprintf("%s/attached.data", recording->folder);
	_cleanup_process_ struct process_result result = { 0 };
	struct report_rows rows;

	run_shell(&result,
		  "%s 2000000000 & pid=$!; sleep 0.1; %s record -F 2000 -e cpu-clock -o %s -p $pid -- sleep "
		  "0.5; "
		  "status=$?; kill $pid; exit $status",
		  recording->program, dtprof_path(), data);
	assert_int_equal(result.status, 0);
	assert_true(closing_samples(result.errors.data) > 0);
	report(data, "sym", &rows);
	/* the maps were there before dtprof came: they must have been synthesized for symbols to be found */
	size_t row = 0;

	while (row < rows.count && !strstr(rows.items[row].columns[0], "cache_find"))
		row++;
	assert_true(row < rows.count);
	report_rows_release(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_structs_are_found),
		cmocka_unit_test(test_percentages_add_up),
		cmocka_unit_test(test_struct_is_annotated),
		cmocka_unit_test(test_perf_report_gives_the_same_symbols),
		cmocka_unit_test(test_running_process_is_recorded),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
