// SPDX-License-Identifier: GPL-2.0-or-later
/* A cursor never passes its end, and stays failed. */
#include "tests/support/unit.h"

#include "base/cursor.h"

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

static void test_reads_in_order(void **state)
{
	struct cursor cursor = cursor_of(bytes, sizeof(bytes), false);

	(void)state;
	assert_int_equal(cursor_u8(&cursor), 0x01);
	assert_int_equal(cursor_u16(&cursor), 0x0302);
	assert_int_equal(cursor_u32(&cursor), 0x07060504);
	assert_int_equal(cursor_u64(&cursor), 0x0f0e0d0c0b0a0908);
	assert_int_equal(cursor_left(&cursor), 0);
	assert_false(cursor.failed);
}

static void test_reads_the_other_byte_order(void **state)
{
	struct cursor cursor = cursor_of(bytes, sizeof(bytes), true);

	(void)state;
	assert_int_equal(cursor_u8(&cursor), 0x01);
	assert_int_equal(cursor_u16(&cursor), 0x0203);
	assert_int_equal(cursor_u32(&cursor), 0x04050607);
	assert_int_equal(cursor_u64(&cursor), 0x08090a0b0c0d0e0f);
}

static void test_read_past_the_end_fails_for_good(void **state)
{
	struct cursor cursor = cursor_of(bytes, 3, false);

	(void)state;
	assert_int_equal(cursor_u32(&cursor), 0);
	assert_true(cursor.failed);
	assert_int_equal(cursor.position, 0);
	assert_int_equal(cursor_left(&cursor), 0);
	/* This read would fit, but the cursor has failed. */
	assert_int_equal(cursor_u8(&cursor), 0);
	assert_null(cursor_bytes(&cursor, 1));
}

static void test_huge_length_does_not_wrap(void **state)
{
	struct cursor cursor = cursor_of(bytes, sizeof(bytes), false);

	(void)state;
	cursor_skip(&cursor, 8);
	assert_null(cursor_bytes(&cursor, SIZE_MAX));
	assert_true(cursor.failed);
	cursor = cursor_of(bytes, sizeof(bytes), false);
	cursor_skip(&cursor, 8);
	assert_null(cursor_bytes(&cursor, SIZE_MAX - 4));
	assert_true(cursor.failed);
}

static void test_bytes_are_in_place(void **state)
{
	struct cursor cursor = cursor_of(bytes, sizeof(bytes), false);

	(void)state;
	cursor_skip(&cursor, 5);
	assert_ptr_equal(cursor_bytes(&cursor, 10), bytes + 5);
	assert_non_null(cursor_bytes(&cursor, 0));
	assert_false(cursor.failed);
}

static void test_string_needs_its_nul(void **state)
{
	static const char text[] = { 'a', 'b', '\0', '\0', 'c', 'd' };
	struct cursor cursor = cursor_of(text, sizeof(text), false);

	(void)state;
	assert_string_equal(cursor_string(&cursor), "ab");
	assert_string_equal(cursor_string(&cursor), "");
	assert_null(cursor_string(&cursor));
	assert_true(cursor.failed);
	cursor = cursor_of(text, 0, false);
	assert_null(cursor_string(&cursor));
	assert_true(cursor.failed);
}

static void test_nothing_is_an_empty_cursor(void **state)
{
	struct cursor cursor = cursor_of(NULL, 0, false);

	(void)state;
	assert_non_null(cursor_bytes(&cursor, 0));
	assert_false(cursor.failed);
	assert_null(cursor_string(&cursor));
	assert_true(cursor.failed);
	cursor = cursor_of(NULL, 0, false);
	assert_int_equal(cursor_u8(&cursor), 0);
	assert_true(cursor.failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_in_order),
		cmocka_unit_test(test_reads_the_other_byte_order),
		cmocka_unit_test(test_read_past_the_end_fails_for_good),
		cmocka_unit_test(test_huge_length_does_not_wrap),
		cmocka_unit_test(test_bytes_are_in_place),
		cmocka_unit_test(test_string_needs_its_nul),
		cmocka_unit_test(test_nothing_is_an_empty_cursor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
