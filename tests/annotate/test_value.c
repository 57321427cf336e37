// SPDX-License-Identifier: GPL-2.0-or-later
/* The lattice: a join keeps exactly what is true on both paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "annotate/values/value.h"
#include "base/memory.h"

#define PHI 77

static struct value multiple(int64_t offset, uint32_t stride)
{
	struct value value = value_number(offset);

	value.stride = stride;
	return value;
}

static struct value join(struct value a, struct value b, uint32_t phi)
{
	return value_join(&a, &b, phi);
}

static void bottom_is_neutral(void **state)
{
	const struct value bottom = { 0 }, seven = value_number(7);
	struct value joined = join(bottom, seven, PHI);

	(void)state;
	assert_true(value_equal(&joined, &seven));
	joined = join(seven, bottom, PHI);
	assert_true(value_equal(&joined, &seven));
}

static void constants_keep_their_distance(void **state)
{
	struct value joined = join(value_number(0), value_number(24), PHI);

	(void)state;
	assert_int_equal(joined.kind, VALUE_NUMBER);
	assert_int_equal(joined.offset, 0);
	assert_int_equal(joined.stride, 24);
	joined = join(joined, value_number(72), PHI);
	assert_int_equal(joined.stride, 24);
	joined = join(joined, value_number(80), PHI);
	assert_int_equal(joined.stride, 8);
	/* -2 as 4 bytes says that there is no index yet */
	joined = join(value_number(0xfffffffe), value_number(0), PHI);
	assert_int_equal(joined.offset, 0);
	joined = join(value_number(0), value_number(0xfffffffe), PHI);
	assert_int_equal(joined.offset, 0);
}

static void stack_addresses_of_one_frame_only(void **state)
{
	struct value same = join(value_frame(0, -16), value_frame(0, -16), PHI);
	struct value other = join(value_frame(0, -16), value_frame(1, -16), PHI);

	(void)state;
	assert_int_equal(same.kind, VALUE_FRAME);
	assert_int_equal(same.stride, 0);
	assert_int_equal(other.kind, VALUE_UNKNOWN);
	assert_int_equal(other.origin, PHI);
	assert_true(other.conflict);
}

static void null_goes_with_an_address(void **state)
{
	struct value joined = join(value_number(0), value_address(0x4000), PHI);

	(void)state;
	assert_int_equal(joined.kind, VALUE_ADDRESS);
	joined = join(value_address(0x4000), value_number(0x100000), PHI);
	assert_int_equal(joined.kind, VALUE_UNKNOWN);
}

static void a_joined_unknown_stays(void **state)
{
	struct value joined = join(value_unknown(3), value_unknown(4), PHI);

	(void)state;
	assert_int_equal(joined.origin, PHI);
	assert_false(joined.conflict);
	struct value again = join(joined, value_unknown(5), PHI);

	assert_true(value_equal(&joined, &again));
	/* a loop that adds to the value gives it a stride */
	again = join(joined, value_add(joined, value_number(16)), PHI);
	assert_int_equal(again.origin, PHI);
	assert_int_equal(again.stride, 16);
}

static void scaled_indexes_are_multiples(void **state)
{
	struct value index = value_unknown(5);
	/* lea (%rax,%rax,2); shl $3: 24 times the index */
	struct value three = value_add(index, value_scale(index, 2));
	struct value scaled = value_scale(three, 8);

	(void)state;
	assert_int_equal(three.stride, 3);
	assert_int_equal(scaled.kind, VALUE_NUMBER);
	assert_int_equal(scaled.stride, 24);
	/* lea 0(,%rax,8); sub %rax: 7 times the index */
	assert_int_equal(value_subtract(value_scale(index, 8), index).stride, 7);
	assert_int_equal(value_multiply(index, value_number(40)).stride, 40);
	assert_int_equal(value_multiply(index, value_number(-40)).stride, 40);
	assert_int_equal(
		value_multiply(value_add(index, value_number(2)), value_number(-40)).offset, -80);
	/* a remainder: x - x / 5 * 5 */
	assert_int_equal(value_subtract(index, value_scale(value_any_number(), 5)).steps[0], 0);
	/* the largest of five strides are kept, and those that divide no other */
	struct value all = value_scale(value_any_number(), 3784);
	uint64_t strides[STEPS];

	static const uint32_t sizes[] = { 1232, 112, 21, 3 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++)
		all = value_add(all, value_scale(value_any_number(), sizes[i]));
	assert_int_equal(value_strides(&all, strides), STEPS);
	assert_int_equal(strides[0], 3784);
	assert_int_equal(strides[2], 112);
	assert_int_equal(strides[3], 3);
	assert_int_equal(value_add(value_frame(0, -64), scaled).stride, 24);
}

static void masks_bound_numbers(void **state)
{
	(void)state;
	assert_int_equal(value_and(value_unknown(2), value_number(0xf8)).stride, 8);
	assert_int_equal(value_and(value_number(0xff), value_number(0x0f)).offset, 0x0f);
	/* an aligned pointer stays the same value */
	assert_int_equal(value_and(value_unknown(2), value_number(-8)).origin, 2);
}

static void narrow_values_are_no_pointers(void **state)
{
	(void)state;
	assert_int_equal(value_truncate(value_frame(0, 8), 4).kind, VALUE_NUMBER);
	assert_int_equal(value_truncate(value_number(0x1ffffffffLL), 4).offset, 0xffffffff);
	assert_int_equal(value_truncate(value_unknown(9), 2).kind, VALUE_NUMBER);
}

static void any_order_ends(void **state)
{
	/* strides only shrink, so every sequence of joins comes to an end */
	struct value value = multiple(0, 1 << 30);
	unsigned int changes = 0;

	(void)state;
	for (int64_t i = 1; i < 5000; i++) {
		struct value joined = join(value, multiple(i * 96, 1 << 20), PHI);

		changes += !value_equal(&joined, &value);
		value = joined;
	}
	assert_in_range(changes, 1, 20);
}

static void slots_do_not_overlap(void **state)
{
	struct state slots = { 0 };

	(void)state;
	state_store(&slots, 0, -16, 8, value_number(1));
	state_store(&slots, 0, -8, 8, value_number(2));
	state_store(&slots, 1, -16, 8, value_number(3));
	assert_int_equal(state_slot(&slots, 0, -16, 8)->value.offset, 1);
	assert_int_equal(state_slot(&slots, 1, -16, 8)->value.offset, 3);
	assert_null(state_slot(&slots, 0, -16, 4));
	/* a store across two slots clears both */
	state_store(&slots, 0, -12, 8, value_number(4));
	assert_null(state_slot(&slots, 0, -16, 8));
	assert_null(state_slot(&slots, 0, -8, 8));
	assert_int_equal(state_slot(&slots, 0, -12, 8)->value.offset, 4);
	assert_int_equal(state_slot(&slots, 1, -16, 8)->value.offset, 3);
	state_kill(&slots, 1, -100, 1000);
	assert_int_equal(slots.slot_count, 1);
	state_deinit(&slots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bottom_is_neutral),
		cmocka_unit_test(constants_keep_their_distance),
		cmocka_unit_test(stack_addresses_of_one_frame_only),
		cmocka_unit_test(null_goes_with_an_address),
		cmocka_unit_test(a_joined_unknown_stays),
		cmocka_unit_test(scaled_indexes_are_multiples),
		cmocka_unit_test(masks_bound_numbers),
		cmocka_unit_test(narrow_values_are_no_pointers),
		cmocka_unit_test(any_order_ends),
		cmocka_unit_test(slots_do_not_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
