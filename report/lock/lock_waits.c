// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits from the events of contention: see lock_waits.h. */
#include "report/lock/lock_waits.h"

#include "base/memory.h"
#include "base/text.h"

/* ---- kinds ---- */

/* As perf lock contention prints them. */
static const struct lock_kind {
	uint32_t flags;
	const char *name;
	const char *plain;
} lock_kinds[] = {
	{ 0, "semaphore", "semaphore" },
	{ LOCK_SPIN, "spinlock", "spinlock" },
	{ LOCK_SPIN | LOCK_READ, "rwlock:R", "rwlock" },
	{ LOCK_SPIN | LOCK_WRITE, "rwlock:W", "rwlock" },
	{ LOCK_READ, "rwsem:R", "rwsem" },
	{ LOCK_WRITE, "rwsem:W", "rwsem" },
	{ LOCK_REALTIME, "rt-mutex", "rt-mutex" },
	{ LOCK_REALTIME | LOCK_READ, "rwlock-rt:R", "rwlock-rt" },
	{ LOCK_REALTIME | LOCK_WRITE, "rwlock-rt:W", "rwlock-rt" },
	{ LOCK_PER_CPU | LOCK_READ, "pcpu-sem:R", "percpu-rwsem" },
	{ LOCK_PER_CPU | LOCK_WRITE, "pcpu-sem:W", "percpu-rwsem" },
	{ LOCK_MUTEX, "mutex", "mutex" },
	{ LOCK_MUTEX | LOCK_SPIN, "mutex", "mutex" },
	{ LOCK_USER | LOCK_USER_MUTEX, "mutex", "mutex" },
	{ LOCK_USER | LOCK_USER_READ, "rwlock:R", "rwlock" },
	{ LOCK_USER | LOCK_USER_WRITE, "rwlock:W", "rwlock" },
	{ LOCK_USER | LOCK_USER_CONDITION, "condition", "condition" },
	{ LOCK_USER | LOCK_USER_SEMAPHORE, "semaphore", "semaphore" },
	{ LOCK_USER | LOCK_USER_BARRIER, "barrier", "barrier" },
	{ LOCK_USER | LOCK_USER_OTHER, "other", "other" },
};

static const struct lock_kind *find_kind(uint32_t flags)
{
	return array_find(i, lock_kinds, COUNT_OF(lock_kinds),
			  lock_kinds[i].flags == (flags & LOCK_FLAGS_ALL));
}

const char *lock_kind_name(uint32_t flags, bool direction)
{
	const struct lock_kind *kind = find_kind(flags);

	return !kind ? "unknown" : direction ? kind->name : kind->plain;
}

bool lock_kinds_parse(const char *list, uint64_t *kinds, const char **bad)
{
	*kinds = 0;
	while (*list) {
		size_t length = strcspn(list, ",");
		uint64_t found = 0;

		for (size_t i = 0; i < COUNT_OF(lock_kinds); i++)
			if (text_is(list, length, lock_kinds[i].name) ||
			    text_is(list, length, lock_kinds[i].plain))
				found |= UINT64_C(1) << i;
		*bad = list;
		if (!found)
			return false;
		*kinds |= found;
		list += length + (list[length] == ',');
	}
	return true;
}

bool lock_kind_is_in(uint32_t flags, uint64_t kinds)
{
	const struct lock_kind *kind = find_kind(flags);

	return kind && kinds >> (kind - lock_kinds) & 1;
}

/* ---- sums ---- */

void lock_sums_add(struct lock_sums *sums, const struct lock_sums *more)
{
	if (more->acquired && (!sums->acquired || more->least < sums->least))
		sums->least = more->least;
	if (more->most > sums->most)
		sums->most = more->most;
	sums->contended += more->contended;
	sums->acquired += more->acquired;
	sums->total += more->total;
}

/* ---- waits ---- */

struct lock_begun {
	uint64_t lock, thread, time;
	size_t wait;  /* index in `items` */
	bool waiting; /* it has not ended */
};

/* When a thread that waited for a lock got it. */
struct lock_tenure {
	uint64_t time;
	size_t wait; /* index in `items` + 1; 0: not known */
};

/* Hashes of different keys may be equal, so the next one is tried until the entry has the key. */
static struct lock_begun *find_begun(struct lock_waits *waits, uint64_t lock, uint64_t thread)
{
	uint64_t hash = hash_combine(hash_combine(0, lock), thread);

	for (;; hash++) {
		bool created;
		uint32_t *index = hash_map_insert(&waits->begun_of, hash, &created);

		if (created) {
			array_reserve(waits->begun, waits->begun_count, waits->begun_capacity);
			*index = (uint32_t)waits->begun_count++;
			waits->begun[*index] =
				(struct lock_begun){ .lock = lock, .thread = thread };
		}
		if (waits->begun[*index].lock == lock && waits->begun[*index].thread == thread)
			return &waits->begun[*index];
	}
}

static bool is_of(const struct lock_wait *wait, const struct lock_event *event)
{
	return wait->lock == event->lock && wait->chain == event->chain &&
	       wait->flags == event->flags && wait->tid == event->tid && wait->pid == event->pid;
}

