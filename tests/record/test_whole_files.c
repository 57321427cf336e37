// SPDX-License-Identifier: GPL-2.0-or-later
/* The files that dtprof record writes: readable after any end, compressed, through pipes,
 * several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "tests/support/recording.h"
#include "tests/support/unit.h"

/* After kill -9 the file has everything that was flushed before, and can be read. */
static void test_killed(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	record_need_permission();
	/* The recorder is killed when its file has some samples, or after about a minute. Each
	 * second it writes the size of its data into the header. */
	record_run_shell(
		&result,
		"$D record -F 20000 -m 16 -- sh -c 'echo $$ > pid; i=0; first=$(wc -c < "
		"perf.data); "
		"while [ $i -lt 1500 ] && [ $(wc -c < perf.data) -lt $((first+100000)) ]; do "
		"i=$((i+1)); j=0; while [ $j -lt 20000 ]; do j=$((j+1)); done; done; "
		"sleep 3; kill -s KILL $PPID; while :; do :; done'; kill -KILL $(cat pid)");

	struct perf_data_file file = record_open_result("perf.data");

	assert_true(perf_data_count(&file, PERF_RECORD_SAMPLE) > 40);
	perf_data_close(&file);
}

/* With -k the file says which clock it is, and what time of day it showed. */
static void test_clock(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	const uint8_t *data;
	size_t size;
	uint32_t clock;

	(void)state;
	record_need_permission();
	record_run_shell(&result, "$D record -e cpu-clock -k boottime -- true");
	process_check_status(&result, 0);

	struct perf_data_file file = record_open_result("perf.data");

	assert_non_null(perf_data_feature(&file, 23 /* CLOCKID */, &size));
	assert_int_equal(size, 8);
	data = perf_data_feature(&file, 29 /* CLOCK_DATA */, &size);
	assert_non_null(data);
	assert_int_equal(size, 24);
	memcpy(&clock, data + 4, sizeof(clock));
	assert_int_equal(clock, CLOCK_BOOTTIME);
	perf_data_close(&file);
}

/* Samples have a time of day if the file says what the clock showed. */
static void test_time_of_day(void **state)
{
	_cleanup_process_ struct process_result none = { 0 }, some = { 0 };

	(void)state;
	record_need_permission();
	record_run_shell(&none, "$D record -e cpu-clock -o plain -- true && "
				"$D script -q -i plain -F comm,tod");
	assert_int_not_equal(none.status, 0);
	assert_non_null(strstr(none.errors.data, "the samples have no 'tod' (dtprof record -k)"));
	/* the clock is that of the day: seconds since 1970 */
	record_run_shell(
		&some,
		"export TZ=UTC; $D record -q -e cpu-clock -k realtime -o dated -- true && "
		"$D script -q -i dated -F tod,time | while read day hour seconds; do "
		"s=${seconds%%.*}; test \"$day ${hour%%.*}\" = \"$(date -d @$s '+%%F %%T')\" "
		"&& test \"${hour#*.}:\" = \"${seconds#*.}\" || echo \"$day $hour "
		"$seconds\"; done; $D script -q -i dated -F tod | wc -l");
	process_check_status(&some, 0);
	assert_null(strchr(some.output.data, '-'));
	assert_true(atoi(some.output.data) > 0);
}

static void test_old_file(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	record_need_permission();
	record_run_shell(&result, "$D record -- true && cp perf.data first && $D record -- true && "
				  "cmp first perf.data.old");
	process_check_status(&result, 0);
}

/* A limit on the file's size acts like a full disk: there is an error, and the file can be read. */
static void test_full_disk(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	size_t size;

	(void)state;
	record_need_permission();
	record_run_shell(
		&result,
		"ulimit -f 2048; timeout 600 $D record -F 20000 -- sh -c 'while :; do :; done'");
	process_check_status(&result, 1);
	record_check_said(&result, "cannot write perf.data: File too large");
	record_check_said(&result, "readable");

	struct perf_data_file file = record_open_result("perf.data");

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), record_samples_said(&result));
	assert_true(perf_data_count(&file, PERF_RECORD_SAMPLE) > 40);
	assert_non_null(perf_data_feature(&file, 12, &size));
	perf_data_close(&file);
}

/* Returns whether there is a perf that reads PERF_RECORD_COMPRESSED2: one of Linux 6.16 or later.
 */
