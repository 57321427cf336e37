// SPDX-License-Identifier: GPL-2.0-or-later
/* Arenas, growing arrays, and sizes that cannot be allocated. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

static void test_arena_is_aligned_and_zeroed(void **state)
{
	struct arena arena = { 0 };

	(void)state;
	for (size_t size = 1; size < 300; size += 7) {
		unsigned char *memory = arena_alloc(&arena, size);

		assert_int_equal((uintptr_t)memory % 8, 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(memory[i], 0);
		memset(memory, 0xff, size);
	}
	arena_deinit(&arena);
	/* Use the arena again, for more than a chunk holds. */
	unsigned char *large = arena_alloc(&arena, 5 << 20);

	assert_int_equal(large[0] | large[(5 << 20) - 1], 0);
	large[(5 << 20) - 1] = 1;
	assert_true(arena.total >= 5 << 20);
	arena_deinit(&arena);
}

static void test_arena_keeps_what_it_gave(void **state)
{
	struct arena arena = { 0 };
	char *strings[2000];

	(void)state;
	for (unsigned int i = 0; i < 2000; i++) {
		char text[32];

		snprintf(text, sizeof(text), "member%u and more", i);
		strings[i] = arena_strndup(&arena, text, strcspn(text, " "));
	}
	for (unsigned int i = 0; i < 2000; i++) {
		char text[32];

		snprintf(text, sizeof(text), "member%u", i);
		assert_string_equal(strings[i], text);
	}
	assert_string_equal(arena_strdup(&arena, ""), "");
	assert_memory_equal(arena_copy(&arena, "a\0b", 3), "a\0b", 3);
	arena_deinit(&arena);
}

static void test_array_grows(void **state)
{
	size_t *items = NULL, count = 0, capacity = 0;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		array_reserve(items, count, capacity);
		assert_true(capacity > count);
		items[count++] = i;
	}
	array_add(items, count, capacity) = 1000;
	assert_int_equal(count, 1001);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(items[i], i);
	count = 0;
	array_each (const size_t, item, items, 1001)
		assert_int_equal(*item, count++);
	assert_int_equal(count, 1001);
	free(items);
}

static void test_array_walks(void **state)
{
	const int items[] = { 3, 1, 4, 1, 5 };
	int *none = NULL;
	size_t seen = 0;

	(void)state;
	array_indexed (const int, item, i, items, COUNT_OF(items)) {
		assert_ptr_equal(item, &items[i]);
		assert_int_equal(i, seen++);
		if (*item == 4)
			break;
	}
	assert_int_equal(seen, 3);
	array_indexed (int, item, i, none, i)
		fail();
	assert_int_equal(sum_over(int, i, 1, COUNT_OF(items), items[i]), 11);
	assert_int_equal(sum_over(uint8_t, i, 0, 0, items[i]), 0);
}

COMPARISON(compare_numbers, int, BY_VALUE)

static void test_array_keeps_items(void **state)
{
	int items[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5 }, least = 7, most = -7;
	uint8_t count = COUNT_OF(items);
	size_t unique;

	(void)state;
	array_keep(i, items, count, items[i] != 1 && i != 10);
	assert_int_equal(count, 8);
	assert_int_equal(items[1], 4);
	unique = count;
	array_unique(items, unique, compare_numbers);
	assert_int_equal(unique, 6);
	assert_int_equal(items[0], 2);
	assert_int_equal(items[5], 9);
	assert_int_equal(sort_unique(items, 0, sizeof(*items), compare_numbers), 0);
	for (size_t i = 0; i < unique; i++) {
		lower_to(least, items[i]);
		raise_to(most, items[i]);
	}
	assert_int_equal(least, 2);
	assert_int_equal(most, 9);
}

/* The limit of a variable may be of a wider type, and no part of the limit is dropped. */
static void test_wide_limits(void **state)
{
	uint32_t size = 5;

	(void)state;
	lower_to(size, UINT64_C(1) << 32);
	assert_int_equal(size, 5);
	lower_to(size, 4);
	assert_int_equal(size, 4);
	raise_to(size, 1);
	assert_int_equal(size, 4);
}

/* If count * size overflows, the program must end with a message and not allocate the truncated
 * product. */
static void test_overflow_ends_the_program(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		/* volatile, so that the compiler does not see the overflow and warn */
		volatile size_t count = SIZE_MAX / 4;
		void *memory = xrealloc_array(NULL, count, 8);

		free(memory);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_false(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void test_formatted(void **state)
{
	char *text = xasprintf("%s +%d", "struct node", 8);
	char *part = xstrndup(text, 11);

	(void)state;
	assert_string_equal(text, "struct node +8");
	assert_string_equal(part, "struct node");
	free(part);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena_is_aligned_and_zeroed),
		cmocka_unit_test(test_arena_keeps_what_it_gave),
		cmocka_unit_test(test_array_grows),
		cmocka_unit_test(test_array_walks),
		cmocka_unit_test(test_array_keeps_items),
		cmocka_unit_test(test_wide_limits),
		cmocka_unit_test(test_overflow_ends_the_program),
		cmocka_unit_test(test_formatted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
