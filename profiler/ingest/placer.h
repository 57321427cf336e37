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

struct placer_task {
	uint64_t key;   /* pid and tid */
	uint64_t first; /* times at which the answer holds, both inclusive; first > last: none */
	uint64_t last;
	uint32_t comm;
	uint32_t space;
};

struct placer_map {
	uint64_t low; /* addresses, both inclusive */
	uint64_t high;
	uint64_t first;
	uint64_t last;
	uint64_t to_file; /* what to add to an address for its place in the file; 0 where there is no file */
	uint32_t space;
	uint32_t dso; /* id + 1; 0: in no map */
};

struct placer {
	const struct timeline *timeline;
	struct placer_task tasks[PLACER_TASKS];
	struct placer_map maps[PLACER_MAPS];
};

void placer_init(struct placer *placer, const struct timeline *timeline);
const struct placer_task *placer_ask_task(struct placer *placer, struct placer_task *slot, int32_t pid,
					  int32_t tid, struct moment moment);
const struct placer_map *placer_ask_map(struct placer *placer, struct placer_map *slot, uint32_t space,
					uint64_t address, struct moment moment);

/* comm and space of a thread at a moment */
static inline const struct placer_task *placer_task(struct placer *placer, int32_t pid, int32_t tid,
						    struct moment moment)
{
	uint64_t key = (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid;
	struct placer_task *slot = &placer->tasks[(uint32_t)tid % PLACER_TASKS];

	if (slot->key == key && moment.time >= slot->first && moment.time <= slot->last)
		return slot;
	return placer_ask_task(placer, slot, pid, tid, moment);
}

/* dso and file offset of an address at a moment */
static inline const struct placer_map *placer_map(struct placer *placer, uint32_t space, uint64_t address,
						  struct moment moment)
{
	/* 64 KiB of addresses share a slot */
	struct placer_map *slot = &placer->maps[(space * 31 + (uint32_t)(address >> 16)) % PLACER_MAPS];

	if (slot->space == space && address >= slot->low && address <= slot->high &&
	    moment.time >= slot->first && moment.time <= slot->last)
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
