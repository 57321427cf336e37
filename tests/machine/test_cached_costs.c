// SPDX-License-Identifier: GPL-2.0-or-later
/* Costs are measured once, kept in the user's cache, and believed only if they are the user's. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "profiler/machine/cached_costs.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

static void test_measured_once(void **state)
{
	char *folder = scratch_create();
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *cache = xasprintf("%s/made", folder);
	struct memory_costs costs, again;

	(void)state;
	/* a folder that is missing is made */
	setenv("XDG_CACHE_HOME", cache, 1);
	assert_false(cached_costs_read(&costs));
	costs_measurer_start();
	if (!costs_measurer_ask(&costs)) {
		costs_measurer_stop();
		scratch_remove(folder);
		skip_because("memory: 256 MB have to be free");
	}
	costs_measurer_stop();
	assert_true(costs.cycle > 0.05 && costs.cycle < 20);
	for (int curve = 0; curve < CURVE_COUNT; curve++)
		for (int point = 1; point < CURVE_POINTS; point++)
			assert_true(costs.ns[curve][point] >= costs.ns[curve][point - 1]);
	assert_true(costs.ns[CURVE_CHASE][CURVE_POINTS - 1] > 0);
	/* the second time, no process is needed */
	assert_true(cached_costs_read(&again));
	assert_memory_equal(&again, &costs, sizeof(costs));
	costs_measurer_start();
	assert_false(costs_measurer_ask(&again));
	costs_measurer_stop();
	/* another user may have written it */
	shell_must(&result, "chmod 666 %s/dtprof/*", cache);
	assert_false(cached_costs_read(&again));
	/* it may be of another machine that shares the folder */
	shell_must(&result, "chmod 600 %s/dtprof/* && sed -i s/machine/other/ %s/dtprof/*", cache,
		   cache);
	assert_false(cached_costs_read(&again));
	scratch_remove(folder);
}

static void test_no_home(void **state)
{
	char *folder = scratch_create();
	_cleanup_free_ char *missing = xasprintf("%s/none", folder);
	struct memory_costs costs;
	struct stat status;

	(void)state;
	setenv("XDG_CACHE_HOME", missing, 1);
	assert_false(cached_costs_read(&costs));
	/* a process that is not asked measures nothing */
	costs_measurer_start();
	costs_measurer_stop();
	assert_int_not_equal(stat(missing, &status), 0);
	scratch_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_measured_once),
		cmocka_unit_test(test_no_home),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
