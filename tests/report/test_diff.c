// SPDX-License-Identifier: GPL-2.0-or-later
/* Differences of recordings: matching, figures, units, and what is within noise. */
#include "tests/support/unit.h"

#include <string.h>

#include "report/diff/diff.h"

static const char *const headers[] = { "Type and Field" }, *const names[] = { "typeoff" },
			 *const files[] = { "old", "new" };

static struct diff_options default_options(void)
{
	struct diff_options options = {
		.order = 1, .headers = headers, .names = names, .files = files
	};

	for (size_t i = 0; i < DIFF_FILES_MAX; i++)
		options.per[i] = 1;
	return options;
}

static void add(struct diff *diff, size_t file, const char *name, int64_t offset, uint64_t samples)
{
	diff_add(diff, file, &name, offset, samples, samples * 1000);
}

static const struct diff_row *row_of(const struct diff *diff, const char *name)
{
	for (size_t i = 0; i < diff->row_count; i++)
		if (!strcmp(diff->rows[i].cells[0], name))
			return &diff->rows[i];
	fail_msg("no row '%s'", name);
	return NULL;
}

static struct diff *two_files(void)
{
	struct diff *diff = diff_create(2, 1);

	add(diff, 0, "rec key", 120, 800);
	add(diff, 0, "rec id", 0, 100);
	add(diff, 0, "rec gone", 8, 50);
	add(diff, 0, "rest", DIFF_NO_OFFSET, 50);
	add(diff, 1, "rec key", 8, 200);
	add(diff, 1, "rec key", 8, 200);
	add(diff, 1, "rec id", 0, 104);
	add(diff, 1, "rec fresh", 16, 96);
	add(diff, 1, "rest", DIFF_NO_OFFSET, 400);
	return diff;
}

static void test_fields_match_by_name(void **state)
{
	struct diff *diff = two_files();
	struct diff_options options = default_options();

	(void)state;
	diff_finish(diff, &options);
	assert_int_equal(diff->row_count, 5);
	assert_string_equal(diff_mark(row_of(diff, "rec key"), 1), "moved");
	assert_string_equal(diff_mark(row_of(diff, "rec id"), 1), "");
	assert_string_equal(diff_mark(row_of(diff, "rec gone"), 1), "gone");
	assert_string_equal(diff_mark(row_of(diff, "rec fresh"), 1), "new");
	assert_int_equal(row_of(diff, "rec key")->figures[1].samples, 400);
	diff_destroy(diff);
}

static void test_shares_and_samples(void **state)
{
	struct diff *diff = two_files();
	struct diff_options options = default_options();
	const struct diff_row *key;

	(void)state;
	diff_finish(diff, &options);
	key = row_of(diff, "rec key");
	assert_true(diff_value(diff, &options, key, 0) == 80);
	assert_true(diff_value(diff, &options, key, 1) == 40);
	/* the new program did twice as much work */
	options.unit = DIFF_SAMPLES;
	options.per[0] = 100;
	options.per[1] = 200;
	assert_true(diff_value(diff, &options, key, 0) == 8);
	assert_true(diff_value(diff, &options, key, 1) == 2);
	diff_destroy(diff);
}

static void test_noise(void **state)
{
	struct diff *diff = two_files();
	struct diff_options options = default_options();

	(void)state;
	diff_finish(diff, &options);
	assert_true(diff_deviations(diff, &options, row_of(diff, "rec key"), 1) > DIFF_SURE);
	assert_true(diff_deviations(diff, &options, row_of(diff, "rec fresh"), 1) > DIFF_SURE);
	/* 100 of 1000 samples and 104 of 1000 */
	assert_true(diff_deviations(diff, &options, row_of(diff, "rec id"), 1) < 1);
	diff_destroy(diff);
	/* a difference of one sample is never sure */
	diff = diff_create(2, 1);
	add(diff, 0, "a", 0, 10);
	add(diff, 1, "a", 0, 10);
	add(diff, 1, "b", 0, 1);
	diff_finish(diff, &options);
	assert_true(diff_deviations(diff, &options, row_of(diff, "b"), 1) < DIFF_SURE);
	options.sure_only = true;
	diff_finish(diff, &options);
	assert_int_equal(diff->row_count, 0);
	diff_destroy(diff);
}

static void test_order(void **state)
{
	struct diff *diff = two_files();
	struct diff_options options = default_options();

	(void)state;
	diff_finish(diff, &options);
	assert_string_equal(diff->rows[0].cells[0], "rec key");
	diff_destroy(diff);
	diff = two_files();
	options.baseline_only = true;
	diff_finish(diff, &options);
	assert_int_equal(diff->row_count, 4);
	diff_destroy(diff);
}

/* Rows without a type come last, however much they changed. */
static void test_rows_without_type_are_last(void **state)
{
	static const char *const unknown = "(unknown)";
	struct diff *diff = two_files();
	struct diff_options options = default_options();

	(void)state;
	diff_add_untyped(diff, 0, &unknown, 1, 1000);
	diff_add_untyped(diff, 1, &unknown, 5000, 5000000);
	diff_finish(diff, &options);
	assert_string_equal(diff->rows[diff->row_count - 1].cells[0], unknown);
	assert_string_not_equal(diff->rows[0].cells[0], unknown);
	diff_destroy(diff);
}

static void test_output(void **state)
{
	struct diff *diff = two_files();
	struct diff_options options = default_options();
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	(void)state;
	diff_finish(diff, &options);
	diff_print(diff, &options, &text);
	assert_non_null(
		strstr(text.data, "    80.00%     -40.00%  yes, moved +120 to +8  rec key\n"));
	assert_non_null(
		strstr(text.data, "    10.00%      +0.40%  noise                  rec id\n"));
	assert_non_null(
		strstr(text.data, "                +9.60%  yes, new               rec fresh\n"));
	strbuf_reset(&text);
	diff_print_csv(diff, &options, &text);
	assert_non_null(
		strstr(text.data,
		       "typeoff,samples,value,samples:1,value:1,delta:1,deviations:1,mark:1\n"));
	assert_non_null(strstr(text.data, "rec key,800,80,400,40,-40,"));
	diff_destroy(diff);
}

/* On a terminal, verdicts get shorter before names do. */
static void test_three_files_on_a_terminal(void **state)
{
	static const char *const three[] = { "old", "new", "newest" };
	struct diff *diff = diff_create(3, 1);
	struct diff_options options = default_options();
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	(void)state;
	options.files = three;
	add(diff, 0, "struct record_of_a_table key", 120, 800);
	add(diff, 1, "struct record_of_a_table key", 8, 400);
	add(diff, 2, "struct record_of_a_table key", 16, 790);
	add(diff, 0, "rest", DIFF_NO_OFFSET, 200);
	add(diff, 1, "rest", DIFF_NO_OFFSET, 600);
	add(diff, 2, "rest", DIFF_NO_OFFSET, 210);
	diff_finish(diff, &options);
	diff_print(diff, &options, &text);
	assert_non_null(strstr(text.data, "yes, moved +120 to +8  "));
	assert_non_null(strstr(text.data, "noise, moved +120 to +16  struct record_of_a_table"));
	strbuf_reset(&text);
	options.width = 80;
	options.ellipsis = "..";
	diff_print(diff, &options, &text);
	assert_non_null(strstr(text.data, "  moved  "));
	assert_non_null(strstr(text.data, "  moved?  struct "));
	for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	diff_destroy(diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_match_by_name),
		cmocka_unit_test(test_shares_and_samples),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_rows_without_type_are_last),
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_three_files_on_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
