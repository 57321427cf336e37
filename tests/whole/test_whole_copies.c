// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sort key `copy`: which object is copied, how many bytes, from where to where. Functions of
 * tests/workloads/copies.c only copy, and have one sample for each access; a recording shows the
 * copies that the C library makes for its caller.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/recording.h"
#include "tests/support/report_rows.h"
#include "tests/support/workload.h"

static const char *const functions[] = { "take_order",    "note_price", "keep_best",  "copy_parts",
					 "pass_order",    "no_copy",    "keep_local", "copy_pieces",
					 "copy_unpadded", NULL };

static const struct copy_expectation {
	const char *function;
	const char *copy; /* begins with this */
} expectations[] = {
	{ "take_order", "struct order, 80 bytes, struct order -> struct order, copies.c:" },
	{ "note_price",
	  "struct price, 24 bytes, struct order.price -> struct book.last, copies.c:" },
	{ "keep_best", "struct price, 24 bytes, struct book.last -> best, copies.c:" },
	{ "copy_parts", "struct order, 24 of 80 bytes, struct order -> struct order, copies.c:" },
	{ "pass_order", "struct order, 80 bytes, struct book.orders -> (stack), copies.c:" },
	{ "copy_unpadded", "struct event, 17 of 24 bytes, struct event -> struct event, " },
	{ "no_copy", "(no copy)" },
	/* clang keeps the members that are read apart */
	{ "keep_local", "struct order, " },
#ifdef __x86_64__
	{ "copy_pieces", "struct order, struct order -> struct order, copies.c:" },
#endif
};

/* Returns whether a row of the function has a copy that begins like this. */
static bool has_copy(const struct report_rows *rows, const char *function, const char *copy)
{
	for (size_t i = 0; i < rows->count; i++) {
		const char *const *columns = rows->items[i].columns;

		if (strstr(columns[0], function) && strncmp(columns[1], copy, strlen(copy)) == 0)
			return true;
	}
	return false;
}

static void test_copies_of_functions(void **state)
{
	const char *compiler = *state;
	_cleanup_process_ struct process_result result = { 0 }, json = { 0 };
	struct report_rows rows;

	need_compiler(compiler);
	_cleanup_free_ char *flags = xasprintf("%s -g -O2", compiler);
	struct workload *workload =
		workload_build_accessed(flags, "tests/workloads/copies.c", functions);

	assert_non_null(workload);
	shell_must(&result, "%s report --stdio -i %s -s sym,copy -t '|'", dtprof_path(),
		   workload->data);
	report_rows_parse(&rows, result.output.data);
	for (size_t i = 0; i < COUNT_OF(expectations); i++)
		if (!has_copy(&rows, expectations[i].function, expectations[i].copy))
			fail_msg("%s: no %s:\n%s", expectations[i].function, expectations[i].copy,
				 result.output.data);
	/* members of JSON */
	shell_must(&json, "%s report --json -i %s -S pass_order -s copy", dtprof_path(),
		   workload->data);
	assert_non_null(strstr(json.output.data, "\"type\": \"struct order\""));
	assert_non_null(strstr(json.output.data, "\"bytes\": 80"));
	assert_non_null(strstr(json.output.data, "\"from\": \"struct book.orders\""));
	assert_non_null(strstr(json.output.data, "\"to\": \"(stack)\""));
	assert_non_null(strstr(json.output.data, "passed by value"));
	report_rows_deinit(&rows);
	workload_destroy(workload);
}

static int record(void **state)
{
	return recorded_workload_set_up(state, "tests/workloads/copies.c", "", "4000000");
}

/* Returns the copies of a type, by layout. */
static void layout_of(struct process_result *result, const char *data, const char *options)
{
	shell_must(result, "%s layout -i %s --type='struct order' %s", dtprof_path(), data,
		   options);
}

static void test_copies_of_layout(void **state)
{
	_cleanup_process_ struct process_result text = { 0 }, json = { 0 };

	(void)state;
	need_compiler("gcc");
	struct workload *workload =
		workload_build_accessed("gcc -g -O2", "tests/workloads/copies.c", functions);

	assert_non_null(workload);
	layout_of(&text, workload->data, "");
	assert_non_null(strstr(text.output.data, "  all    copy\n"));
	assert_non_null(
		strstr(text.output.data,
		       "% struct order, 80 bytes, struct order -> struct order, copies.c:"));
	assert_non_null(strstr(text.output.data, "struct price, 24 bytes, struct order.price -> "));
	assert_non_null(strstr(text.output.data, "           64 of 80 bytes are never read"));
	layout_of(&json, workload->data, "--json");
	assert_non_null(strstr(json.output.data, "\"copies\": ["));
	workload_destroy(workload);
}

/* All samples in memcpy() are of the one call, whatever instruction was sampled. */
static void test_copies_of_calls(void **state)
{
	struct workload *workload = recorded_workload(state);
	struct report_rows rows;
	double known = 0, unknown = 0;

	recorded_report(workload->data, &rows, "-s copy,sym");
	for (size_t i = 0; i < rows.count; i++) {
		const char *const *columns = rows.items[i].columns;

		if (strncmp(columns[0], "struct state, 4800 bytes, now -> before, copies.c:", 50) ==
		    0)
			known += rows.items[i].percent;
		else if (strstr(columns[1], "] __mem"))
			unknown += rows.items[i].percent;
	}
	report_rows_deinit(&rows);
	assert_true(known > 10);
	assert_true(unknown < known / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "gcc", test_copies_of_functions, NULL, NULL, "gcc" },
		{ "clang", test_copies_of_functions, NULL, NULL, "clang" },
		cmocka_unit_test(test_copies_of_layout),
		cmocka_unit_test_setup_teardown(test_copies_of_calls, record,
						recorded_workload_tear_down),
	};

	return cmocka_run_group_tests_name("whole_copies", tests, NULL, NULL);
}
