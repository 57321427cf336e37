// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ~/.dtprofconfig sets options, the command line overrides it, and the error about a bad line names
 * its place.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/cli/options.h"
#include "profiler/commands/commands.h"
#include "tests/support/process.h"

static char *folder, *path;

static bool flag;
static unsigned int number;
static double percent;
static const char *word;

static const struct option_spec specs[] = {
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Some", NULL },
	{ OPTION_FLAG, 0, "hierarchy", &flag, NULL, "", NULL },
	{ OPTION_UNSIGNED, 0, "max-stack", &number, "N", "", NULL },
	{ OPTION_PERCENT, 0, "percent-limit", &percent, "PERCENT", "", NULL },
	{ OPTION_STRING, 0, "sort", &word, "KEYS", "", NULL },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, NULL },
};

static const struct command_usage usage = {
	.name = "report", .synopsis = "", .summary = "", .options = specs
};

static int set_up(void **state)
{
	(void)state;
	folder = scratch_create();
	path = xasprintf("%s/config", folder);
	setenv("DTPROF_CONFIG", path, 1);
	global_options.command_is_known = command_is_known;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_remove(folder);
	free(path);
	return 0;
}

static struct error *apply(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	flag = false;
	number = 0;
	percent = 0;
	word = NULL;
	return config_apply(0, NULL, &usage, OPTIONS_ANYWHERE);
}

static void test_values(void **state)
{
	(void)state;
	assert_null(apply("# of all\n[report]\n\tpercent-limit = 2.5 ; half as much\n  "
			  "max-stack=9\nhierarchy\n"
			  "sort = \"type, sym # no comment\"\n[annotate]\nnot-for = us\n"));
	assert_true(flag);
	assert_int_equal(number, 9);
	assert_true(percent == 2.5);
	assert_string_equal(word, "type, sym # no comment");
}

static void test_flags(void **state)
{
	static const char *const words[] = { "true", "yes", "on", "1", "false", "no", "off", "0" };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		_cleanup_free_ char *text = xasprintf("[report]\nhierarchy=%s\n", words[i]);

		assert_null(apply(text));
		assert_int_equal(flag, i < 4);
	}
}

static void test_bad_lines(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "hierarchy = true\n",
		  ":1: 'hierarchy = true' stands before the first [SECTION]" },
		{ "[report]\nhierarch = true\n", ":2: report has no option 'hierarch'" },
		{ "[report]\nhierarchy = maybe\n",
		  ":2: 'hierarchy' takes true or false, not 'maybe'" },
		{ "[report]\nmax-stack = many\n", ":2: --max-stack takes a number" },
		{ "[report]\nmax-stack\n", ":2: 'max-stack' needs a value" },
		{ "[report]\n\npercent-limit = 101\n", ":3: --percent-limit takes a percentage" },
		{ "[c2c reprot]\n", ":1: there is no command 'c2c reprot'" },
		{ "[reprot]\n", ":1: there is no command 'reprot'" },
		{ "[report\n", ":1: a section's line is [SECTION] and nothing else" },
		{ "[report]\nsort = \"type\n", ":2: a quote is not closed" },
		{ "[color]\nui = sometimes\n", ":2: 'sometimes' is not auto, always or never" },
		{ "[color]\ntop = red\n", ":2: [color] has only ui" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct error *error = apply(bad[i].text);

		assert_non_null(error);
		assert_ptr_equal(strstr(error->message, path), error->message);
		if (!strstr(error->message, bad[i].message))
			fail_msg("%s", error->message);
		error_destroy(error);
	}
}

static void test_long_line(void **state)
{
	_cleanup_free_ char *text = xcalloc(1, 6000);
	struct error *error;

	(void)state;
	memset(text, 'x', 5999);
	error = apply(text);
	assert_non_null(error);
	assert_non_null(strstr(error->message, ":1: the line is longer than"));
	error_destroy(error);
}

/* An option of the command line stands in for those of the file that it excludes; of two in the
 * file, the first holds. */
