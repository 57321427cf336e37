// SPDX-License-Identifier: GPL-2.0-or-later
/* The begins of parts of an array, from the ends that samples in loops tell. */
#include "tests/support/unit.h"

#include <stdlib.h>

#include "base/memory.h"
#include "profiler/resolve/sharing_parts.h"

#define ARRAY 0x10010 /* parts meet within lines */
#define SIZE  8
#define PART  128

static struct sharing_uses uses;
static struct sharing_parts parts;

static int tear_down(void **state)
{
	(void)state;
	free(uses.input.uses);
	uses = (struct sharing_uses){ 0 };
	sharing_parts_deinit(&parts);
	return 0;
}

/* Adds a sample at an element of the part [begin, end) of the array. */
static void add_sample(uint64_t element, uint64_t end)
{
	struct sharing_use use = { .address = ARRAY + element,
				   .ip = 0x1000,
				   .base = SHARING_NO_BASE,
				   .type = "double",
				   .pid = 7,
				   .tid = 1,
				   .size = SIZE,
				   .samples = 1,
				   .writes = true };

	sharing_parts_note(&parts, &uses, &use, ARRAY + end - SIZE);
	array_reserve(uses.input.uses, uses.input.count, uses.capacity);
	uses.input.uses[uses.input.count++] = use;
}

/* Each part of 16 elements has a sample at one of them: all have equally many. */
static void test_begins(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 160; i++)
		add_sample(i * PART + i % 16 * SIZE, (i + 1) * PART);
	sharing_parts_add(&parts, &uses, 64);
	/* the first six elements of a part are in its first line */
	assert_int_equal(uses.input.count, 160 + 160 / 16 * 10);
	for (size_t i = 160; i < uses.input.count; i++) {
		const struct sharing_use *begin = &uses.input.uses[i];

		assert_int_equal((begin->address - ARRAY) % PART, 0);
		assert_int_equal(begin->size, 48);
		assert_true(begin->implied);
		assert_true(begin->writes);
		assert_int_equal(begin->cost, 0);
	}
}

/* The rows of a triangle end at equal distances, but begin anywhere. */
static void test_parts_of_several_lengths(void **state)
{
	(void)state;
	for (int round = 0; round < 10; round++)
		for (uint64_t row = 0; row < 16; row++)
			for (uint64_t element = row; element < 16; element++)
				add_sample((row * 16 + element) * SIZE, (row + 1) * 16 * SIZE);
	sharing_parts_add(&parts, &uses, 64);
	for (size_t i = 0; i < uses.input.count; i++)
		assert_false(uses.input.uses[i].implied);
}

/* Ends whose distances are not multiples of one length. */
static void test_other_ends(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 160; i++)
		add_sample(i * PART + i % 16 * SIZE, (i + 1) * PART + i % 2 * SIZE);
	sharing_parts_add(&parts, &uses, 64);
	assert_int_equal(uses.input.count, 160);
}

/* Two parts are too few to tell. */
static void test_few_ends(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 160; i++)
		add_sample(i % 2 * PART + i % 16 * SIZE, (i % 2 + 1) * PART);
	sharing_parts_add(&parts, &uses, 64);
	assert_int_equal(uses.input.count, 160);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_begins, tear_down),
		cmocka_unit_test_teardown(test_parts_of_several_lengths, tear_down),
		cmocka_unit_test_teardown(test_other_ends, tear_down),
		cmocka_unit_test_teardown(test_few_ends, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
