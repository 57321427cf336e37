// SPDX-License-Identifier: GPL-2.0-or-later
/* Binary search gives the same answer as a linear search, and sorting by keys is stable. */
#include "tests/support/unit.h"

#include <stdint.h>

#include "base/memory.h"

static void test_every_bound(void **state)
{
	static const struct {
		int64_t key;
	} items[] = { { -7 }, { -7 }, { 0 }, { 3 }, { 3 }, { 3 }, { 9 }, { 12 } };

	(void)state;
	for (size_t first = 0; first <= 8; first++) {
		for (size_t end = first; end <= 8; end++) {
			for (int64_t key = -9; key < 14; key++) {
				size_t lower = first, upper = first;

				while (lower < end && items[lower].key < key)
					lower++;
				while (upper < end && items[upper].key <= key)
					upper++;
				assert_int_equal(partition_point(first, end, i, items[i].key < key),
						 lower);
				assert_int_equal(
					partition_point(first, end, i, items[i].key <= key), upper);
			}
		}
	}
}

/* The condition is evaluated only for indices in the range, and a logarithmic number of times. */
static void test_how_often_it_asks(void **state)
{
	size_t end = (size_t)1 << 40, asked = 0, wanted = end / 3;

	(void)state;
	assert_int_equal(partition_point(0, end, i, (assert_true(i < end), asked++, i < wanted)),
			 wanted);
	assert_true(asked <= 41);
	asked = 0;
	assert_int_equal(partition_point(5, 5, i, (asked++, i < 5)), 5);
	assert_int_equal(asked, 0);
}

static void test_keys_are_sorted(void **state)
{
	static const uint64_t masks[] = { 0, 0x3, 0xff00, 0xffff00000000ff, UINT64_MAX };
	struct sort_key first[300], second[300];
	uint64_t random = 1;

	(void)state;
	for (size_t k = 0; k < COUNT_OF(masks); k++) {
		for (size_t count = 0; count <= COUNT_OF(first); count += 60) {
			const struct sort_key *sorted;

			for (size_t i = 0; i < count; i++) {
				random = random * 6364136223846793005 + 1442695040888963407;
				first[i] =
					(struct sort_key){ (random ^ random >> 32) & masks[k], i };
			}
			sorted = sort_keys(first, second, count);
			for (size_t i = 1; i < count; i++)
				assert_true(sorted[i - 1].key < sorted[i].key ||
					    (sorted[i - 1].key == sorted[i].key &&
					     sorted[i - 1].index < sorted[i].index));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_bound),
		cmocka_unit_test(test_how_often_it_asks),
		cmocka_unit_test(test_keys_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
