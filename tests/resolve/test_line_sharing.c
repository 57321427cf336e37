// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that disturb each other in a cacheline, found by the addresses of samples, and threads
 * that do not.
 */
#include "tests/support/unit.h"

#include <string.h>

#include "profiler/resolve/line_sharing.h"
#include "tests/annotate/made_types.h"

#define PROCESS 10
#define LINE    UINT64_C(0x7f0000001000)

static struct made_types types;
static const struct type *counter, *pool, *array;
static const int object;

static int set_up(void **state)
{
	(void)state;
	made_types_init(&types);

	const struct type *word = made_integer(&types, "long int", 8);

	counter = MADE_STRUCT(&types, "counter", 16, { .name = "hits", .type = word },
			      { .name = "limit", .type = word, .offset = 8 });
	pool = MADE_STRUCT(&types, "pool", 8, { .name = "lock", .type = word });
	array = made_array(&types, word, 8);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	made_types_deinit(&types);
	return 0;
}

/* A sample. `place` is the offset of the accessed bytes from LINE. */
struct seen {
	int32_t pid, tid, cpu;
	uint64_t time;
	const struct type **type;
	int64_t offset;
	uint64_t place;
	bool writes, indexed;
};

#define SEEN_MAX 16

struct shown {
	struct line_sharing *sharing;
	struct access accesses[SEEN_MAX];
	struct arena texts;
	struct annotated_type type;
};

/* Look at the sharing of struct counters. `seen` ends with an element without a type. */
static void look(struct shown *shown, const struct seen *seen, const struct type *wanted)
{
	struct histogram histogram = { .object = &object, .type = wanted };

	*shown = (struct shown){ .sharing = line_sharing_create(64) };
	for (size_t i = 0; seen[i].type; i++) {
		struct result result = { .pid = seen[i].pid,
					 .tid = seen[i].tid,
					 .cpu = seen[i].cpu,
					 .time = seen[i].time,
					 .data_known = true,
					 .data_address = LINE + seen[i].place };
		struct access_count count = { .samples = 1, .loads = 1, .stores = seen[i].writes };

		assert_true(i < SEEN_MAX);
		shown->accesses[i] = (struct access){ .kind = ACCESS_TYPE,
						      .type = *seen[i].type,
						      .offset = seen[i].offset,
						      .indexed = seen[i].indexed,
						      .size = 8 };
		line_sharing_add(shown->sharing, &result, &object, &shown->accesses[i], &count);
	}
	line_sharing_finish(shown->sharing);
	line_sharing_show(shown->sharing, &histogram, &shown->texts, &shown->type);
}

static void release(struct shown *shown)
{
	line_sharing_destroy(shown->sharing);
	arena_deinit(&shown->texts);
}

static void assert_none(const struct seen *seen)
{
	struct shown shown;

	look(&shown, seen, counter);
	assert_true(shown.type.addressed);
	assert_int_equal(shown.type.sharing_count, 0);
	release(&shown);
}

static void test_fields_of_one_object(void **state)
{
	static const struct seen seen[] = {
		{ PROCESS, 1, -1, 100, &counter, 0, 0, true, false },
		{ PROCESS, 2, -1, 200, &counter, 8, 8, false, false },
		{ PROCESS, 1, -1, 300, &counter, 0, 0, true, false },
		{ 0 },
	};
	struct shown shown;

	(void)state;
	look(&shown, seen, counter);
	assert_int_equal(shown.type.sharing_count, 1);

	const struct annotated_sharing *sharing = &shown.type.sharings[0];

	assert_string_equal(sharing->field, "'hits'");
	assert_int_equal(sharing->writer_count, 1);
	assert_int_equal(sharing->writers[0], 1);
	assert_int_equal(sharing->neighbour_count, 1);
	assert_string_equal(sharing->neighbours[0], "'limit'");
	assert_int_equal(sharing->thread_count, 1);
	assert_int_equal(sharing->threads[0], 2);
	assert_int_equal(sharing->cachelines, 1);
	assert_int_equal(shown.type.objects, 1);
	assert_int_equal(shown.type.aligned_objects, 1);
	release(&shown);
}

/*
 * An array with one object for each thread, in two lines: a type's fields alone would not show the
 * sharing.
 */
static void test_objects_side_by_side(void **state)
{
	static const struct seen seen[] = {
		{ PROCESS, 1, 0, 100, &counter, 0, 0, true, false },
		{ PROCESS, 2, 1, 200, &counter, 0, 16, true, false },
		{ PROCESS, 3, 2, 250, &pool, 0, 40, false, false },
		{ PROCESS, 1, 0, 300, &counter, 0, 0, true, false },
		{ PROCESS, 2, 1, 400, &counter, 0, 16, true, false },
		{ PROCESS, 1, 0, 500, &counter, 0, 64, true, false },
		{ PROCESS, 2, 1, 600, &counter, 0, 80, true, false },
		{ PROCESS, 1, 0, 700, &counter, 0, 64, true, false },
		{ 0 },
	};
	struct shown shown;

	(void)state;
	look(&shown, seen, counter);
	assert_int_equal(shown.type.sharing_count, 1);

	const struct annotated_sharing *sharing = &shown.type.sharings[0];

	assert_int_equal(sharing->writer_count, 2);
	assert_int_equal(sharing->neighbour_count, 2);
	assert_string_equal(sharing->neighbours[0], "'hits' of another object");
	assert_string_equal(sharing->neighbours[1], "'lock' of struct pool");
	assert_int_equal(sharing->thread_count, 3);
	assert_int_equal(sharing->cachelines, 2);
	assert_int_equal(shown.type.objects, 4);
	assert_int_equal(shown.type.aligned_objects, 2);
	release(&shown);
	look(&shown, seen, pool);
	assert_int_equal(shown.type.sharing_count, 0);
	assert_int_equal(shown.type.objects, 1);
	release(&shown);
}

