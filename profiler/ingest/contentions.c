// SPDX-License-Identifier: GPL-2.0-or-later
/* Times of waits for locks: see contentions.h. */
#include "profiler/ingest/contentions.h"

#include "base/memory.h"
#include "profiler/ingest/session.h"

/* Returns the thread, the lock and the time of a sample of one of the events; of lock 0: it has
 * none. */
static struct contention_event contention_of(const struct contentions *contentions,
					     const struct sample *sample, bool swap)
{
	struct contention_event item = {
		/* idle threads of processors have one number */
		.thread = sample->tid ? (uint32_t)sample->tid
				      : UINT64_C(1) << 32 | (uint32_t)(sample->cpu + 1),
		.time = sample->time,
		.position = sample->position,
		.begin = sample->event == contentions->begin,
	};
	const struct event *event = sample->event;
	const struct tracepoint_field *field = array_find(
		i, event->fields, event->field_count, !strcmp(event->fields[i].name, "lock_addr"));

	if (!field ||
	    !tracepoint_field_number(field, sample->raw.data, sample->raw.size, swap, &item.lock))
		item.lock = 0;
	return item;
}

void contentions_add(struct contentions *contentions, const struct sample *sample, bool swap)
{
	if (sample->event == contentions->begin || sample->event == contentions->end)
		array_add(contentions->items, contentions->count, contentions->capacity) =
			contention_of(contentions, sample, swap);
}

/* Events of one thread at one time are in the order of the file. */
COMPARISON(compare_contentions, struct contention_event,
	   ASCENDING(thread) ASCENDING(lock) ASCENDING(time) ASCENDING(position))

bool contentions_init(struct contentions *contentions, const struct event *events, size_t count)
{
	*contentions = (struct contentions){
		.begin = array_find(i, events, count, !strcmp(events[i].name, EVENT_BEGIN)),
		.end = array_find(i, events, count, !strcmp(events[i].name, EVENT_END)),
	};
	return contentions->begin && contentions->end;
}

void contentions_sort(struct contentions *contentions)
{
	array_sort(contentions->items, contentions->count, compare_contentions);
}

void contentions_deinit(struct contentions *contentions)
{
	free(contentions->items);
	*contentions = (struct contentions){ 0 };
}

static bool is_same(const struct contention_event *a, const struct contention_event *b)
{
	return a->thread == b->thread && a->lock == b->lock;
}

bool contentions_take(const struct contentions *contentions, struct sample *sample, bool swap)
{
	const struct contention_event *items = contentions->items;
	size_t count = contentions->count, at;

	if (!count || (sample->event != contentions->begin && sample->event != contentions->end))
		return true;
	struct contention_event own = contention_of(contentions, sample, swap);

	if (!own.begin || !own.lock)
		return false;
	at = partition_point(0, count, i, compare_contentions(&items[i], &own) < 0);
	/* a mutex has a second begin when it stops to spin: the first one counts */
	if (at && items[at - 1].begin && is_same(&items[at - 1], &own))
		return false;
	while (at < count && items[at].begin && is_same(&items[at], &own))
		at++;
	if (at == count || !is_same(&items[at], &own))
		return false;
	sample->period = items[at].time - own.time;
	return true;
}
