// SPDX-License-Identifier: GPL-2.0-or-later
/* A timer's samples of a program that waits for one field, and for divisions, are charged to these,
 * and the key blame shows how. Skipped where the kernel does not let this user record. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/json_check.h"
#include "tests/support/process.h"
#include "tests/support/recording.h"

static int set_up(void **state)
{
	return recorded_workload_set_up(state, "tests/workloads/waits.c", "-U", "500");
}

/* The share of a function's samples whose column holds a text. */
static double share_of(struct workload *workload, const char *function, size_t column,
		       const char *text)
{
	struct report_rows rows;
	double all = 0, share = 0;

	recorded_report(workload->data, &rows, "-s sym,type,typeoff");
	for (size_t i = 0; i < rows.count; i++) {
		if (!strstr(rows.items[i].columns[0], function))
			continue;
		all += rows.items[i].percent;
		if (strcmp(rows.items[i].columns[column], text) == 0)
			share += rows.items[i].percent;
	}
	report_rows_deinit(&rows);
	if (all < 10)
		fail_msg("%s has %.2f %% of the samples", function, all);
	return share / all;
}

/* The walk waits only for the address of the next node. */
static void test_list(void **state)
{
	assert_true(share_of(recorded_workload(state), "walk_list", 2, "struct node +8 (next)") >
		    0.5);
}

static void test_divisions(void **state)
{
	assert_true(share_of(recorded_workload(state), "divide", 1, "(division)") > 0.5);
}

static void report(struct workload *workload, const char *options, struct process_result *result)
{
	shell_must(result, "%s report --stdio -i %s %s", dtprof_path(), workload->data, options);
}

static void test_headings(void **state)
{
	static const char charged[] =
		"were charged to the access that the sampled instruction waited for",
			  of_time[] = "# A timer's samples are of time";
	struct workload *workload = recorded_workload(state);
	_cleanup_process_ struct process_result moved = { 0 }, retired = { 0 }, sampled = { 0 };

	report(workload, "-s type", &moved);
	assert_non_null(strstr(moved.output.data, charged));
	assert_null(strstr(moved.output.data, of_time));
	report(workload, "-s type --blame=retired", &retired);
	assert_non_null(strstr(retired.output.data, charged));
	report(workload, "-s type --blame=sampled", &sampled);
	assert_null(strstr(sampled.output.data, charged));
	assert_non_null(strstr(sampled.output.data, of_time));
}

/* The function of a sample does not depend on what it waited for. */
static void test_functions_alone(void **state)
{
	struct workload *workload = recorded_workload(state);
	_cleanup_process_ struct process_result moved = { 0 }, sampled = { 0 };

	report(workload, "-s sym", &moved);
	report(workload, "-s sym --blame=sampled", &sampled);
	assert_non_null(strstr(moved.output.data, "walk_list"));
	assert_string_equal(moved.output.data, sampled.output.data);
}

static void test_key(void **state)
{
	static const char *const names[] = { "at", "before", "operand", "predecessor", "none" };
	struct workload *workload = recorded_workload(state);
	struct report_rows rows;
	double moved = 0, sum = 0;

	recorded_report(workload->data, &rows, "-s blame");
	for (size_t i = 0; i < rows.count; i++) {
		const char *name = rows.items[i].columns[0];
		size_t known = 0;

		while (known < 5 && strcmp(name, names[known]) != 0)
			known++;
		if (known == 5)
			fail_msg("a row is called '%s'", name);
		sum += rows.items[i].percent;
		if (strcmp(name, "at") != 0 && strcmp(name, "none") != 0)
			moved += rows.items[i].percent;
	}
	report_rows_deinit(&rows);
	assert_true(sum > 99 && sum < 101);
	assert_true(moved > 50);

	recorded_report(workload->data, &rows, "-s blame --blame=sampled");
	assert_int_equal(rows.count, 1);
	assert_string_equal(rows.items[0].columns[0], "at");
	report_rows_deinit(&rows);
}

static void test_json(void **state)
{
	struct workload *workload = recorded_workload(state);
	_cleanup_process_ struct process_result result = { 0 }, sampled = { 0 };
	_cleanup_strbuf_ struct strbuf schema = STRBUF_INIT, problem = STRBUF_INIT;
	size_t size;
	_cleanup_free_ uint8_t *text = file_read("Documentation/annotate.schema.json", &size);

	strbuf_add(&schema, (const char *)text, size);
	shell_must(&result, "%s annotate --json --code-with-type -i %s", dtprof_path(),
		   workload->data);
	if (!json_check(result.output.data, schema.data, &problem))
		fail_msg("%s", problem.data);
	assert_non_null(strstr(result.output.data, "\"charged\""));
	shell_must(&sampled, "%s annotate --json --code-with-type --blame=sampled -i %s",
		   dtprof_path(), workload->data);
	assert_null(strstr(sampled.output.data, "\"charged\""));
}

/* The refusal needs no recording. */
static void test_refused(void **state)
{
	(void)state;
	for (int annotate = 0; annotate < 2; annotate++) {
		_cleanup_process_ struct process_result result = { 0 };

		process_run((const char *const[]){ dtprof_path(), annotate ? "annotate" : "report",
						   "--blame=nonsense", NULL },
			    &result);
		process_check_status(&result, 129);
		assert_non_null(strstr(result.errors.data, "nonsense"));
		assert_int_equal(result.output.length, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),     cmocka_unit_test(test_divisions),
		cmocka_unit_test(test_headings), cmocka_unit_test(test_functions_alone),
		cmocka_unit_test(test_key),      cmocka_unit_test(test_json),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, set_up, recorded_workload_tear_down);
}
