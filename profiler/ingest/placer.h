/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread's way into the timeline: remembers what it was told last, for as long as the answers hold.
 *
 * Samples of one place come in runs (the same process on the same processor), so that nearly all questions
 * are answered by comparing three numbers.
 */
#ifndef DTPROF_INGEST_PLACER_H
#define DTPROF_INGEST_PLACER_H

#include "profiler/ingest/format.h"
#include "profiler/ingest/timeline.h"

#define PLACER_TASKS 64
#define PLACER_MAPS  256

/* What an answer is good for: `first` to `first + span`, both inclusive. */
struct placer_range {
	uint64_t first;
	uint64_t span;
};

static inline bool placer_range_holds(const struct placer_range *range, uint64_t value)
{
	return value - range->first <= range->span;
}

/* A thread, as samples have it: pid in the lower half. */
#define PLACER_TASK(pid, tid) ((uint64_t)(uint32_t)(tid) << 32 | (uint32_t)(pid))

struct placer_task {
	uint64_t task; /* PLACER_NO_TASK(index) where nothing is remembered */
	struct placer_range times;
	uint32_t comm;
	uint32_t space;
};

/* One that is never looked for in the slot: its tid belongs to another one. */
#define PLACER_NO_TASK(index) (~((uint64_t)(index) << 32))

struct placer_map {
	uint64_t space; /* PLACER_NO_SPACE where nothing is remembered */
	struct placer_range addresses;
	struct placer_range times;
	uint64_t to_file; /* what to add to an address for its place in the file; 0 where there is no file */
	uint64_t dso;     /* id + 1; 0: in no map */
	bool is_shared;   /* data that several processes may have, of no file: MAP_SHARED */
};

#define PLACER_NO_SPACE UINT64_MAX /* spaces are numbers of 32 bits */

struct placer {
	const struct timeline *timeline;
	uint32_t spaces[PERF_RECORD_MISC_CPUMODE_MASK + 1]; /* by cpumode; of user space: the thread's own */
	struct placer_task tasks[PLACER_TASKS];
	struct placer_map maps[PLACER_MAPS];
};

void placer_init(struct placer *placer, const struct timeline *timeline);
const struct placer_task *placer_ask_task(struct placer *placer, struct placer_task *slot, uint64_t task,
					  struct moment moment);
const struct placer_map *placer_ask_map(struct placer *placer, struct placer_map *slot, uint32_t space,
					uint64_t address, struct moment moment);

/* comm and space of a thread at a moment */
static inline const struct placer_task *placer_task(struct placer *placer, uint64_t task,
						    struct moment moment)
{
	struct placer_task *slot = &placer->tasks[(task >> 32) % PLACER_TASKS];

	if (slot->task == task && placer_range_holds(&slot->times, moment.time))
		return slot;
	return placer_ask_task(placer, slot, task, moment);
}

/* dso and file offset of an address at a moment */
static inline const struct placer_map *placer_map(struct placer *placer, uint32_t space, uint64_t address,
						  struct moment moment)
{
	/* 64 KiB of addresses share a slot */
	struct placer_map *slot = &placer->maps[(space * 31 + (uint32_t)(address >> 16)) % PLACER_MAPS];

	if (slot->space == space && placer_range_holds(&slot->addresses, address) &&
	    placer_range_holds(&slot->times, moment.time))
		return slot;
	return placer_ask_map(placer, slot, space, address, moment);
}

/* 'k', '.', 'g', 'u' or 'H', as perf calls the levels, of a record's misc field */
static inline char placer_level(uint16_t misc)
{
	return "Hk.HguHH"[misc & PERF_RECORD_MISC_CPUMODE_MASK];
}

/* The space in which an address at this level lies; `task_space` is the thread's own. */
static inline uint32_t placer_space(const struct timeline *timeline, char level, uint32_t task_space)
{
	switch (level) {
	case '.': return task_space;
	case 'k': return timeline->kernel_space;
	case 'g': return timeline->guest_kernel_space;
	default: return SPACE_NONE;
	}
}

#endif
