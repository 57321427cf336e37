// SPDX-License-Identifier: GPL-2.0-or-later
/* Binary search gives the same answer as a linear search, sorting by keys is stable, and conditions
 * of several items and comparisons by several keys stop where they are decided. */
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
	struct sort_key first[3000], second[3000];
	uint64_t random = 1;

	(void)state;
	/* also as numbers with a sign, like the addresses of a kernel */
	for (size_t k = 0; k < 2 * COUNT_OF(masks); k++) {
		unsigned int sign = k % 2 ? 31 : 0;

		for (size_t count = 0; count <= COUNT_OF(first); count += 300) {
			const struct sort_key *sorted;

			for (size_t i = 0; i < count; i++) {
				random = random * 6364136223846793005 + 1442695040888963407;
				first[i] = (struct sort_key){
					(uint64_t)((int64_t)(((random ^ random >> 32) &
							      masks[k / 2])
							     << sign) >>
						   sign),
					i
				};
			}
			sorted = sort_keys(first, second, count);
			for (size_t i = 1; i < count; i++)
				assert_true(sorted[i - 1].key < sorted[i].key ||
					    (sorted[i - 1].key == sorted[i].key &&
					     sorted[i - 1].index < sorted[i].index));
		}
	}
}

/* Keys in few runs, as those of the processors that wrote them, and each several times. */
static void test_runs_are_merged(void **state)
{
	struct sort_key first[1000], second[1000];

	(void)state;
	for (size_t length = 60; length <= COUNT_OF(first); length += 47) {
		for (size_t i = 0; i < COUNT_OF(first); i++)
			first[i] = (struct sort_key){ i % length / 3, i };
		const struct sort_key *sorted = sort_keys(first, second, COUNT_OF(first));

		for (size_t i = 1; i < COUNT_OF(first); i++) {
			assert_int_equal(sorted[i].key, sorted[i].index % length / 3);
			assert_true(sorted[i - 1].key < sorted[i].key ||
				    (sorted[i - 1].key == sorted[i].key &&
				     sorted[i - 1].index < sorted[i].index));
		}
	}
}

static void test_any_and_all(void **state)
{
	static const int items[] = { 3, 5, 8 };
	size_t asked = 0;

	(void)state;
	assert_true(any_of(i, 0, 3, (asked++, items[i] == 5)));
	assert_int_equal(asked, 2);
	assert_false(any_of(i, 2, 3, items[i] == 5));
	assert_false(all_of(i, 0, 3, (asked++, items[i] == 3)));
	assert_int_equal(asked, 4);
	assert_true(all_of(i, 0, 2, items[i] < 8));
	assert_false(any_of(i, 2, 2, true));
	assert_true(all_of(i, 2, 2, false));
}

struct row {
	int samples;
	const char *name;
};

COMPARISON(compare_rows, struct row, DESCENDING(samples) BY_TEXT(name))
COMPARISON(compare_numbers, int, BY_VALUE)

static void test_comparisons(void **state)
{
	struct row rows[] = { { 1, "b" }, { 2, "c" }, { 1, "a" }, { 2, "c" } };
	int numbers[] = { 7, -7, 0 };

	(void)state;
	qsort(rows, COUNT_OF(rows), sizeof(*rows), compare_rows);
	qsort(numbers, COUNT_OF(numbers), sizeof(*numbers), compare_numbers);
	assert_int_equal(rows[0].samples, 2);
	assert_int_equal(compare_rows(&rows[0], &rows[1]), 0);
	assert_string_equal(rows[2].name, "a");
	assert_string_equal(rows[3].name, "b");
	assert_int_equal(numbers[0], -7);
	assert_int_equal(numbers[2], 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_bound),     cmocka_unit_test(test_how_often_it_asks),
		cmocka_unit_test(test_keys_are_sorted), cmocka_unit_test(test_runs_are_merged),
		cmocka_unit_test(test_any_and_all),     cmocka_unit_test(test_comparisons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
