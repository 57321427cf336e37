// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of what memory costs: it is read as it was written, or not at all. */
#include "tests/support/unit.h"

#include <string.h>

#include "report/layout/memory_costs.h"

static void sample_init(struct memory_costs *costs)
{
	*costs = (struct memory_costs){ .known = true, .cycle = 0.25, .beside = 0.5 };
	for (int curve = 0; curve < CURVE_COUNT; curve++)
		for (int point = 0; point < CURVE_POINTS; point++)
			costs->ns[curve][point] = curve + point * 10;
}

static void test_text_and_back(void **state)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct memory_costs costs, read;

	(void)state;
	sample_init(&costs);
	memory_costs_print(&costs, &text);
	assert_true(memory_costs_parse(text.data, &read));
	assert_true(read.known);
	assert_float_equal(read.cycle, 0.25, 1e-6);
	for (int curve = 0; curve < CURVE_COUNT; curve++)
		for (int point = 0; point < CURVE_POINTS; point++)
			assert_float_equal(read.ns[curve][point], costs.ns[curve][point], 1e-3);
}

static void test_other_texts(void **state)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct memory_costs costs, read;
	size_t length;

	(void)state;
	sample_init(&costs);
	memory_costs_print(&costs, &text);
	length = text.length;
	for (size_t end = 0; end < length; end++) {
		char kept = text.data[end];

		text.data[end] = '\0';
		assert_false(memory_costs_parse(text.data, &read));
		assert_false(read.known);
		text.data[end] = kept;
	}
	/* another version */
	strchr(text.data, '\n')[-1] = '0';
	assert_false(memory_costs_parse(text.data, &read));
	/* no machine has these */
	costs.beside = -1;
	strbuf_reset(&text);
	memory_costs_print(&costs, &text);
	assert_false(memory_costs_parse(text.data, &read));
}

static void test_between_points(void **state)
{
	struct memory_costs costs;

	(void)state;
	sample_init(&costs);
	assert_float_equal(memory_costs_at(&costs, CURVE_STREAM, 0), 0, 1e-9);
	assert_float_equal(memory_costs_at(&costs, CURVE_STREAM, 16 << 10), 10, 1e-9);
	assert_float_equal(memory_costs_at(&costs, CURVE_SPARSE, 16 << 10), 11, 1e-9);
	assert_true(memory_costs_at(&costs, CURVE_STREAM, 24 << 10) > 12);
	assert_true(memory_costs_at(&costs, CURVE_STREAM, 24 << 10) < 18);
	assert_float_equal(memory_costs_at(&costs, CURVE_STREAM, 1e30), 150, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_and_back),
		cmocka_unit_test(test_other_texts),
		cmocka_unit_test(test_between_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
