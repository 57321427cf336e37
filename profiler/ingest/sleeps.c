// SPDX-License-Identifier: GPL-2.0-or-later
/* Sleeps of threads: see sleeps.h. */
#include "profiler/ingest/sleeps.h"

#include "base/memory.h"

static void sleeps_take(const struct session_switch *item, void *data)
{
	struct sleeps *sleeps = data;

	array_add(sleeps->items, sleeps->count, sleeps->capacity) = *item;
	raise_to(sleeps->last, item->time);
}

/* A thread that stops when it goes on went on first. */
COMPARISON(sleeps_compare, struct session_switch, ASCENDING(tid) ASCENDING(time) DESCENDING(out))

void sleeps_read(const struct session *session, struct sleeps *sleeps)
{
	*sleeps = (struct sleeps){ 0 };
	session_each_switch(session, sleeps_take, sleeps);
	array_sort(sleeps->items, sleeps->count, sleeps_compare);
}

void sleeps_deinit(struct sleeps *sleeps)
{
	free(sleeps->items);
	*sleeps = (struct sleeps){ 0 };
}

/* Returns the number of the thread's first switch that is not before `time`, or of what follows. */
static size_t first_from(const struct sleeps *sleeps, int32_t tid, uint64_t time)
{
	const struct session_switch *items = sleeps->items;

	return partition_point(0, sleeps->count, i,
			       items[i].tid < tid || (items[i].tid == tid && items[i].time < time));
}

bool sleeps_has(const struct sleeps *sleeps, int32_t tid, uint64_t time)
{
	size_t next = first_from(sleeps, tid, time);
	const struct session_switch *last = next ? &sleeps->items[next - 1] : NULL;

	return last && last->tid == tid && (last->ended || (last->out && !last->preempted));
}

bool sleeps_find(const struct sleeps *sleeps, int32_t tid, uint64_t time, uint64_t *end)
{
	size_t low = first_from(sleeps, tid, time), next = low;

	*end = 0;
	if (next < sleeps->count && sleeps->items[next].tid == tid) {
		if (sleeps->items[next].out && sleeps->items[next].preempted)
			return false;
		next += sleeps->items[next].out;
	}
	if (next < sleeps->count && sleeps->items[next].tid == tid)
		*end = sleeps->items[next].time;
	/* a thread that ends may still be switched to a few times */
	for (size_t back = low; !*end && back && sleeps->items[back - 1].tid == tid; back--)
		if (sleeps->items[back - 1].ended)
			return false;
	return true;
}