static void test_alternatives(void **state)
{
	static const struct {
		const char *config, *command, *expected; /* what its output or message has */
		int status;
	} cases[] = {
		{ "[report]\nsort=type\nfields=sym\nsort-by=sym\nhierarchy=true\njson=true\n",
		  "report --html %s/page", "nothing/here", 1 },
		{ "[report]\nhtml=page\n", "report -s sym --csv", "nothing/here", 1 },
		{ "[report]\njson=true\nhtml=page\nsort=type\n", "report", "nothing/here", 1 },
		{ "", "report --html page -ssym", "--sort and --html cannot be combined", 129 },
		{ "", "report --json --no-json --csv", "nothing/here", 1 },
		{ "[annotate]\nlayout=true\ncsv=true\n", "annotate --by-symbol --type-stat",
		  "nothing/here", 1 },
		{ "[c2c report]\njson=true\n", "c2c report --html %s/page", "nothing/here", 1 },
		{ "[layout]\nemit=rules\n", "layout --json", "nothing/here", 1 },
		{ "[diff]\njson=true\n", "diff --csv nothing/here nothing/there", "nothing/here",
		  1 },
		{ "[script]\njson=true\n", "script --csv", "nothing/here", 1 },
		{ "[mem report]\nsort=type\n", "mem report --html %s/page", "nothing/here", 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *arguments = xasprintf(cases[i].command, folder);
		_cleanup_free_ char *command =
			xasprintf("%s %s%s", dtprof_path(), arguments,
				  strstr(arguments, "diff") ? "" : " -i nothing/here");
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		assert_true(fputs(cases[i].config, file) >= 0);
		assert_int_equal(fclose(file), 0);
		process_shell(command, &result);
		if (!strstr(result.errors.data, cases[i].expected))
			fail_msg("%s: %s", command, result.errors.data);
		process_check_status(&result, cases[i].status);
	}
}

static void test_no_file(void **state)
{
	struct error *error;

	(void)state;
	setenv("DTPROF_CONFIG", "", 1);
	assert_null(config_apply(0, NULL, &usage, OPTIONS_ANYWHERE));
	setenv("DTPROF_CONFIG", "/nowhere/config", 1);
	error = config_apply(0, NULL, &usage, OPTIONS_ANYWHERE);
	assert_non_null(error);
	error_destroy(error);
	unsetenv("DTPROF_CONFIG");
	setenv("HOME", folder, 1);
	assert_null(config_apply(0, NULL, &usage, OPTIONS_ANYWHERE));
	setenv("DTPROF_CONFIG", path, 1);
}

/* As in git, a home folder that cannot be read, such as root's after su(1), is not an error. */
static void test_unreadable_file(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	/* a file that no user can read, root included, because it leads to itself */
	_cleanup_free_ char *loop = xasprintf("%s/.dtprofconfig", folder);
	_cleanup_free_ char *command =
		xasprintf("unset DTPROF_CONFIG; HOME=%s %s list --help", folder, dtprof_path());

	(void)state;
	assert_int_equal(symlink(".dtprofconfig", loop), 0);
	process_shell(command, &result);
	process_check_status(&result, 0);
	assert_non_null(strstr(result.errors.data, "warning: "));
	assert_non_null(strstr(result.errors.data,
			       "/.dtprofconfig: Too many levels of symbolic links: not used"));
	assert_int_equal(unlink(loop), 0);
}

/* The whole program: the command line overrides the file. */
static void test_command_line_wins(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, bad = { 0 };
	_cleanup_free_ char *command =
		xasprintf("%s report -i /nowhere --max-stack 5", dtprof_path());

	(void)state;
	error_destroy(apply("[report]\nmax-stack = 0\n"));
	process_shell(command, &result);
	assert_non_null(strstr(result.errors.data, "/nowhere"));
	error_destroy(apply("[report]\nmax-stack = x\n"));
	process_shell(command, &bad);
	process_check_status(&bad, 129);
	assert_non_null(strstr(bad.errors.data, "config:2: --max-stack takes a number, not 'x'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_alternatives),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_command_line_wins),
		cmocka_unit_test(test_unreadable_file),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
