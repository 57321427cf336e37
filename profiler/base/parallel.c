// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements parallel.h: the threads take items from one atomic counter. */
#include "profiler/base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "profiler/base/memory.h"

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

void parallel_for(size_t count, unsigned int threads,
		  void (*work)(size_t item, unsigned int thread, void *data), void *data)
{
	struct parallel parallel = { .count = count, .work = work, .data = data };

	if (threads > count)
		threads = count ? (unsigned int)count : 1;
	struct parallel_thread *pool = xcalloc(threads ? threads : 1, sizeof(*pool));

	/*
	 * If a thread cannot be started, the others do its share. The caller's own thread always
	 * runs.
	 */
	for (unsigned int i = 0; i < threads; i++) {
		pool[i] = (struct parallel_thread){ .parallel = &parallel, .number = i };
		if (i)
			pool[i].started =
				pthread_create(&pool[i].handle, NULL, parallel_run, &pool[i]) == 0;
	}
	pool[0].parallel = &parallel;
	parallel_run(&pool[0]);
	for (unsigned int i = 1; i < threads; i++)
		if (pool[i].started)
			pthread_join(pool[i].handle, NULL);
	free(pool);
}
