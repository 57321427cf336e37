// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof diff of one program in two layouts, with the same number of samples for each access. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

struct versions {
	struct workload *old, *new;
};

static struct workload *record(const char *flags)
{
	static const char *const functions[] = { "sum_keys", NULL };
	_cleanup_free_ char *compiler =
		xasprintf("%s -O2 -fno-tree-vectorize -g %s", process_compiler(), flags);

	return workload_build_accessed(compiler, "tests/workloads/moved.c", functions);
}

static int tear_down(void **state)
{
	struct versions *versions = *state;

	workload_destroy(versions->old);
	workload_destroy(versions->new);
	free(versions);
	return 0;
}

static int set_up(void **state)
{
	struct versions *versions = xcalloc(1, sizeof(*versions));

	*state = versions;
	versions->old = record("");
	versions->new = record("-DNEW");
	if (versions->old && versions->new)
		return 0;
	tear_down(state);
	return -1;
}

static void diff(const struct versions *versions, const char *arguments,
		 struct process_result *result)
{
	shell_must(result, "%s diff -q %s %s %s", dtprof_path(), versions->old->data,
		   versions->new->data, arguments);
}

static void must_have(const struct process_result *result, const char *text)
{
	if (!strstr(result->output.data, text))
		fail_msg("no '%s' in:\n%s", text, result->output.data);
}

static void test_a_field_that_moved_is_one_row(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	diff(*state, "", &result);
	must_have(&result, "moved +120 to +8 ");
	must_have(&result, "struct record key");
	must_have(&result, "moved +128 to +136 ");
	/* `id` has not moved, and each field has as many samples as before */
	must_have(&result, "+0.00%  noise                      struct record id\n");
	assert_null(strstr(result.output.data, "yes"));
}

static void test_layouts_side_by_side(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	diff(*state, "--layout=record", &result);
	must_have(&result, "Type 'struct record': (>) moved, (+) new, (-) gone\n");
	must_have(&result, ">key");
	must_have(&result, "+extra");
	must_have(&result, "record: 136 bytes                       record: 144 bytes\n");
}

static void test_keys_and_formats(void **state)
{
	_cleanup_process_ struct process_result symbols = { 0 }, json = { 0 }, csv = { 0 };

	diff(*state, "-s sym --unit=samples", &symbols);
	must_have(&symbols, "  noise  [.] sum_keys\n");
	diff(*state, "--json", &json);
	must_have(&json, "\"format\": \"dtprof-diff\"");
	must_have(&json, "\"mark\": \"moved\"");
	diff(*state, "--csv -s type", &csv);
	must_have(&csv, "type,samples,value,samples:1,");
}

static void test_errors(void **state)
{
	const struct versions *versions = *state;
	static const struct {
		const char *arguments, *message;
	} cases[] = {
		{ "--unit=kilo", "--unit takes share" },
		{ "--per=3", "--per needs --unit" },
		{ "--unit=samples --per=0", "numbers above 0" },
		{ "--unit=samples --per=1,2,3", "one for each of the 2 files" },
		{ "-o 2", "-o takes the number" },
		{ "--json --csv", "cannot be combined" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *command =
			xasprintf("%s diff %s %s %s", dtprof_path(), versions->old->data,
				  versions->new->data, cases[i].arguments);

		process_shell(command, &result);
		process_check_status(&result, 129);
		if (!strstr(result.errors.data, cases[i].message))
			fail_msg("%s: %s", cases[i].arguments, result.errors.data);
	}
	_cleanup_process_ struct process_result one = { 0 };
	_cleanup_free_ char *command = xasprintf("%s diff %s", dtprof_path(), versions->old->data);

	process_shell(command, &one);
	process_check_status(&one, 129);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_field_that_moved_is_one_row),
		cmocka_unit_test(test_layouts_side_by_side),
		cmocka_unit_test(test_keys_and_formats),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
