// SPDX-License-Identifier: GPL-2.0-or-later
/* Each item is processed once, with any number of threads. */
#include "tests/support/unit.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/parallel.h"

#define ITEMS   5000
#define THREADS 8

struct work {
	atomic_uint done[ITEMS];
	atomic_uint by_thread[THREADS];
	unsigned int threads;
};

static void do_item(size_t item, unsigned int thread, void *data)
{
	struct work *work = data;

	atomic_fetch_add(&work->done[item], 1);
	if (thread < work->threads)
		atomic_fetch_add(&work->by_thread[thread], 1);
}

static void check(size_t count, unsigned int threads)
{
	static struct work work;
	unsigned int sum = 0;

	memset(&work, 0, sizeof(work));
	work.threads = threads;
	parallel_for(count, threads, do_item, &work);
	for (size_t i = 0; i < ITEMS; i++)
		assert_int_equal(work.done[i], i < count);
	for (unsigned int i = 0; i < threads; i++)
		sum += work.by_thread[i];
	/* All thread numbers were in range. */
	assert_int_equal(sum, count);
}

static void test_every_item_once(void **state)
{
	(void)state;
	for (unsigned int threads = 1; threads <= THREADS; threads++)
		check(ITEMS, threads);
}

static void test_few_items(void **state)
{
	(void)state;
	check(0, 4);
	check(1, 4);
	check(3, 4);
}

/* Pages are there before they are written, and what memory has stays as it is, also at the ends. */
static void test_pages_are_there(void **state)
{
	const size_t size = (size_t)9 << 20, page = 4096;
	const uintptr_t before = 3;
	unsigned char there[(9 << 20) / 4096 + 2];
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(memory != MAP_FAILED);
	memory[0] = 'a';
	memory[size - 1] = 'z';
	parallel_get_pages(memory + before, size - 2 * before, 4);
	assert_int_equal(memory[0], 'a');
	assert_int_equal(memory[size - 1], 'z');
	assert_int_equal(mincore(memory, size, there), 0);
	/* kernels before 5.14 do not get them */
	for (size_t i = 2; (there[1] & 1) && i < size / page; i++)
		assert_true(there[i] & 1);
	parallel_get_pages(NULL, 0, 4);
	munmap(memory, size);
}

static void test_there_is_a_processor(void **state)
{
	(void)state;
	assert_true(parallel_default_threads() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_item_once),
		cmocka_unit_test(test_few_items),
		cmocka_unit_test(test_pages_are_there),
		cmocka_unit_test(test_there_is_a_processor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
