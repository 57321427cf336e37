/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of all processes at each moment: names, maps, parents.
 *
 * It is built once from all records that change the state, in the order of time, and does not
 * change afterwards, so several threads may ask at once. An answer tells for which time it holds,
 * so that callers can keep it.
 *
 * As in perf, a thread's name belongs to its tid, and its maps to its process (the thread whose tid
 * is the pid). A thread that was never named is ":TID". The first name of a thread holds from its
 * start. Name and maps outlast the exit, until the number is given to a new thread. Unlike in perf,
 * exec drops the earlier maps.
 */
#pragma once

#include "base/hash.h"
#include "profiler/ingest/format.h"
#include "profiler/objects/dso.h"

/* ---- the maps of a process ---- */

/*
 * An address space finds the map that an address was in at a moment.
 *
 * perf records no unmaps, so a map holds until a newer one covers it: the map of an address at a
 * moment is the newest that covers it and is not younger than the moment. An address space keeps
 * its maps in a segment tree over the addresses where maps begin and end. Each node lists, by age,
 * the maps that cover all of it. A lookup climbs from a leaf to the root: O(log n) nodes with a
 * binary search in each.
 *
 * A forked process shares the maps that its parent had at the fork: its own maps are searched
 * first, then the parent's. Such chains are at most ADDRESS_SPACE_DEPTH_MAX long.
 */

/* Processes that fork in turn without calling exec; a daemon does so a few times. */
#define ADDRESS_SPACE_DEPTH_MAX 64

/* The time of a record; records with equal times are ordered by position. */
struct moment {
	uint64_t time, position;
};

#define MOMENT_FIRST ((struct moment){ 0, 0 })
#define MOMENT_NEVER ((struct moment){ UINT64_MAX, UINT64_MAX })

static inline bool moment_before(struct moment a, struct moment b)
{
	return a.time != b.time ? a.time < b.time : a.position < b.position;
}

struct map {
	struct moment since;
	uint64_t start;
	uint64_t last;        /* inclusive */
	uint64_t file_offset; /* of start */
	uint64_t inode;       /* of the file; 0: not recorded */
	uint64_t device;      /* with the inode: its device, and how often the number was given */
	uint64_t generation;
	uint32_t protection; /* PROT_READ ..., as far as recorded */
	uint32_t flags;      /* MAP_SHARED ... */
	struct dso *dso;     /* NULL: nothing is here any more (an unloaded BPF program) */
};

#define MAP_NONE   UINT32_MAX
#define SPACE_NONE UINT32_MAX

struct address_space {
	uint32_t parent; /* SPACE_NONE: none */
	uint32_t depth;
	struct moment limit; /* younger maps of the parent do not belong to this space */
	uint32_t *maps;      /* indices in the array of all maps, oldest first */
	uint32_t map_count;
	uint32_t map_capacity;
	/* The tree, after address_space_index(): */
	uint64_t *edges; /* sorted: interval i is [edges[i], edges[i + 1]) */
	uint32_t edge_count;
	uint32_t leaves; /* a power of two; node 1 is the root, leaf i is node leaves + i */
	size_t *lists;   /* node n has entries[lists[n]] to entries[lists[n + 1] - 1] */
	uint32_t *entries;
};

/* An answer, for addresses from `first` to `last`, from `since` until before `until`. */
struct map_view {
	uint32_t map; /* MAP_NONE: none */
	uint64_t first;
	uint64_t last; /* inclusive */
	struct moment since;
	struct moment until;
};

/* Builds the tree of `maps`, all maps. Call it once, when the space has all of its own. */
void address_space_index(struct address_space *space, const struct map *maps);
/* Sets *view to the map of an address in a space at a moment, after indexing. Thread-safe. */
void address_space_find(const struct address_space *spaces, uint32_t space, const struct map *maps,
			uint64_t address, struct moment moment, struct map_view *view);
/* Frees the arrays, but not the maps that they refer to. */
void address_space_deinit(struct address_space *space);

/* ---- the state of all processes ---- */

/* A record that changes the state of processes. */
struct state_record {
	struct moment moment;
	const uint8_t *data; /* including its header */
	uint32_t size;       /* checked against the file */
};

#define COMM_NONE UINT32_MAX /* no name was recorded: ":TID" */

/* The answer for a thread. It holds from `since` until before `until`. */
struct task_view {
	uint32_t comm;  /* COMM_NONE: it was never named */
	uint32_t space; /* SPACE_NONE: no maps */
	int32_t pid;    /* of its process; that which was asked for if it is not known */
	struct moment since;
	struct moment until;
};

/* The names of threads, numbered. Zero-initialized is empty. */
struct comm_table {
	struct string_pool pool;
	const char **names; /* indexed by comm id */
	size_t count;
	size_t capacity;
	struct hash_map by_name; /* address of the pooled name -> id */
};

/* Returns the id of a name; adds the name if it is new. */
uint32_t comm_table_get(struct comm_table *comms, const char *name);

struct timeline {
	struct map *maps; /* oldest first */
	size_t map_count;
	size_t map_capacity;
	struct address_space *spaces;
	size_t space_count, space_capacity;
	struct task *tasks;
	size_t task_count, task_capacity;
	struct hash_map task_by_tid;
	struct comm_table comms;
	struct dso_table dsos;
	uint32_t kernel_space;  /* the kernel's maps; its parent is ksymbol_space */
	uint32_t ksymbol_space; /* code that the kernel announced (PERF_RECORD_KSYMBOL) */
	uint32_t module_space;  /* modules whose maps were not recorded */
	uint32_t guest_kernel_space;
	size_t cut_forks; /* forks so deep that the maps of the first ancestors were left out */
	bool outside;     /* there are maps of processes without numbers: timeline_take_outside() */
	size_t bad_records; /* records too short for their type */
	uint64_t first_bad; /* position of the first one */
};

