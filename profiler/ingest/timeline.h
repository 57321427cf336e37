/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the processes were at each moment: names, maps, who was forked from whom.
 *
 * Built once from all records that change such things, in the order of time; immutable afterwards, so that
 * all threads may ask it at once. Answers come with what they are good for, so that callers can keep them.
 *
 * As in perf: a thread's name is by its tid; its maps are those of its process (the thread whose tid is the
 * pid); a thread that was never named is ":TID"; the first name that a thread gets holds from its beginning;
 * name and maps outlast the exit, until the number is given to a new thread. Unlike in perf, exec
 * drops the maps from before.
 */
#ifndef DTPROF_INGEST_TIMELINE_H
#define DTPROF_INGEST_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/hash.h"
#include "profiler/ingest/address_space.h"
#include "profiler/ingest/format.h"
#include "profiler/objects/dso_table.h"

/* A record that changes state: where it stands, and when. */
struct state_record {
	struct moment moment;
	const uint8_t *data; /* with its header */
	uint32_t size;       /* checked */
};

#define COMM_NONE UINT32_MAX /* no name was recorded: ":TID" */

struct task_view {
	uint32_t comm;
	uint32_t space; /* SPACE_NONE: no maps */
	struct moment since;
	struct moment until;
};

/* A thread's cgroup namespace from a moment on, which its records of namespaces say; 0 and 0: not recorded.
 */
struct cgroup_namespace {
	struct moment since;
	uint64_t device;
	uint64_t inode;
};

struct comm_table {
	struct string_pool pool;
	const char **names; /* by id */
	size_t count;
	size_t capacity;
	struct hash_map by_name; /* address of the pooled name -> id */
};

uint32_t comm_table_get(struct comm_table *comms, const char *name);

struct timeline {
	struct map *maps; /* oldest first */
	size_t map_count;
	size_t map_capacity;
	struct address_space *spaces;
	size_t space_count;
	size_t space_capacity;
	struct task *tasks;
	size_t task_count;
	size_t task_capacity;
	struct hash_map task_by_tid;
	struct comm_table comms;
	struct dso_table dsos;
	uint32_t kernel_space; /* the kernel's maps, then the code that it announced (PERF_RECORD_KSYMBOL) */
	uint32_t ksymbol_space;
	uint32_t module_space; /* of modules whose maps were not recorded */
	uint32_t guest_kernel_space;
	size_t cut_forks;   /* forks so deep that the maps of their first ancestors were left out */
	size_t bad_records; /* too short for their type */
	uint64_t first_bad; /* position of the first */
};

void timeline_init(struct timeline *timeline);
/* Sorts `records` by time and takes them in. */
void timeline_build(struct timeline *timeline, struct state_record *records, size_t count, bool swap);
/* A module that lay there all the time, unless the records say something else. Before timeline_build(). */
void timeline_add_module(struct timeline *timeline, const char *name, uint64_t start, uint64_t length);
void timeline_deinit(struct timeline *timeline);

void timeline_task(const struct timeline *timeline, int32_t pid, int32_t tid, struct moment moment,
		   struct task_view *view);
/* The cgroup namespace that a thread is in; `since` of it is not told. */
struct cgroup_namespace timeline_cgroup_namespace(const struct timeline *timeline, int32_t tid,
						  struct moment moment);
static inline void timeline_map(const struct timeline *timeline, uint32_t space, uint64_t address,
				struct moment moment, struct map_view *view)
{
	address_space_find(timeline->spaces, space, timeline->maps, address, moment, view);
}

/* Offset in the file that an address in the map is, in a module its distance from where that was loaded; the
 * address itself where there is no file, and in the kernel. */
uint64_t map_file_offset(const struct map *map, uint64_t address);

/* ---- threads at a time ---- */

/*
 * How many threads of the recording ran at a moment, from its context switches (attr.context_switch,
 * perf_event_open(2)).
 *
 * As in perf: one runs at the begin, one more after each switch in, one less after each switch out and each
 * exit, which no switch precedes; never less than one, nor more than there are processors.
 */

struct parallelism_step {
	struct moment moment;
	int64_t running; /* the change; after parallelism_build() how many from then on */
};

struct parallelism {
	struct parallelism_step *steps;
	size_t count, capacity;
	bool has_switches;
	uint32_t processors; /* 0: not known */
};

/* A switch in (1), or a switch out or exit (-1). */
void parallelism_add(struct parallelism *parallelism, struct moment moment, int change, bool is_switch);
/* After the last of them. */
void parallelism_build(struct parallelism *parallelism, uint32_t processors);
/* From 1 on; 1 where there are no switches. */
uint32_t parallelism_at(const struct parallelism *parallelism, struct moment moment);
void parallelism_deinit(struct parallelism *parallelism);

/* ---- one thread's way ---- */

/*
 * One thread's way into the timeline: remembers what it was told last, for as long as the answers hold.
 *
 * Samples of one place come in runs (the same process on the same processor), so that nearly all questions
 * are answered by comparing three numbers.
 */

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
