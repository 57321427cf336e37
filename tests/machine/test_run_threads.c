// SPDX-License-Identifier: GPL-2.0-or-later
/* Two threads run a plan in both layouts, or there is a reason why they did not run at one time.
 * How long they take is not judged. */
#include "tests/support/unit.h"

#include <math.h>

#include "profiler/machine/run_visits.h"

static void test_two_threads(void **state)
{
	struct thread_plan plan = {
		.codes = { { .touches = { { .offsets = { 0, 0 } },
					  { .offsets = { 8, 64 }, .write = true },
					  { .offsets = { 17, 81 },
					    .write = true,
					    .atomic = true } },
			     .touch_count = 3,
			     .cycles = 6,
			     .waits = 0.9 },
			   { .region = 1,
			     .touches = { { .offsets = { 32, 128 } } },
			     .touch_count = 1,
			     .waits = 0.5 } },
	};
	struct replayed_visit visits[2] = { 0 };
	const char *refusal;

	(void)state;
	refusal = run_threads(&plan, visits);
	if (refusal)
		skip_because("%s", refusal);
	for (uint32_t i = 0; i < 2; i++) {
		assert_true(visits[i].known);
		assert_int_equal(visits[i].region, i);
		assert_true(visits[i].old > 0 && visits[i].new > 0);
		assert_true(visits[i].range.low <= visits[i].middle &&
			    visits[i].middle <= visits[i].range.high);
		assert_true(isfinite(visits[i].range.high));
	}
	/* no more is saved than the threads wait for */
	assert_true(visits[1].range.high <= 2.001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