static void test_elements_of_an_array(void **state)
{
	static const struct seen seen[] = {
		{ PROCESS, 1, 0, 100, &array, 0, 0, true, true },
		{ PROCESS, 2, 1, 200, &array, 0, 8, true, true },
		{ PROCESS, 1, 0, 300, &array, 0, 0, true, true },
		{ 0 },
	};
	struct shown shown;

	(void)state;
	look(&shown, seen, array);
	assert_int_equal(shown.type.sharing_count, 1);
	assert_string_equal(shown.type.sharings[0].field, "'long int[]'");
	assert_string_equal(shown.type.sharings[0].neighbours[0], "'long int[]'");
	assert_int_equal(shown.type.objects, 0); /* the start of the object is unknown */
	release(&shown);
}

/* All idle threads have number 0, but each processor has its own. */
static void test_idle_threads(void **state)
{
	static const struct seen seen[] = {
		{ 0, 0, 3, 100, &counter, 0, 0, true, false },
		{ 0, 0, 5, 200, &counter, 8, 8, false, false },
		{ 0, 0, 3, 300, &counter, 0, 0, true, false },
		{ 0 },
	};
	struct shown shown;

	(void)state;
	look(&shown, seen, counter);
	assert_int_equal(shown.type.sharing_count, 1);
	assert_int_equal(shown.type.sharings[0].writers[0], -1 - 3);
	assert_int_equal(shown.type.sharings[0].threads[0], -1 - 5);
	release(&shown);
}

static void test_what_is_no_false_sharing(void **state)
{
	static const struct seen same_bytes[] = {
		{ PROCESS, 1, -1, 100, &counter, 0, 0, true, false },
		{ PROCESS, 2, -1, 200, &counter, 0, 0, false, false },
		{ PROCESS, 2, -1, 250, &counter, 8, 8, false, false },
		{ PROCESS, 1, -1, 300, &counter, 0, 0, true, false },
		{ 0 },
	};
	static const struct seen one_after_the_other[] = {
		{ PROCESS, 1, -1, 100, &counter, 0, 0, true, false },
		{ PROCESS, 1, -1, 150, &counter, 0, 0, true, false },
		{ PROCESS, 2, -1, 200, &counter, 8, 8, false, false },
		{ PROCESS, 2, -1, 300, &counter, 8, 8, false, false },
		{ 0 },
	};
	static const struct seen one_processor[] = {
		{ PROCESS, 1, 0, 100, &counter, 0, 0, true, false },
		{ PROCESS, 2, 0, 200, &counter, 8, 8, false, false },
		{ PROCESS, 1, 0, 300, &counter, 0, 0, true, false },
		{ 0 },
	};
	static const struct seen readers[] = {
		{ PROCESS, 1, -1, 100, &counter, 0, 0, false, false },
		{ PROCESS, 2, -1, 200, &counter, 8, 8, false, false },
		{ PROCESS, 1, -1, 300, &counter, 0, 0, false, false },
		{ 0 },
	};
	static const struct seen processes[] = {
		{ PROCESS, 1, -1, 100, &counter, 0, 0, true, false },
		{ PROCESS + 1, 2, -1, 200, &counter, 8, 8, false, false },
		{ PROCESS, 1, -1, 300, &counter, 0, 0, true, false },
		{ 0 },
	};
	static const struct seen other_lines[] = {
		{ PROCESS, 1, -1, 100, &counter, 0, 56, true, false },
		{ PROCESS, 2, -1, 200, &counter, 8, 64, false, false },
		{ PROCESS, 1, -1, 300, &counter, 0, 56, true, false },
		{ 0 },
	};

	(void)state;
	assert_none(same_bytes);
	assert_none(one_after_the_other);
	assert_none(one_processor);
	assert_none(readers);
	assert_none(processes);
	assert_none(other_lines);
}

static void test_without_times(void **state)
{
	static const struct seen seen[] = {
		{ PROCESS, 1, -1, 0, &counter, 0, 0, true, false },
		{ PROCESS, 2, -1, 0, &counter, 8, 8, false, false },
		{ 0 },
	};
	struct shown shown;

	(void)state;
	look(&shown, seen, counter);
	assert_false(shown.type.addressed);
	assert_int_equal(shown.type.sharing_count, 0);
	release(&shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_of_one_object),
		cmocka_unit_test(test_objects_side_by_side),
		cmocka_unit_test(test_elements_of_an_array),
		cmocka_unit_test(test_idle_threads),
		cmocka_unit_test(test_what_is_no_false_sharing),
		cmocka_unit_test(test_without_times),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
