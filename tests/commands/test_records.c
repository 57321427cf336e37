// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings that are truncated, broken or empty. */
#include "tests/support/unit.h"

#include <linux/perf_event.h>
#include <perf/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "tests/support/files.h"
#include "tests/support/perf_image.h"
#include "tests/support/perf_records.h"
#include "tests/support/process.h"

#define MS 1000000

static const char *data;

/* A process that forks; the child runs, and both end. A record of lost samples has no words of its
 * own. */
static int set_up(void **state)
{
	struct perf_image image;
	size_t size;

	(void)state;
	perf_image_init(&image);
	perf_records_event(&image);
	add_comm(&image, 1 * MS, 10, 10, "prog", true);
	add_map(&image, 2 * MS, 10, 0x400000, 0x1000, "/nowhere/prog");
	add_fork(&image, 3 * MS, 11, 11, 10, 10);
	add_sample(&image, 4 * MS, 11, 11, 0x400010, PERF_RECORD_MISC_USER);
	add_ksymbol(&image, 5 * MS, 0xffffffffc0000000, 64, false, "bpf_prog_x");
	add_namespaces(&image, 6 * MS, 11, 11, 0xf0000000);
	add_exit(&image, 7 * MS, 11, 11);

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	data = scratch_file("perf.data");
	file_write(data, bytes, size);
	perf_image_deinit(&image);
	return 0;
}

static void assert_shows(const struct process_result *result, const char *text)
{
	if (!strstr(result->output.data, text))
		fail_msg("no\n%s\nin\n%s", text, result->output.data);
}

/* As in perf, a truncated file is a failure, but everything that it has is shown. */
static void test_truncated_file_fails(void **state)
{
	static const struct {
		const char *words;
		const char *shown;
		int status;
	} commands[] = {
		{ "report --stdio -s comm -q", "prog", 1 }, { "script -F comm", "prog", 1 },
		{ "report -q --types=nothing", "", 1 },     { "diff -q -s comm %s", "prog", 1 },
		{ "archive -q -o %s.tar", "", 1 },          { "check -q %s.rules", "", 2 },
	};
	const char *cut = scratch_file("cut.data"), *rules = scratch_file("cut.data.rules");
	size_t size;
	_cleanup_free_ uint8_t *bytes = file_read(data, &size);

	(void)state;
	file_write(cut, bytes, size - 150);
	file_write(rules, (const uint8_t *)"heat of x {y} in <= 1 lines\n", 28);
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *words = xasprintf(commands[i].words, cut);
		_cleanup_free_ char *line = xasprintf("%s %s %s%s", dtprof_path(), words,
						      starts_with(words, "diff") ? "" : "-i ", cut);

		process_shell(line, &result);
		if (result.status != commands[i].status)
			fail_msg("%s: status %d: %s", line, result.status, result.errors.data);
		assert_shows(&result, commands[i].shown);
		/* also with -q: a failure has a reason */
		assert_non_null(strstr(result.errors.data, "truncated"));
	}
}

/* No file of nothing is written. */
static void test_nothing_is_not_written(void **state)
{
	static const char *const commands[] = {
		"report -i %s --html %s", "annotate -i %s --html %s", "c2c report -i %s --html %s",
		"diff %1$s %1$s --html %2$s", "export -i %s --format=folded -o %s"
	};
	_cleanup_perf_image_ struct perf_image image;
	const char *none = scratch_file("none.data"), *output = scratch_file("output");
	size_t size;

	(void)state;
	perf_records_process(&image, 0);
	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	file_write(none, bytes, size);
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *words = xasprintf(commands[i], none, output);
		_cleanup_free_ char *line = xasprintf("%s %s", dtprof_path(), words);

		process_shell(line, &result);
		process_check_status(&result, 1);
		assert_non_null(strstr(result.errors.data, "has no samples"));
		assert_int_not_equal(access(output, F_OK), 0);
	}
}

/* Commands that print say so. */
static void test_no_samples_are_said(void **state)
{
	static const char *const commands[] = { "report --stdio", "c2c report --stdio", "script",
						"layout", "annotate" };
	_cleanup_perf_image_ struct perf_image image;
	const char *none = scratch_file("said.data");
	size_t size;

	(void)state;
	perf_records_process(&image, 0);
	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	file_write(none, bytes, size);
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *line =
			xasprintf("%s %s -i %s", dtprof_path(), commands[i], none);

		process_shell(line, &result);
		assert_non_null(strstr(result.errors.data, "has no samples"));
	}
}

/* The message says where the record is and what it is, in perf's words. */
static void test_broken_record_is_named(void **state)
{
	const char *broken = scratch_file("broken.data");
	size_t size, at = 0;
	_cleanup_free_ uint8_t *bytes = file_read(data, &size);
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *line = xasprintf("%s report --stdio -i %s", dtprof_path(), broken);

	(void)state;
	while (memcmp(bytes + at, "/nowhere/prog", 13) != 0)
		at++;
	at -= 64 + 8; /* the path follows the header and the other fields of PERF_RECORD_MMAP2 */
	assert_int_equal(bytes[at], PERF_RECORD_MMAP2);
	bytes[at + 6] = 16; /* its size */
	file_write(broken, bytes, size);
	process_shell(line, &result);

	_cleanup_free_ char *expected = xasprintf("at offset %#zx: MMAP2 (10)", at);

	if (!strstr(result.errors.data, expected))
		fail_msg("no %s in\n%s", expected, result.errors.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncated_file_fails),
		cmocka_unit_test(test_nothing_is_not_written),
		cmocka_unit_test(test_no_samples_are_said),
		cmocka_unit_test(test_broken_record_is_named),
	};

	return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
