// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof debug: each dump has the lines that follow from the source, whatever code the compiler
 * made.
 */
#include "tests/support/unit.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

/* `evil` is a copy of the program in which the name "evil_name" is overwritten. */
static char *folder, *program, *evil;

/* Writes *path with the name replaced by one of the same length that would move the cursor of a
 * terminal. */
static bool write_evil(const char *from, const char *path)
{
	static const char good[] = "evil_name", bad[] = "ev\033[2Jem";
	size_t size;
	uint8_t *bytes = file_read(from, &size);
	FILE *file = fopen(path, "wb");
	size_t replaced = 0;

	for (size_t i = 0; bytes && i + sizeof(good) <= size; i++)
		if (!memcmp(bytes + i, good, strlen(good))) {
			memcpy(bytes + i, bad, strlen(bad));
			replaced++;
		}
	bool written = file && bytes && fwrite(bytes, 1, size, file) == size;

	free(bytes);
	return file && !fclose(file) && written && replaced;
}

static int set_up(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	folder = scratch_create();
	program = xasprintf("%s/walk", folder);
	evil = xasprintf("%s/evil", folder);
	process_run((const char *const[]){ process_compiler(), "-O1", "-g",
					   "-fno-omit-frame-pointer", "-o", program,
					   "tests/workloads/walked_nodes.c", NULL },
		    &result);
	return result.status || !write_evil(program, evil) ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_remove(folder);
	free(program);
	free(evil);
	return 0;
}

static void dump(const char *what, const char *file, const char *function,
		 struct process_result *result)
{
	process_run((const char *const[]){ dtprof_path(), "debug", what, file, function, NULL },
		    result);
	if (result->status)
		print_error("%s", result->errors.data);
	process_check_status(result, 0);
}

static bool matches(const char *text, const char *pattern)
{
	regex_t regex;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE | REG_NOSUB), 0);

	bool found = !regexec(&regex, text, 0, NULL, 0);

	regfree(&regex);
	if (!found)
		print_error("no line matches '%s' in:\n%s", pattern, text);
	return found;
}

struct dump_case {
	const char *what;
	const char *lines[4];
};

static void test_dumps(void **state)
{
	static const struct dump_case cases[] = {
		{ "cfg",
		  { "^block 0: [0-9]+ instructions; to [0-9]+ [0-9]+$",
		    "^block [0-9]+: .*from .*; returns$", "^reverse post-order: 0 " } },
		{ "facts",
		  { "^ +[0-9a-f]+:  mov", "^    .*walk_nodes",
		    "^    .*pointer to type='struct node' size=0x10",
		    "^    found by .*type='struct evil_name'" } },
		{ "types",
		  { "  struct node \\+8 \\(key\\); ", "  struct node \\+0 \\(next\\); ",
		    "  struct evil_name \\+8 \\(second\\); ", "  \\(stack operation\\)$" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		dump(cases[i].what, program, "walk_nodes", &result);
		for (size_t k = 0; k < 4 && cases[i].lines[k]; k++)
			assert_true(matches(result.output.data, cases[i].lines[k]));
	}
}

/* The address of a function stands for its name. */
static void test_address(void **state)
{
	_cleanup_process_ struct process_result named = { 0 }, addressed = { 0 };
	_cleanup_free_ char *address = NULL;

	(void)state;
	dump("types", program, "walk_nodes", &named);
	address = xasprintf("0x%lx", strtoul(named.output.data, NULL, 16));
	dump("types", program, address, &addressed);
	assert_string_equal(addressed.output.data, named.output.data);
}

static void test_names_are_escaped(void **state)
{
	static const char *const dumps[] = { "cfg", "facts", "types" };

	(void)state;
	for (size_t i = 0; i < sizeof(dumps) / sizeof(*dumps); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		dump(dumps[i], evil, "walk_nodes", &result);
		assert_null(strchr(result.output.data, '\033'));
		if (i)
			assert_non_null(strstr(result.output.data, "ev?[2Jem"));
	}
}

static void test_refusals(void **state)
{
	static const struct {
		const char *arguments[4];
		int status;
		const char *said;
	} cases[] = {
		{ { NULL }, 129, "a dump, a file and a function are needed" },
		{ { "cfg", "/bin/sh", NULL }, 129, "a dump, a file and a function are needed" },
		{ { "bytes", "/bin/sh", "main", NULL },
		  129,
		  "'bytes' is not a dump; the dumps are cfg, facts" },
		{ { "cfg", "tests/none", "main", NULL }, 1, "cannot open tests/none" },
		{ { "cfg", "/dev/null", "main", NULL }, 1, "/dev/null" },
		{ { "types", "/proc/self/exe", "no_such_function", NULL },
		  1,
		  "has no function 'no_such_function'" },
		{ { "types", "/proc/self/exe", "0xffffffffffffffffff", NULL },
		  1,
		  "has no function '0xff" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		const char *argv[6] = { dtprof_path(), "debug" };

		for (size_t k = 0; k < 4 && cases[i].arguments[k]; k++)
			argv[2 + k] = cases[i].arguments[k];
		process_run(argv, &result);
		if (!strstr(result.errors.data, cases[i].said))
			print_error("case %zu: %s", i, result.errors.data);
		process_check_status(&result, cases[i].status);
		assert_non_null(strstr(result.errors.data, cases[i].said));
		assert_int_equal(result.output.length, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dumps),
		cmocka_unit_test(test_address),
		cmocka_unit_test(test_names_are_escaped),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests_name("debug", tests, set_up, tear_down);
}
