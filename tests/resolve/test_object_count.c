// SPDX-License-Identifier: GPL-2.0-or-later
/* How many objects there are, by the addresses of those that were met. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/resolve/layout_private.h"

#define HEAP  0x555555560000
#define MAP   0x7ffff0000000
#define STACK 0x7fffffffe000
#define SIZE  16

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* Fills in `count` different elements of an array of `elements` at `start`, in order. */
static void draw(uint64_t *objects, size_t count, uint64_t start, uint64_t elements)
{
	uint64_t state = 88172645463325252;

	for (size_t i = 0; i < count; i++) {
		state ^= state << 13, state ^= state >> 7, state ^= state << 17;
		/* one element of each of `count` equal parts */
		objects[i] = start + SIZE * (i * elements / count + state % (elements / count));
	}
	qsort(objects, count, sizeof(*objects), compare);
}

static void assert_about(double value, double expected)
{
	if (value < 0.7 * expected || value > 1.5 * expected)
		fail_msg("%.0f objects in place of about %.0f", value, expected);
}

static void one_array(void **state)
{
	uint64_t objects[200];

	(void)state;
	for (size_t count = 8; count <= 200; count += 8) {
		draw(objects, count, HEAP, 100000);
		assert_about(objects_in_arrays(objects, count, SIZE), 100000);
	}
}

/* Objects in the heap, in memory of mmap(2) and on the stack are no array of terabytes. */
static void apart(void **state)
{
	uint64_t objects[102];

	(void)state;
	for (size_t count = 10; count <= 50; count += 10) {
		draw(objects, count, HEAP, 10000);
		draw(objects + count, count, MAP, 10000);
		objects[2 * count] = STACK;
		assert_about(objects_in_arrays(objects, 2 * count, SIZE), 20000);
		assert_about(objects_in_arrays(objects, 2 * count + 1, SIZE), 20000);
		objects[count] = STACK;
		assert_about(objects_in_arrays(objects, count + 1, SIZE), 10000);
	}
}

/* Samples of arrays that are rarely hit show objects that seem to be alone. */
static void rarely_hit_arrays(void **state)
{
	uint64_t objects[300];

	(void)state;
	draw(objects, 200, HEAP, 20000);
	assert_false(objects_are_alone(objects, 200));
	for (size_t i = 0; i < 50; i++)
		draw(objects + 200 + 2 * i, 2, MAP + (i << 24), 100000);
	assert_true(objects_are_alone(objects, 300));
	assert_true(objects_in_arrays(objects, 300, SIZE) < 50000);
}

/* If samples met all elements, there are no others. Addresses of other data are no elements. */
static void all_elements(void **state)
{
	uint64_t objects[97];

	(void)state;
	for (size_t i = 0; i < 96; i++)
		objects[i] = HEAP + i * 88;
	assert_true(objects_in_arrays(objects, 96, 88) == 96);
	assert_true(objects_as_elements(objects, 96, 88) == 96);
	objects[96] = objects[95] + 88 * 40 + 8;
	assert_true(objects_as_elements(objects, 97, 88) == 96);
	/* the first one, to which others are compared, may be such an address */
	memmove(objects + 1, objects, 96 * sizeof(*objects));
	objects[0] = HEAP - 100;
	assert_true(objects_as_elements(objects, 97, 88) == 96);
}

static void drawn(void **state)
{
	(void)state;
	/* a hundred objects, each met about ten times */
	assert_about(objects_drawn_from(1000, 100), 100);
	/* 1000 samples of 1000 objects meet 632 of them */
	assert_about(objects_drawn_from(1000, 632), 1000);
}

/* Samples that meet the same elements again and again tell that others are rarely visited. */
static void met_often(void **state)
{
	(void)state;
	/* as many as chance meets twice */
	assert_true(objects_met_often(1000, 998, 1, 400000) == 0);
	assert_true(objects_met_often(5489, 5411, 39, 400000) == 0);
	/* 848 samples of 50000 elements */
	assert_about(objects_met_often(848, 834, 7, 400000), 50000);
	/* a stream's samples are not asked for; one element that all share says nothing of the
	 * others */
	assert_true(objects_met_often(1000, 900, 0, 400000) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_array),
		cmocka_unit_test(apart),
		cmocka_unit_test(rarely_hit_arrays),
		cmocka_unit_test(all_elements),
		cmocka_unit_test(drawn),
		cmocka_unit_test(met_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