void timeline_init(struct timeline *timeline);
/* Sorts `records` by time and applies them. The timeline does not change afterwards. */
void timeline_build(struct timeline *timeline, struct state_record *records, size_t count,
		    bool swap);
/* Adds a module that was there unless records say otherwise, before timeline_build(). */
void timeline_add_module(struct timeline *timeline, const char *name, uint64_t start,
			 uint64_t length);
/* Frees everything, the DSOs and their files included. */
void timeline_deinit(struct timeline *timeline);

/* Sets *view to the name and the address space of a thread at a moment. */
void timeline_task(const struct timeline *timeline, int32_t pid, int32_t tid, struct moment moment,
		   struct task_view *view);
static inline void timeline_map(const struct timeline *timeline, uint32_t space, uint64_t address,
				struct moment moment, struct map_view *view)
{
	address_space_find(timeline->spaces, space, timeline->maps, address, moment, view);
}

/* Returns the offset in the file of an address in a map; for a module, its distance from the load
 * address; for the kernel, and without a file, the address itself. */
uint64_t map_file_offset(const struct map *map, uint64_t address);

/* ---- placers ---- */

/*
 * One counting thread's cache of the timeline's answers, each kept as long as it holds.
 *
 * Samples of one place come in runs (the same process on the same processor), so nearly all
 * questions are answered by comparing three numbers.
 */

#define PLACER_TASKS 64  /* slots, by tid */
#define PLACER_MAPS  256 /* slots, by address space and address */

/* A range of values from `first` to `first + span`, both inclusive. */
struct placer_range {
	uint64_t first, span;
};

static inline bool placer_range_holds(const struct placer_range *range, uint64_t value)
{
	return value - range->first <= range->span;
}

/* A thread as in a sample: the pid in the lower half. */
#define PLACER_TASK(pid, tid) ((uint64_t)(uint32_t)(tid) << 32 | (uint32_t)(pid))

struct placer_task {
	uint64_t task; /* PLACER_NO_TASK(index): the slot is empty */
	struct placer_range times;
	uint32_t comm, space;
};

/* A task that is never looked up in the slot, because its tid belongs to another slot. */
#define PLACER_NO_TASK(index) (~((uint64_t)(index) << 32))

struct placer_map {
	uint64_t space; /* PLACER_NO_SPACE: the slot is empty */
	struct placer_range addresses;
	struct placer_range times;
	uint64_t to_file; /* difference between file offset and address; 0: no file */
	uint64_t dso;     /* id + 1; 0: in no map */
	uint32_t map;     /* index in the timeline's maps, or MAP_NONE */
	/* With memory that no file is mapped to: the file's map before it. It may be .bss of that
	 * file, which is beyond the file's last page. Else MAP_NONE. */
	uint32_t file_before;
	bool is_shared; /* MAP_SHARED data without a file, which several processes may share */
};

#define PLACER_NO_SPACE UINT64_MAX /* spaces are numbers of 32 bits */

struct placer {
	const struct timeline *timeline;
	/* By cpumode; for user space the thread's own is used instead. */
	uint32_t spaces[PERF_RECORD_MISC_CPUMODE_MASK + 1];
	struct placer_task tasks[PLACER_TASKS];
	struct placer_map maps[PLACER_MAPS];
};

void placer_init(struct placer *placer, const struct timeline *timeline);
/* Asks the timeline, and keeps the answer: for placer_task() and placer_map() alone. */
const struct placer_task *placer_ask_task(struct placer *placer, struct placer_task *slot,
					  uint64_t task, struct moment moment);
const struct placer_map *placer_ask_map(struct placer *placer, struct placer_map *slot,
					uint32_t space, uint64_t address, struct moment moment);

/* Returns comm and address space of a thread at a moment. */
static inline const struct placer_task *placer_task(struct placer *placer, uint64_t task,
						    struct moment moment)
{
	struct placer_task *slot = &placer->tasks[(task >> 32) % PLACER_TASKS];

	if (slot->task == task && placer_range_holds(&slot->times, moment.time))
		return slot;
	return placer_ask_task(placer, slot, task, moment);
}

/* Returns DSO and file offset of an address at a moment. */
static inline const struct placer_map *placer_map(struct placer *placer, uint32_t space,
						  uint64_t address, struct moment moment)
{
	/* 64 KiB of addresses share a slot */
	struct placer_map *slot =
		&placer->maps[(space * 31 + (uint32_t)(address >> 16)) % PLACER_MAPS];

	if (slot->space == space && placer_range_holds(&slot->addresses, address) &&
	    placer_range_holds(&slot->times, moment.time))
		return slot;
	return placer_ask_map(placer, slot, space, address, moment);
}

/* Returns the level of a record by its misc field: 'k', '.', 'g', 'u' or 'H', as in perf. */
static inline char placer_level(uint16_t misc)
{
	return "Hk.HguHH"[misc & PERF_RECORD_MISC_CPUMODE_MASK];
}

/* Returns the address space of an address at this level. `task_space` is the thread's own. */
static inline uint32_t placer_space(const struct timeline *timeline, char level,
				    uint32_t task_space)
{
	switch (level) {
	case '.': return task_space;
	case 'k': return timeline->kernel_space;
	case 'g': return timeline->guest_kernel_space;
	default: return SPACE_NONE;
	}
}