static bool perf_unpacks(void)
{
	_cleanup_process_ struct process_result version = { 0 };
	unsigned int major = 0, minor = 0;

	if (!process_exists("perf"))
		return false;
	record_run_shell(&version, "perf --version");
	return sscanf(version.output.data, "perf version %u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 16));
}

/* Checks the form of the packed records, and that there are some. */
static void check_packed_records(struct perf_data_file *file)
{
	const struct perf_event_header *record;
	uint64_t offset = 0, size, count = 0;

	for (; (record = perf_data_next(file, 83, &offset)); count++) {
		assert_int_equal(record->size % 8, 0);
		memcpy(&size, record + 1, sizeof(size));
		/* the bytes after the packed ones are padding */
		assert_in_range(size, record->size - sizeof(*record) - sizeof(size) - 7,
				record->size - sizeof(*record) - sizeof(size));
	}
	assert_true(count > 0);
}

/* perf counts the same samples in a compressed file, if it can read it, and through a pipe. */
static void test_packed_and_piped(void **state)
{
	static const char *const events[] = {
		"-e cpu-clock", "-e cpu-clock,page-faults --intr-regs -m 16 -F 10000",
		"-e cpu-clock --intr-regs --packing-threads 3 -F 10000",
		"-e sched:sched_process_exec"
	};
	_cleanup_process_ struct process_result level = { 0 };

	(void)state;
	record_need_permission();
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		_cleanup_process_ struct process_result packed = { 0 }, piped = { 0 },
							script = { 0 };
		size_t size;

		record_run_shell(&packed, "$D record %s -z -o keep.data -- " BUSY, events[i]);
		if (packed.status && strstr(packed.errors.data, "sched_process_exec"))
			continue; /* there is no tracefs here */
		process_check_status(&packed, 0);
		record_check_said(&packed, "compressed (original ");

		struct perf_data_file file = record_open_result("keep.data");

		assert_non_null(perf_data_feature(&file, 27, &size));
		assert_int_equal(size, 20);
		assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), 0);
		check_packed_records(&file);
		perf_data_close(&file);
		record_run_shell(
			&piped,
			"$D record %s -o - -- sh -c 'echo from the workload; /bin/true; i=0; "
			"while [ $i -lt 50000 ]; do i=$((i+1)); done' >keep.pipe",
			events[i]);
		process_check_status(&piped, 0);
		record_check_said(&piped, "from the workload");
		record_run_shell(&script,
				 "%s script -i keep.data -F comm,tid,time,event "
				 "2>/dev/null | wc -l",
				 perf_unpacks() ? "perf" : "$D");
		assert_int_equal(strtoul(script.output.data, NULL, 10),
				 record_samples_said(&packed));
		process_result_deinit(&script);
		if (!process_exists("perf"))
			continue;
		record_run_shell(&script,
				 "perf script -i - -F comm,tid,time,event <keep.pipe | wc -l");
		assert_int_equal(strtoul(script.output.data, NULL, 10),
				 record_samples_said(&piped));
		/* on a busy machine rings overflow, which perf says */
		if (!strstr(script.errors.data, "lost"))
			assert_string_equal(script.errors.data, "");
	}
	record_run_shell(&level, "$D record -e cpu-clock --compression-level=99 -- true");
	assert_int_not_equal(level.status, 0);
	record_check_said(&level, "from 1 to 22");
}

/* With a small --max-size, the kernel wakes the recorder often enough that the file stays small. */
static void test_small_limit(void **state)
{
	_cleanup_process_ struct process_result limited = { 0 }, header = { 0 };

	(void)state;
	record_need_permission();
	record_run_shell(&limited, "timeout 600 $D record -F 20000 --max-size 64K -o keep.data -- "
				   "sh -c 'while :; do :; done'");
	process_check_status(&limited, 0);
	record_check_said(&limited, "the size limit of 65536 bytes is reached");
	record_run_shell(&header, "$D report --header-only -i keep.data");
	assert_non_null(strstr(header.output.data, "16384"));
}

/* A recorder whose rings are never empty, because it is sampled itself while it packs its records,
 * ends with its workload. */
static void test_busy_end(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, script = { 0 };

	(void)state;
	record_need_permission();
	record_run_shell(
		&result,
		"timeout -s KILL 300 $D record -a -e cpu-clock -F 20000 -z19 -o keep.data -- true");
	if (result.status && strstr(result.errors.data, "no permission"))
		skip_because("no right to record the machine");
	process_check_status(&result, 0);
	record_check_said(&result, "compressed (original ");

	/* so are the records of what ran before */
	struct perf_data_file file = record_open_result("keep.data");

	assert_int_equal(perf_data_count(&file, PERF_RECORD_MMAP2), 0);
	perf_data_close(&file);
	record_run_shell(&script, "$D script -i keep.data -F comm,tid,time,event | wc -l");
	assert_int_equal(strtoul(script.output.data, NULL, 10), record_samples_said(&result));
}

