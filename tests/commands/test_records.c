// SPDX-License-Identifier: GPL-2.0-or-later
/* Records in perf's words: report -D, script -D and script --show-...-events. The expected text is
 * that of perf 7.2. */
#include "tests/support/unit.h"

#include <linux/perf_event.h>
#include <perf/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
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

static void run(const char *command, struct process_result *result)
{
	_cleanup_free_ char *line = xasprintf("%s %s -i %s", dtprof_path(), command, data);

	process_shell(line, result);
	if (result->status)
		fail_msg("%s: %s", line, result->errors.data);
}

static void assert_shows(const struct process_result *result, const char *text)
{
	if (!strstr(result->output.data, text))
		fail_msg("no\n%s\nin\n%s", text, result->output.data);
}

static void test_dump(void **state)
{
	static const char *const commands[] = { "report -D", "script -D" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		run(commands[i], &result);
		/* the first record, whole */
		assert_shows(&result, ": event: 3\n"
				      ".\n"
				      ". ... raw event: size 40 bytes\n"
				      ".  0000:  03 00 00 00 00 20 28 00 0a 00 00 00 0a 00 00 00  "
				      "..... (.........\n"
				      ".  0010:  70 72 6f 67 00 00 00 00 0a 00 00 00 0a 00 00 00  "
				      "prog............\n"
				      ".  0020:  40 42 0f 00 00 00 00 00                          "
				      "@B......        \n"
				      "\n"
				      "1000000 ");
		assert_shows(&result, "]: PERF_RECORD_COMM exec: prog:10/10\n");
		assert_shows(&result, "]: PERF_RECORD_FORK(11:11):(10:10)\n");
		assert_shows(&result,
			     "]: PERF_RECORD_SAMPLE(IP, 0x2): 11/11: 0x400010 period: 1 addr: 0\n"
			     " ... thread: prog:11\n"
			     " ...... dso: /nowhere/prog\n");
	}
}

static void test_dump_counts_records(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	run("report -D", &result);
	assert_shows(&result, "\nAggregated stats:\n               TOTAL events:          7\n");
}

static void test_shown_events(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	run("script -F comm,tid,time,ip --show-task-events --show-mmap-events --show-bpf-events "
	    "--show-namespace-events",
	    &result);
	assert_string_equal(
		result.output.data,
		"            prog      10     0.001000: PERF_RECORD_COMM exec: prog:10/10\n"
		"            prog      10     0.002000: PERF_RECORD_MMAP2 10/10: [0x400000(0x1000) "
		"@ 0 "
		"00:00 0 0]: r-xp /nowhere/prog\n"
		"            prog      11     0.003000: PERF_RECORD_FORK(11:11):(10:10)\n"
		"            prog      11     0.004000:            400010\n"
		"         swapper       0     0.005000: PERF_RECORD_KSYMBOL addr ffffffffc0000000 "
		"len 64 "
		"type 1 flags 0x0 name bpf_prog_x\n"
		"            prog      11     0.006000: PERF_RECORD_NAMESPACES 11/11 - "
		"nr_namespaces: 7\n"
		"\t\t[0/net: 3/0xf0000000, 1/uts: 3/0xf0000001, 2/ipc: 3/0xf0000002, 3/pid: "
		"3/0xf0000003, \n"
		"\t\t 4/user: 3/0xf0000004, 5/mnt: 3/0xf0000005, 6/cgroup: 3/0xf0000006]\n"
		"            prog      11     0.007000: PERF_RECORD_EXIT(11:11):(11:11)\n");
}

/* Without the options only samples have lines, and JSON has no form for other records. */
static void test_shown_only_if_asked(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_process_ struct process_result refused = { 0 };
	_cleanup_free_ char *command =
		xasprintf("%s script --json --show-task-events -i %s", dtprof_path(), data);

	(void)state;
	run("script -F tid", &result);
	assert_string_equal(result.output.data, "     11 \n");
	process_shell(command, &refused);
	assert_int_not_equal(refused.status, 0);
	assert_non_null(strstr(refused.errors.data, "leave out --json"));
}

/* As in perf, a truncated file is a failure, but everything that it has is shown. */
static void test_truncated_file_fails(void **state)
{
	static const char *const commands[] = { "report --stdio -s comm -q", "script -F comm" };
	const char *cut = scratch_file("cut.data");
	size_t size;
	_cleanup_free_ uint8_t *bytes = file_read(data, &size);

	(void)state;
	file_write(cut, bytes, size - 150);
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *line =
			xasprintf("%s %s -i %s", dtprof_path(), commands[i], cut);

		process_shell(line, &result);
		assert_int_equal(result.status, 1);
		assert_shows(&result, "prog");
		/* also with -q: a failure has a reason */
		assert_non_null(strstr(result.errors.data, "truncated"));
	}
}

/* No file of nothing is written. */
static void test_nothing_is_not_written(void **state)
{
	static const char *const commands[] = { "report --html %s",
						"export --format=folded -o %s" };
	_cleanup_perf_image_ struct perf_image image;
	const char *none = scratch_file("none.data"), *output = scratch_file("output");
	size_t size;

	(void)state;
	perf_records_process(&image, 0);
	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	file_write(none, bytes, size);
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *words = xasprintf(commands[i], output);
		_cleanup_free_ char *line = xasprintf("%s %s -i %s", dtprof_path(), words, none);

		process_shell(line, &result);
		assert_int_equal(result.status, 1);
		assert_non_null(strstr(result.errors.data, "has no samples"));
		assert_int_not_equal(access(output, F_OK), 0);
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
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_dump_counts_records),
		cmocka_unit_test(test_shown_events),
		cmocka_unit_test(test_shown_only_if_asked),
		cmocka_unit_test(test_truncated_file_fails),
		cmocka_unit_test(test_nothing_is_not_written),
		cmocka_unit_test(test_broken_record_is_named),
	};

	return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
