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

#include "profiler/base/hash.h"
#include "profiler/ingest/address_space.h"
#include "profiler/ingest/dso_table.h"

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

#endif
