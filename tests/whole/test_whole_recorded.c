// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a running program to its types: a workload under `dtprof record`, then the output of report
 * and annotate, compared with perf's symbols. Skipped where the kernel does not let this user open
 * perf events.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/recording.h"

static int set_up(void **state)
{
	return recorded_workload_set_up(state, "tests/workloads/cache.c", "", "10000000");
}

/* A timer's sample is at the instruction after the one that waited, so the fields vary, but the
 * structs do not. */
static void test_structs_are_found(void **state)
{
	static const char *const types[] = { "struct entry", "struct object", "struct answer",
					     "struct client" };
	struct workload *workload = recorded_workload(state);
	struct report_rows rows;

	recorded_report(workload->data, &rows, "-s type");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t row = 0;

		while (row < rows.count && strcmp(rows.items[row].columns[0], types[i]) != 0)
			row++;
		if (row == rows.count)
			fail_msg("not found: %s", types[i]);
	}
	report_rows_deinit(&rows);
}

static void test_percentages_add_up(void **state)
{
	struct workload *workload = recorded_workload(state);
	struct report_rows rows;
	double sum = 0;

	recorded_report(workload->data, &rows, "-s type");
	for (size_t i = 0; i < rows.count; i++)
		sum += rows.items[i].percent;
	report_rows_deinit(&rows);
	assert_true(sum > 99.0 && sum < 101.0);
}

static void test_struct_is_annotated(void **state)
{
	struct workload *workload = recorded_workload(state);
	_cleanup_process_ struct process_result result = { 0 };

	shell_must(&result, "%s annotate --stdio -i %s --data-type=entry", dtprof_path(),
		   workload->data);
	assert_non_null(strstr(result.output.data, "Annotate type: 'struct entry'"));
	assert_non_null(strstr(result.output.data, "key;"));
}

static void test_perf_report_gives_the_same_symbols(void **state)
{
	struct workload *workload = recorded_workload(state);
	_cleanup_process_ struct process_result result = { 0 };
	struct report_rows ours, theirs;

	if (!process_exists("perf"))
		skip_because("no perf here (Debian: linux-perf)");
	shell_must(&result, "perf report -f -i %s --stdio -s sym -t '|' 2>/dev/null",
		   workload->data);
	report_rows_parse(&theirs, result.output.data);
	recorded_report(workload->data, &ours, "-s sym");
	assert_true(ours.count >= 4 && theirs.count >= 4);
	/* symbols with the same share have no fixed order, so only the shares of the first ones are
	 * compared */
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
	report_rows_deinit(&ours);
	report_rows_deinit(&theirs);
}

static void test_running_process_is_recorded(void **state)
{
	struct workload *workload = recorded_workload(state);
	_cleanup_free_ char *data = xasprintf("%s/attached.data", workload->folder);
	_cleanup_process_ struct process_result result = { 0 };
	struct report_rows rows;

	/* until the program has run for a fifth of a second, however long that takes: proc(5),
	 * utime */
	shell_must(&result,
		   "%s 2000000000 & export pid=$!; sleep 0.1; %s record -F 2000 -e cpu-clock -o %s "
		   "-p $pid -- "
		   "sh -c 'used() { cut -d\" \" -f14 /proc/$pid/stat; }; start=$(used); "
		   "while [ $(used) -lt $((start + 20)) ]; do sleep 0.05; done'; "
		   "status=$?; kill $pid; exit $status",
		   workload->program, dtprof_path(), data);
	assert_true(record_samples_said(&result) > 0);
	recorded_report(data, &rows, "-s sym");
	/* the maps existed before the recording, so symbols are found only if the maps were
	 * synthesized */
	size_t row = 0;

	while (row < rows.count && !strstr(rows.items[row].columns[0], "cache_find"))
		row++;
	assert_true(row < rows.count);
	report_rows_deinit(&rows);
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

	return cmocka_run_group_tests(tests, set_up, recorded_workload_tear_down);
}