/* Adds a wait of so many ns that has ended. */
static void add_wait_time(struct lock_sums *sums, uint64_t time)
{
	lock_sums_add(sums, &(struct lock_sums){
				    .acquired = 1, .total = time, .most = time, .least = time });
}

static size_t find_wait(struct lock_waits *waits, const struct lock_event *event)
{
	uint64_t hash = hash_combine(hash_combine(hash_combine(0, event->lock), event->chain),
				     (uint64_t)(uint32_t)event->tid << 32 | event->flags);

	for (;; hash++) {
		bool created;
		uint32_t *index = hash_map_insert(&waits->wait_of, hash, &created);

		if (created) {
			array_reserve(waits->items, waits->count, waits->capacity);
			*index = (uint32_t)waits->count++;
			waits->items[*index] = (struct lock_wait){ .lock = event->lock,
								   .chain = event->chain,
								   .flags = event->flags,
								   .pid = event->pid,
								   .tid = event->tid,
								   .comm = event->comm };
		}
		if (is_of(&waits->items[*index], event))
			return *index;
	}
}

/* Takes the end of a wait: the last thread that waited for the lock does not have it any more. */
static void change_tenure(struct lock_waits *waits, const struct lock_event *event,
			  const struct lock_begun *begun)
{
	bool created;
	uint32_t *index = hash_map_insert(&waits->tenure_of, event->lock, &created);

	if (created) {
		array_reserve(waits->tenures, waits->tenure_count, waits->tenure_capacity);
		waits->tenures[waits->tenure_count] = (struct lock_tenure){ 0 };
		*index = (uint32_t)waits->tenure_count++;
	}
	struct lock_tenure *tenure = &waits->tenures[*index];
	uint64_t since = tenure->time > begun->time ? tenure->time : begun->time;
	uint32_t flags = waits->items[begun->wait].flags;

	if (tenure->wait && event->time > since)
		add_wait_time(&waits->items[tenure->wait - 1].held, event->time - since);
	tenure->time = event->time;
	tenure->wait = flags & LOCK_READ || !flags ? 0 : begun->wait + 1;
}

/* Returns a number of the thread that no other has. */
static uint64_t lock_waits_thread(const struct lock_event *event)
{
	return event->tid ? (uint32_t)event->tid : UINT64_C(1) << 32 | (uint32_t)(event->cpu + 1);
}

static void lose_end(struct lock_waits *waits, struct lock_begun *begun)
{
	begun->waiting = false;
	waits->lost++;
	waits->open--;
}

/* Takes the begin of a wait: a thread that begins to sleep for a lock sleeps for no other one.
 * Waits of percpu-rwsem and rt-mutex have such waits inside (percpu_down_write() waits for RCU). */
static void lock_waits_sleep(struct lock_waits *waits, const struct lock_event *event, size_t begun)
{
	uint32_t *sleeps;
	bool created;

	if (event->flags & (LOCK_PER_CPU | LOCK_REALTIME) ||
	    (event->flags & LOCK_SPIN && !(event->flags & LOCK_MUTEX)))
		return;
	sleeps = hash_map_insert(&waits->sleeps_of, lock_waits_thread(event), &created);
	if (!created && *sleeps != begun && waits->begun[*sleeps].waiting)
		lose_end(waits, &waits->begun[*sleeps]);
	*sleeps = (uint32_t)begun;
}

void lock_waits_add(struct lock_waits *waits, const struct lock_event *event)
{
	struct lock_begun *begun = find_begun(waits, event->lock, lock_waits_thread(event));

	waits->events++;
	if (event->begin) {
		if (begun->waiting) {
			/* a mutex has a second begin when it stops to spin: the first one counts */
			if (event->flags == LOCK_MUTEX &&
			    waits->items[begun->wait].flags == (LOCK_MUTEX | LOCK_SPIN))
				return;
			lose_end(waits, begun); /* it waits for one lock once at a time */
		}
		lock_waits_sleep(waits, event, (size_t)(begun - waits->begun));
		begun->wait = find_wait(waits, event);
		begun->waiting = true;
		begun->time = event->time;
		waits->items[begun->wait].sums.contended++;
		waits->open++;
		return;
	}
	if (!begun->waiting) {
		waits->unbegun++;
		return;
	}
	uint64_t time = event->time > begun->time ? event->time - begun->time : 0;

	add_wait_time(&waits->items[begun->wait].sums, time);
	if (!event->failed)
		change_tenure(waits, event, begun);
	begun->waiting = false;
	waits->open--;
}

void lock_waits_add_whole(struct lock_waits *waits, const struct lock_event *event,
			  const struct lock_call *call, uint64_t end)
{
	size_t index = find_wait(waits, event); /* may move the items */
	struct lock_wait *wait = &waits->items[index];

	waits->events++;
	wait->call = *call;
	wait->sums.contended++;
	if (end)
		add_wait_time(&wait->sums, end > event->time ? end - event->time : 0);
	else
		waits->open++;
}

void lock_waits_deinit(struct lock_waits *waits)
{
	free_all(waits->items, waits->begun, waits->tenures);
	hash_map_deinit(&waits->tenure_of);
	hash_map_deinit(&waits->wait_of);
	hash_map_deinit(&waits->begun_of);
	hash_map_deinit(&waits->sleeps_of);
}
