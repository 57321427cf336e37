// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shares of wall-clock time in a recording with context switches, which is written here. The tables
 * have the form of perf 7.2's.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "tests/support/files.h"
#include "tests/support/perf_image.h"
#include "tests/support/process.h"

#define PID 10

static const char *data, *without, *unswitched;

/* Append the fields that sample_id_all adds to a record: tid, time, cpu. */
static void end_record(struct perf_image *image, uint32_t type, uint16_t misc, uint32_t tid,
		       uint64_t time)
{
	put32(&image->body, PID), put32(&image->body, tid);
	put64(&image->body, time);
	put32(&image->body, tid % 2), put32(&image->body, 0);
	perf_image_record(image, type, misc);
}

static void add_comm(struct perf_image *image, uint32_t tid, const char *name)
{
	put32(&image->body, PID), put32(&image->body, tid);
	put_string(&image->body, name);
	end_record(image, PERF_RECORD_COMM, 0, tid, 1);
}

static void add_switch(struct perf_image *image, uint32_t tid, uint64_t time, bool out)
{
	end_record(image, PERF_RECORD_SWITCH, out ? PERF_RECORD_MISC_SWITCH_OUT : 0, tid, time);
}

static void add_exit(struct perf_image *image, uint32_t tid, uint64_t time)
{
	put32(&image->body, PID), put32(&image->body, PID);
	put32(&image->body, tid), put32(&image->body, PID);
	put64(&image->body, time);
	end_record(image, PERF_RECORD_EXIT, 0, tid, time);
}

static void add_sample(struct perf_image *image, uint32_t tid, uint64_t time)
{
	put64(&image->body, 0x401000);
	put32(&image->body, PID), put32(&image->body, tid);
	put64(&image->body, time);
	put32(&image->body, tid % 2), put32(&image->body, 0);
	put64(&image->body, 1000);
	perf_image_record(image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
}

/*
 * "main" runs alone for six samples, then at the same time as "help" for four of each. Then a third
 * thread runs as well: there are two processors, so it does not count. At last all threads but
 * "main" have ended. `recorded` tells whether the recording asks for switches, `switches` whether
 * it has any.
 */
static void write_recording(const char *path, bool recorded, bool switches)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
						       PERF_SAMPLE_PERIOD,
					.sample_id_all = 1,
					.context_switch = recorded };
	_cleanup_perf_image_ struct perf_image image;
	size_t size;

	perf_image_init(&image);
	perf_image_event(&image, &attr, NULL, 0);
	put32(&image.features[FEATURE_NRCPUS], 2), put32(&image.features[FEATURE_NRCPUS], 2);
	add_comm(&image, 10, "main");
	add_comm(&image, 11, "help");
	/*
	 * the records of one processor precede those of the other in the file; their times decide
	 */
	for (uint64_t i = 0; i < 6; i++)
		add_sample(&image, 10, 100 + i);
	for (uint64_t i = 0; i < 4; i++)
		add_sample(&image, 10, 202 + 2 * i);
	add_sample(&image, 10, 500);
	if (switches) {
		add_switch(&image, 11, 200, false);
		add_switch(&image, 12, 300, false); /* a third thread on two processors */
	}
	for (uint64_t i = 0; i < 4; i++)
		add_sample(&image, 11, 203 + 2 * i);
	add_sample(&image, 11, 301);
	if (switches)
		add_switch(&image, 12, 302, true);
	add_exit(&image, 11, 400);

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);
	file_write(path, bytes, size);
}

static int set_up(void **state)
{
	(void)state;
	data = scratch_file("perf.data");
	without = scratch_file("without.data");
	write_recording(data, true, true);
	write_recording(without, false, false);
	unswitched = scratch_file("unswitched.data");
	write_recording(unswitched, true, false);
	return 0;
}

static void run(const char *path, const char *arguments, struct process_result *result)
{
	_cleanup_free_ char *command = xasprintf("HOME=%s %s --no-pager report -i %s %s",
						 scratch_folder(), dtprof_path(), path, arguments);

	process_shell(command, result);
}

static void assert_shown(const char *path, const char *arguments, const char *expected)
{
	_cleanup_process_ struct process_result result = { 0 };

	run(path, arguments, &result);
	if (!strstr(result.output.data, expected))
		fail_msg("%s: no\n%sin\n%s%s", arguments, expected, result.output.data,
			 result.errors.data ? result.errors.data : "");
	assert_int_equal(result.status, 0);
}

/* There are 16 samples: 7 with one thread running and 9 with two. In wall-clock time these are 7
 * and 4.5 of 11.5. */
static void test_shares(void **state)
{
	(void)state;
	assert_shown(data, "-s comm",
		     "# Overhead   Latency  Command\n# ........  ........  .......\n#\n"
		     "    68.75%    78.26%  main   \n    31.25%    21.74%  help   \n");
	assert_shown(data, "--latency -s parallelism,comm",
		     "#  Latency  Overhead  Parallelism  Command\n# ........  ........  "
		     "...........  .......\n#\n"
		     "    60.87%    43.75%            1  main   \n"
		     "    21.74%    31.25%            2  help   \n"
		     "    17.39%    25.00%            2  main   \n");
	assert_shown(data, "-s latency,parallelism -H", "    60.87%  1\n    39.13%  2\n");
	assert_shown(data, "-F overhead,latency_children,comm", "    68.75%       N/A  main   \n");
	assert_shown(data, "-s parallelism --json", "\"latency_percent\": 39.1304");
}

/* Samples that are filtered out count for the total. */
static void test_filter(void **state)
{
	(void)state;
	assert_shown(data, "--parallelism 2 -s comm",
		     "    31.25%    21.74%  help   \n    25.00%    17.39%  main   \n");
	assert_shown(data, "--parallelism 2-3 --percentage relative -s comm",
		     "    55.56%    55.56%  help   \n    44.44%    44.44%  main   \n");
}

static void test_without_switches(void **state)
{
	static const char *const asking[] = { "-s parallelism", "--latency", "--parallelism 1",
					      "-F latency,comm" };

	(void)state;
	assert_shown(without, "-s comm", "# Overhead  Command\n");
	for (size_t i = 0; i < sizeof(asking) / sizeof(*asking); i++) {
		_cleanup_process_ struct process_result result = { 0 }, other = { 0 };

		run(without, asking[i], &result);
		assert_non_null(
			strstr(result.errors.data, "record it with 'dtprof record --latency'"));
		assert_int_not_equal(result.status, 0);
		/* a file that was recorded so is not to be recorded again */
		run(unswitched, asking[i], &other);
		assert_non_null(strstr(other.errors.data, "no thread was switched"));
		assert_null(strstr(other.errors.data, "record it"));
		assert_int_not_equal(other.status, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_without_switches),
	};

	return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
