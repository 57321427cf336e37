// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables by the cgroup namespaces of tasks, from a recording that is written here. They have the
 * form of perf 7.2's.
 */
#include "tests/support/unit.h"

#include <string.h>

#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/perf_records.h"
#include "tests/support/process.h"

static const char *data;

/* Writes two samples before the record of namespaces and six after it, two of them from another
 * thread. */
static int set_up(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	size_t size;

	(void)state;
	data = scratch_file("perf.data");
	perf_image_init(&image);
	perf_records_event(&image);
	add_comm(&image, 1, 10, 10, "main", false);
	add_comm(&image, 1, 10, 11, "help", false);
	for (uint64_t i = 0; i < 8; i++)
		add_sample(&image, 2 + 2 * i, 10, 10, 0x1000, PERF_RECORD_MISC_USER);
	add_sample(&image, 2, 10, 11, 0x1000, PERF_RECORD_MISC_USER);
	add_sample(&image, 9, 10, 11, 0x1000, PERF_RECORD_MISC_USER);
	add_namespaces(&image, 5, 10, 10, 0xeffffff5);

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);
	file_write(data, bytes, size);
	return 0;
}

static void assert_shown(const char *arguments, const char *expected)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command = xasprintf("HOME=%s %s --no-pager report -i %s %s",
						 scratch_folder(), dtprof_path(), data, arguments);

	process_shell(command, &result);
	if (!strstr(result.output.data, expected))
		fail_msg("%s: no\n%sin\n%s%s", arguments, expected, result.output.data,
			 result.errors.data ? result.errors.data : "");
	assert_int_equal(result.status, 0);
}

static void test_cgroup_ids(void **state)
{
	(void)state;
	assert_shown("-s comm,cgroup_id", "# Overhead  Command  cgroup id (dev/inode)\n"
					  "# ........  .......  .....................\n"
					  "#\n"
					  "    60.00%  main     3/0xeffffffb\n"
					  "    20.00%  help     0/0x0\n"
					  "    20.00%  main     0/0x0\n");
	assert_shown("-s cgroup_id", "    60.00%  3/0xeffffffb\n    40.00%  0/0x0\n");
	assert_shown("-s cgroup_id --json", "\"inode\": 4026531835\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cgroup_ids) };

	return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
