// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes that a sample belongs to, in a recorded program: the data address of a store, the
 * element of an array at a variable index, the record within a record. Skipped where the kernel
 * does not let this user record.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "tests/support/process.h"
#include "tests/support/recording.h"

#define SAMPLES_MIN 100 /* of a part of the workload */

static int set_up(void **state)
{
	return recorded_workload_set_up(state, "tests/workloads/places.c", "-U -I", "600");
}

/* A timer's sample of a store has the store's address, as c2c report has it: its registers are
 * those of the sample. */
static void test_addresses_of_stores(void **state)
{
	const struct workload *workload = recorded_workload(state);
	static const char *const functions[] = { "only_store", "store_by_name" };
	_cleanup_process_ struct process_result printed = { 0 }, lines = { 0 };
	unsigned long addresses[2];

	shell_must(&lines, "%s script -i %s -F addr,sym --csv -q", dtprof_path(), workload->data);
	/* the addresses of this run differ from those that it prints another time: only their
	 * distance from the start of a page does not */
	shell_must(&printed, "%s 1", workload->program);
	assert_int_equal(sscanf(printed.output.data, "%lx %lx", &addresses[0], &addresses[1]), 2);
	for (int i = 0; i < 2; i++) {
		_cleanup_free_ char *name = xasprintf(",%s", functions[i]);
		unsigned int count = 0, known = 0;

		for (const char *line = lines.output.data; *line; line = strchr(line, '\n') + 1) {
			char *end;
			unsigned long address = strtoul(line, &end, 10);

			if (strncmp(end, name, strlen(name)) != 0)
				continue;
			count++;
			known += i ? address % 4096 == addresses[1] % 4096
				   : address && address % 64 == 0;
		}
		assert_true(count >= SAMPLES_MIN);
		if (known * 10 < count * 9)
			fail_msg("%s: %u of %u samples have the address", functions[i], known,
				 count);
	}
}

/* The samples that wait in a loop are a part of all that belong to it, although a sample that
 * waited there may have been taken after the loop. */
static void test_waits_are_a_part(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	const char *row;
	unsigned int rows = 0;

	shell_must(&result, "%s layout -q --top=20 -i %s", dtprof_path(),
		   recorded_workload(state)->data);
	for (row = strstr(result.output.data, "  all    waits "); row;
	     row = strstr(row + 1, "  all    waits ")) {
		double all, waits;

		for (const char *line = strchr(row, '\n') + 1;
		     sscanf(line, " %lf%% %lf%%", &all, &waits) == 2;
		     line = strchr(line, '\n') + 1) {
			assert_true(waits <= all);
			rows++;
		}
	}
	assert_true(rows > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_of_stores),
		cmocka_unit_test(test_waits_are_a_part),
	};

	return cmocka_run_group_tests(tests, set_up, recorded_workload_tear_down);
}
