// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements parallel.h: the threads take items from one atomic counter. */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/memory.h"

struct parallel {
	size_t count;
	atomic_size_t next;
	void (*work)(size_t item, unsigned int thread, void *data);
	void *data;
};

struct parallel_thread {
	struct parallel *parallel;
	unsigned int number;
	pthread_t handle;
	int started;
};

unsigned int parallel_default_threads(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		return (unsigned int)CPU_COUNT(&set);
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	return online > 0 ? (unsigned int)online : 1;
}

static void *parallel_run(void *argument)
{
	struct parallel_thread *thread = argument;
	struct parallel *parallel = thread->parallel;

	for (;;) {
		size_t item = atomic_fetch_add(&parallel->next, 1);

		if (item >= parallel->count)
			return NULL;
		parallel->work(item, thread->number, parallel->data);
	}
}

/* Asks for large pages in the heap of a new thread. Those below the next multiple of their size
 * stay small, so a thread that needs little memory takes little. */
static void use_large_pages(void)
{
	void *volatile first = malloc(1); /* so that the compiler does not leave it out */
	uintptr_t start = round_up((uintptr_t)first, LARGE_PAGE);

	(void)madvise((void *)start, HEAP_STEP - LARGE_PAGE, MADV_HUGEPAGE);
	free(first);
}

static void *parallel_start(void *argument)
{
	use_large_pages();
	return parallel_run(argument);
}

void parallel_for(size_t count, unsigned int threads,
		  void (*work)(size_t item, unsigned int thread, void *data), void *data)
{
	struct parallel parallel = { .count = count, .next = 1, .work = work, .data = data };

	if (threads > count)
		threads = count ? (unsigned int)count : 1;
	_cleanup_free_ struct parallel_thread *pool = xcalloc(threads ?: 1, sizeof(*pool));

	/* If a thread cannot be started, the others do its share. The caller's own always runs. */
	for (unsigned int i = 0; i < threads; i++) {
		pool[i] = (struct parallel_thread){ .parallel = &parallel, .number = i };
		if (i)
			pool[i].started = pthread_create(&pool[i].handle, NULL, parallel_start,
							 &pool[i]) == 0;
	}
	/* the first item is the caller's, so that others begin with later ones */
	pool[0].parallel = &parallel;
	if (count)
		work(0, 0, data);
	parallel_run(&pool[0]);
	for (unsigned int i = 1; i < threads; i++)
		if (pool[i].started)
			pthread_join(pool[i].handle, NULL);
}

/* ---- pages ---- */

/* One thread clears a large page as a whole. Smaller arrays are not worth a thread. */
#define PAGES_WORTH (2 * LARGE_PAGE)

struct page_range {
	uintptr_t start, end;
};

static void get_pages(size_t item, unsigned int thread _unused_, void *data)
{
	const struct page_range *range = data;
	uintptr_t start = (range->start / LARGE_PAGE + item) * LARGE_PAGE, end = start + LARGE_PAGE;

	raise_to(start, range->start);
	lower_to(end, range->end);
	/* kernels before 5.14 refuse this, and clear a page when it is first written */
	(void)madvise((void *)start, end - start, MADV_POPULATE_WRITE);
}

void parallel_get_pages(void *memory, size_t size, unsigned int threads)
{
	const uintptr_t page = 4096; /* madvise() fails if pages are larger */
	struct page_range range = { round_up((uintptr_t)memory, page),
				    ((uintptr_t)memory + size) / page * page };

	if (threads < 2 || size < PAGES_WORTH)
		return;
	parallel_for((range.end - 1) / LARGE_PAGE - range.start / LARGE_PAGE + 1, threads,
		     get_pages, &range);
}

/* ---- maps that are read without a lock ---- */

/* A map is a table with open addressing and linear probing. A key is published, with release order,
 * after its value, so who sees it sees the value. */

#define FIRST_CAPACITY 256

struct concurrent_map_slot {
	uint64_t key; /* 0: empty */
	void *value;
};

struct concurrent_map_table {
	struct concurrent_map_table *older;
	size_t mask;
	struct concurrent_map_slot slots[];
};

void *concurrent_map_find(const struct concurrent_map *map, uint64_t key)
{
	const struct concurrent_map_table *table = __atomic_load_n(&map->table, __ATOMIC_ACQUIRE);

	if (!table)
		return NULL;
	for (size_t index = hash_mix(key) & table->mask;; index = (index + 1) & table->mask) {
		uint64_t found = __atomic_load_n(&table->slots[index].key, __ATOMIC_ACQUIRE);

		if (found == key)
			return table->slots[index].value;
		if (!found)
			return NULL;
	}
}

static void put(struct concurrent_map_table *table, uint64_t key, void *value)
{
	size_t index = hash_mix(key) & table->mask;

	while (table->slots[index].key)
		index = (index + 1) & table->mask;
	table->slots[index].value = value;
	__atomic_store_n(&table->slots[index].key, key, __ATOMIC_RELEASE);
}

static void grow(struct concurrent_map *map)
{
	struct concurrent_map_table *older = map->table;
	size_t capacity = older ? 2 * (older->mask + 1) : FIRST_CAPACITY;
	struct concurrent_map_table *table =
		xcalloc_table(1, sizeof(*table) + capacity * sizeof(struct concurrent_map_slot));

	table->older = older;
	table->mask = capacity - 1;
	for (size_t i = 0; older && i <= older->mask; i++)
		if (older->slots[i].key)
			put(table, older->slots[i].key, older->slots[i].value);
	__atomic_store_n(&map->table, table, __ATOMIC_RELEASE);
}

void concurrent_map_insert(struct concurrent_map *map, uint64_t key, void *value)
{
	/* A table is at most half full, so that a search for a missing key ends soon. */
	if (!map->table || 2 * (map->count + 1) > map->table->mask + 1)
		grow(map);
	put(map->table, key, value);
	map->count++;
}

void concurrent_map_clear(struct concurrent_map *map, void (*destroy)(void *value))
{
	for (size_t i = 0; map->table && i <= map->table->mask; i++)
		if (map->table->slots[i].key)
			destroy(map->table->slots[i].value);
	concurrent_map_deinit(map);
}

void concurrent_map_deinit(struct concurrent_map *map)
{
	struct concurrent_map_table *table = map->table;

	while (table) {
		struct concurrent_map_table *older = table->older;

		free(table);
		table = older;
	}
	*map = (struct concurrent_map){ 0 };
}