/* Limits, several files, and a memory of the newest records. */
static void test_several_files(void **state)
{
	_cleanup_process_ struct process_result limited = { 0 }, switched = { 0 }, bad = { 0 };
	size_t total = 0, files = 0;

	(void)state;
	record_need_permission();
	record_run_shell(&limited, "timeout 600 $D record -F 20000 -m 8 --max-size 100K -- sh -c "
				   "'while :; do :; done'");
	record_check_said(&limited, "size limit");

	struct perf_data_file file = record_open_result("perf.data");

	assert_true(file.size >= 100 * 1024 && file.size < 400 * 1024);
	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), record_samples_said(&limited));
	perf_data_close(&file);

	record_run_shell(&switched, "mkdir -p many && rm -f many/* && $D record -e cpu-clock -F "
				    "10000 -m 2 --switch-output=8K "
				    "-o many/data -- " BUSY " && ls many");
	process_check_status(&switched, 0);
	record_check_said(&switched, "many/data.<timestamp>");
	for (char *line = strtok(switched.output.data, "\n"); line;
	     line = strtok(NULL, "\n"), files++) {
		_cleanup_free_ char *name = xasprintf("many/%s", line);
		struct perf_data_file part = record_open_result(name);

		total += perf_data_count(&part, PERF_RECORD_SAMPLE);
		/* each can be read by itself */
		assert_true(perf_data_count(&part, PERF_RECORD_COMM) >= 1);
		perf_data_close(&part);
	}
	assert_true(files > 1);
	assert_int_equal(total, record_samples_said(&switched));
	record_run_shell(&bad, "$D record --switch-output=soon -- true");
	assert_int_not_equal(bad.status, 0);
	record_check_said(&bad, "soon");
}

static void test_overwrite(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, all = { 0 };

	(void)state;
	record_need_permission();
	record_run_shell(&all, "$D record -e cpu-clock -F 10000 -- " BUSY);
	record_run_shell(&result, "$D record -e cpu-clock -F 10000 -m 2 --overwrite -- " BUSY);
	process_check_status(&result, 0);

	struct perf_data_file file = record_open_result("perf.data");

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), record_samples_said(&result));
	assert_true(record_samples_said(&result) > 20 &&
		    record_samples_said(&result) < record_samples_said(&all));
	/* all records of processes are there */
	assert_true(perf_data_count(&file, PERF_RECORD_MMAP2) > 2);
	perf_data_close(&file);
}

/* perf's commands read every kind of file, and the output of perf inject has the same samples. */
static void test_perf_commands(void **state)
{
	static const char *const kinds[] = { "",
					     "-g",
					     "--call-graph dwarf,1024",
					     "-d -W --intr-regs",
					     "-z",
					     "--overwrite -m 16",
					     "--all-cgroups",
					     "--max-size 1M" };
	static const char *const commands[] = { "report --stdio", "mem report --stdio", "script" };

	(void)state;
	record_need_permission();
	if (!process_exists("perf"))
		skip_because("there is no perf here");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		_cleanup_process_ struct process_result recorded = { 0 }, injected = { 0 };

		if (!strcmp(kinds[i], "-z") && !perf_unpacks())
			continue;
		record_run_shell(&recorded,
				 "$D record -e cpu-clock -F 2000 %s -o keep.data -- " BUSY,
				 kinds[i]);
		process_check_status(&recorded, 0);
		for (size_t j = 0; j < sizeof(commands) / sizeof(*commands); j++) {
			_cleanup_process_ struct process_result result = { 0 };

			record_run_shell(&result, "perf %s -f -i keep.data", commands[j]);
			if (result.status || !result.output.length)
				fail_msg("perf %s of '%s': status %d, %s", commands[j], kinds[i],
					 result.status, result.errors.data);
		}
		record_run_shell(
			&injected,
			"rm -f injected.data; perf inject -b -f -i keep.data -o injected.data && "
			"perf script -f -i injected.data -F tid,time 2>/dev/null | grep -c .");
		if (injected.status ||
		    strtoul(injected.output.data, NULL, 10) != record_samples_said(&recorded))
			fail_msg("perf inject -b of '%s': %s of %zu samples, %s", kinds[i],
				 injected.output.data, record_samples_said(&recorded),
				 injected.errors.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed),        cmocka_unit_test(test_old_file),
		cmocka_unit_test(test_clock),         cmocka_unit_test(test_time_of_day),
		cmocka_unit_test(test_full_disk),     cmocka_unit_test(test_packed_and_piped),
		cmocka_unit_test(test_small_limit),   cmocka_unit_test(test_busy_end),
		cmocka_unit_test(test_several_files), cmocka_unit_test(test_overwrite),
		cmocka_unit_test(test_perf_commands),
	};

	return cmocka_run_group_tests_name("record/files", tests, record_set_up, record_tear_down);
}
