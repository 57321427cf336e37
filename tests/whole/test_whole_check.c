// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof check on a program and on a recording of it: which rules hold, and the messages for those
 * that do not. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

static int set_up(void **state)
{
	static const char *const functions[] = { "sum_keys", NULL };
	_cleanup_free_ char *compiler = xasprintf("%s -O2 -g", process_compiler());

	*state = workload_build_accessed(compiler, "tests/workloads/moved.c", functions);
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	workload_destroy(*state);
	return 0;
}

/* Checks the rules against the program, or with `recorded` against the recording. */
static void check(const struct workload *workload, const char *rules, bool recorded,
		  struct process_result *result)
{
	_cleanup_free_ char *path = xasprintf("%s/rules", workload->folder);
	_cleanup_free_ char *command =
		recorded ? xasprintf("%s check -i %s %s", dtprof_path(), workload->data, path)
			 : xasprintf("%s check %s %s", dtprof_path(), path, workload->program);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(rules, file) >= 0);
	assert_int_equal(fclose(file), 0);
	process_shell(command, result);
}

/* struct record is long id; char name[112]; long key; struct record *next. */
static void test_rules_that_hold(void **state)
{
	_cleanup_process_ struct process_result program = { 0 }, recorded = { 0 };
	static const char rules[] = "sizeof(record) == 136\n"
				    "offsetof(record, key) == 120\n"
				    "holes of record == 0\n"
				    "record.id in the first line\n"
				    "record.key in line 1\n"
				    "record {id next} within 2 lines\n";

	check(*state, rules, false, &program);
	process_check_status(&program, 0);
	assert_non_null(strstr(program.output.data, "6 rules: 6 kept, 0 broken, 0 unknown\n"));
	check(*state, rules, true, &recorded);
	process_check_status(&recorded, 0);
}

static void test_rules_that_are_broken(void **state)
{
	static const struct {
		const char *rule, *message;
	} cases[] = {
		{ "sizeof(record) <= 128", "the size is 136" },
		{ "record.key in the first line", "'key' is in line 1 (offset 120)" },
		{ "record {id key next} within 2 lines", "the fields are in 3 lines" },
		{ "record.none in line 0", "'record' has no field 'none'" },
		{ "sizeof(none) <= 8", "no object has a type 'none'" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *text = xasprintf("# a comment\n%s\n", cases[i].rule);
		_cleanup_free_ char *start = xasprintf("rules:2: FAILED: %s: ", cases[i].rule);

		check(*state, text, false, &result);
		process_check_status(&result, 1);
		if (!strstr(result.output.data, cases[i].message) ||
		    !strstr(result.output.data, start))
			fail_msg("%s: %s", cases[i].rule, result.output.data);
		assert_non_null(strstr(result.output.data, "\n1 rule: 0 kept, 1 broken"));
	}
}

/* A program has no heat, and few samples are not enough for it: neither breaks a rule. */
static void test_rules_that_need_samples(void **state)
{
	_cleanup_process_ struct process_result program = { 0 }, recorded = { 0 };
	static const char rule[] = "heat of record in <= 1 lines\n";

	check(*state, rule, false, &program);
	process_check_status(&program, 0);
	assert_non_null(strstr(program.output.data, "it needs a recording"));
	check(*state, rule, true, &recorded);
	process_check_status(&recorded, 0);
	assert_non_null(strstr(recorded.output.data, "samples are too few"));
}

static void test_errors(void **state)
{
	const struct workload *workload = *state;
	_cleanup_process_ struct process_result bad = { 0 }, none = { 0 }, missing = { 0 };
	_cleanup_free_ char *no_program = xasprintf("%s check /dev/null", dtprof_path());
	_cleanup_free_ char *no_file = xasprintf("%s check %s/nowhere %s", dtprof_path(),
						 workload->folder, workload->program);

	check(workload, "record is small\n", false, &bad);
	process_check_status(&bad, 2);
	assert_non_null(strstr(bad.errors.data, "rules:1: "));
	process_shell(no_program, &none);
	process_check_status(&none, 129);
	process_shell(no_file, &missing);
	process_check_status(&missing, 2);
}

/* The rules that layout writes hold for the recording that they were written from. */
static void test_rules_of_layout(void **state)
{
	const struct workload *workload = *state;
	_cleanup_process_ struct process_result result = { 0 };

	shell_must(&result,
		   "%s layout -q -i %s --type=record --emit=rules > %s/emitted && %s check -i %s "
		   "%s/emitted",
		   dtprof_path(), workload->data, workload->folder, dtprof_path(), workload->data,
		   workload->folder);
	assert_non_null(strstr(result.output.data, "sizeof(record) <= 136"));
	assert_non_null(strstr(result.output.data, " 0 broken"));

	_cleanup_process_ struct process_result piped = { 0 };

	shell_must(&piped, "cat %s/emitted | %s check -i %s -", workload->folder, dtprof_path(),
		   workload->data);
	assert_non_null(strstr(piped.output.data, "-:2: ok: sizeof(record) <= 136"));
	assert_non_null(strstr(piped.output.data, " 0 broken"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules_that_hold),
		cmocka_unit_test(test_rules_that_are_broken),
		cmocka_unit_test(test_rules_that_need_samples),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_rules_of_layout),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
