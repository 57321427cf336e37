// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts of a type's fields, from accesses at offsets. */
#include "tests/support/unit.h"

#include "annotate/histogram.h"
#include "tests/annotate/made_types.h"

static struct made_types types;
static const struct type *integer, *word, *slot, *table;
static const int object, other_object;

static int set_up(void **state)
{
	(void)state;
	made_types_init(&types);
	integer = made_integer(&types, "int", 4);
	word = made_integer(&types, "long int", 8);
	slot = MADE_STRUCT(&types, "slot", 16, { .name = "key", .type = word },
			   { .name = "next", .type = word, .offset = 8 });
	table = MADE_STRUCT(&types, "table", 40, { .name = "count", .type = word },
			    { .name = "slots", .type = made_array(&types, slot, 2), .offset = 8 },
			    { .name = "tail", .type = made_array(&types, slot, 0), .offset = 40 });
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	made_types_release(&types);
	return 0;
}

static void add(struct histograms *histograms, const void *where, const struct type *type, int64_t offset,
		uint32_t event, uint64_t samples)
{
	struct access access = { .kind = ACCESS_TYPE, .type = type, .offset = offset };

	histograms_add(histograms, where, &access, event, (struct access_count){ samples, 10 * samples });
}

static void assert_counts(const struct histogram_lines *lines, size_t line, const char *name, uint64_t loads,
			  uint64_t stores)
{
	if (name)
		assert_string_equal(lines->lines[line].member.name, name);
	assert_int_equal(lines->lines[line].counts[0].samples, loads);
	assert_int_equal(lines->lines[line].counts[0].period, 10 * loads);
	assert_int_equal(lines->lines[line].counts[1].samples, stores);
}

static void test_fields_and_events(void **state)
{
	struct histograms *histograms = histograms_create(2);
	struct histogram_lines lines;

	(void)state;
	add(histograms, &object, table, 0, 0, 5);
	add(histograms, &object, table, 4, 1, 1);
	add(histograms, &object, table, 24, 0, 3); /* slots[1].key */
	add(histograms, &object, table, 8, 0, 4);  /* slots[0].key */
	add(histograms, &object, table, 16, 1, 2); /* slots[0].next */
	add(histograms, &object, table, 64, 1, 7); /* tail[1].next */
	assert_int_equal(histograms->count, 1);
	assert_int_equal(histograms->items[0].samples, 22);
	histogram_lines(&histograms->items[0], 2, &lines);
	assert_int_equal(lines.count, 8);
	assert_counts(&lines, 0, NULL, 12, 10);
	assert_counts(&lines, 1, "count", 5, 1);
	assert_counts(&lines, 2, "slots", 7, 2);
	assert_counts(&lines, 3, "key", 7, 0);
	assert_counts(&lines, 4, "next", 0, 2);
	assert_counts(&lines, 5, "tail", 0, 7);
	assert_counts(&lines, 6, "key", 0, 0);
	assert_counts(&lines, 7, "next", 0, 7);
	histogram_lines_release(&lines);
	histograms_destroy(histograms);
}

static void test_union_members_share(void **state)
{
	const struct type *value = MADE_UNION(&types, "value", 8, { .name = "whole", .type = word },
					      { .name = "half", .type = integer });
	struct histograms *histograms = histograms_create(2);
	struct histogram_lines lines;

	(void)state;
	add(histograms, &object, value, 0, 0, 3);
	add(histograms, &object, value, 4, 0, 1);
	histogram_lines(&histograms->items[0], 2, &lines);
	assert_counts(&lines, 1, "whole", 4, 0);
	assert_counts(&lines, 2, "half", 3, 0);
	histogram_lines_release(&lines);
	histograms_destroy(histograms);
}

static void test_empty_bases_have_no_accesses(void **state)
{
	const struct type *inner = MADE_STRUCT(&types, "Inner", 1, { .type = NULL });
	const struct type *empty = MADE_STRUCT(&types, "Empty", 1, { .type = inner, .is_base = true });
	const struct type *derived = MADE_STRUCT(&types, "Derived", 8, { .type = empty, .is_base = true },
						 { .name = "value", .type = word });
	struct histograms *histograms = histograms_create(2);
	struct histogram_lines lines;

	(void)state;
	add(histograms, &object, derived, 0, 0, 3);
	histogram_lines(&histograms->items[0], 2, &lines);
	assert_counts(&lines, 0, NULL, 3, 0);
	assert_counts(&lines, 1, NULL, 0, 0);
	assert_counts(&lines, 2, NULL, 0, 0);
	assert_counts(&lines, 3, "value", 3, 0);
	histogram_lines_release(&lines);
	histograms_destroy(histograms);
}

static void test_scalars_have_one_line(void **state)
{
	struct histograms *histograms = histograms_create(2);
	struct histogram_lines lines;

	(void)state;
	add(histograms, &object, integer, 0, 1, 9);
	histogram_lines(&histograms->items[0], 2, &lines);
	assert_int_equal(lines.count, 1);
	assert_int_equal(lines.lines[0].member.size, 4);
	assert_counts(&lines, 0, NULL, 0, 9);
	histogram_lines_release(&lines);
	histograms_destroy(histograms);
}

static void test_order_and_objects(void **state)
{
	struct histograms *histograms = histograms_create(1);

	(void)state;
	add(histograms, &object, table, 0, 0, 2);
	add(histograms, &object, slot, 0, 0, 2);
	add(histograms, &other_object, slot, 0, 0, 5);
	add(histograms, &object, integer, 0, 0, 1);
	histograms_sort(histograms);
	assert_int_equal(histograms->count, 4);
	assert_ptr_equal(histograms->items[0].object, &other_object);
	assert_ptr_equal(histograms->items[1].type, slot);
	assert_ptr_equal(histograms->items[2].type, table);
	assert_ptr_equal(histograms->items[3].type, integer);
	/* still found after sorting */
	add(histograms, &object, integer, 0, 0, 1);
	assert_int_equal(histograms->count, 4);
	assert_int_equal(histograms->items[3].samples, 2);
	histograms_destroy(histograms);
}

static void test_many_offsets_and_types(void **state)
{
	const struct type *array = made_array(&types, integer, 4096);
	struct histograms *histograms = histograms_create(1);
	struct histogram_lines lines;

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 4096; i++)
			add(histograms, &object, array, (i * 37 % 4096) * 4, 0, 1);
	for (int i = 1; i < 200; i++)
		add(histograms, &object, made_array(&types, integer, i), 0, 0, 1);
	assert_int_equal(histograms->count, 200);
	assert_int_equal(histograms->items[0].offset_count, 4096);
	for (size_t i = 0; i < 4096; i++) {
		assert_int_equal(histograms->items[0].offsets[i], 4 * i);
		assert_int_equal(histograms->items[0].counts[i].samples, 2);
	}
	histogram_lines(&histograms->items[0], 1, &lines);
	assert_int_equal(lines.lines[0].counts[0].samples, 8192);
	histogram_lines_release(&lines);
	histograms_destroy(histograms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_and_events),
		cmocka_unit_test(test_union_members_share),
		cmocka_unit_test(test_empty_bases_have_no_accesses),
		cmocka_unit_test(test_scalars_have_one_line),
		cmocka_unit_test(test_order_and_objects),
		cmocka_unit_test(test_many_offsets_and_types),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
