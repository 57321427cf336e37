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

static void add_stat(struct perf_image *image, uint64_t id, uint32_t cpu, uint64_t value)
{
	put64(&image->body, id);
	put32(&image->body, cpu);
	put32(&image->body, 0);
	put64(&image->body, value);
	put64(&image->body, 2 * value);
	put64(&image->body, value);
	perf_image_record(image, PERF_RECORD_STAT, 0);
}

static void end_round(struct perf_image *image, uint64_t time)
{
	put64(&image->body, 0);
	put64(&image->body, time);
	perf_image_record(image, PERF_RECORD_STAT_ROUND, 0);
}

/* Writes what perf stat record does: two rounds of one event on two processors, and a count that no
 * round follows. */
static const char *write_stat(const char *name, uint64_t interval, uint64_t last_id)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_PAGE_FAULTS };
	const uint64_t ids[] = { 7, 8 };
	struct perf_image image;
	size_t size;

	perf_image_init(&image);
	perf_image_event(&image, &attr, ids, 2);
	put64(&image.body, 1);
	put64(&image.body, 4711);
	put_string(&image.body, "a name of 15 ch");
	perf_image_record(&image, PERF_RECORD_THREAD_MAP, 0);
	put64(&image.body, 1);
	put64(&image.body, PERF_STAT_CONFIG_TERM__INTERVAL);
	put64(&image.body, interval);
	perf_image_record(&image, PERF_RECORD_STAT_CONFIG, 0);
	add_stat(&image, 8, 1, 30);
	add_stat(&image, 7, 0, 10);
	end_round(&image, 1000);
	add_stat(&image, 7, 0, 15);
	end_round(&image, 2000);
	add_stat(&image, last_id, 0, 99);

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);
	const char *path = scratch_file(name);

	file_write(path, bytes, size);
	perf_image_deinit(&image);
	return path;
}

static void run_stat(const char *command, const char *path, struct process_result *result)
{
	_cleanup_free_ char *line = xasprintf("%s %s -i %s", dtprof_path(), command, path);

	process_shell(line, result);
}

/* The columns are perf's. A count without a record in a round keeps its value; with intervals, what
 * each added is shown. */
static void test_counts(void **state)
{
	_cleanup_process_ struct process_result sums = { 0 }, differences = { 0 }, json = { 0 },
						csv = { 0 }, report = { 0 }, broken = { 0 };
	static const char heading[] = "CPU   THREAD             VAL             ENA             "
				      "RUN            TIME EVENT\n";

	(void)state;
	run_stat("script", write_stat("stat.data", 0, 7), &sums);
	assert_int_equal(sums.status, 0);
	assert_true(!strncmp(sums.output.data, heading, strlen(heading)));
	assert_string_equal(sums.output.data + strlen(heading),
			    "  0     4711              10              20              10          "
			    "  1000 page-faults\n"
			    "  1     4711              30              60              30          "
			    "  1000 page-faults\n"
			    "  0     4711              15              30              15          "
			    "  2000 page-faults\n"
			    "  1     4711              30              60              30          "
			    "  2000 page-faults\n");
	run_stat("script", write_stat("interval.data", 1, 7), &differences);
	assert_shows(&differences, "  0     4711               5              10               5"
				   "            2000 page-faults\n"
				   "  1     4711               0               0               0"
				   "            2000 page-faults\n");
	run_stat("script --json", scratch_file("stat.data"), &json);
	assert_shows(&json, "{\"cpu\":0,\"thread\":4711,\"value\":10,");
	run_stat("script --csv", scratch_file("stat.data"), &csv);
	assert_shows(&csv, "cpu,thread,value,enabled,running,time,event\n"
			   "0,4711,10,20,10,1000,page-faults\n");
	run_stat("report --stdio", scratch_file("stat.data"), &report);
	assert_non_null(strstr(report.errors.data,
			       "counts of perf stat and no samples: 'dtprof script' prints them"));
	run_stat("script", write_stat("broken.data", 0, 9), &broken);
	assert_int_equal(broken.status, 1);
	assert_shows(&broken, "            2000 page-faults\n");
	assert_non_null(strstr(broken.errors.data, "belongs to no event of the file (id 9)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
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
