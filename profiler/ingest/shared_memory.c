// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements shared_memory.h. */
#include "profiler/ingest/shared_memory.h"

#include <sys/mman.h>

#include "base/memory.h"
#include "base/text.h"
#include "profiler/ingest/session_private.h"

struct shared_memory_finder {
	const struct timeline *timeline;
	struct placer placer;
};

struct shared_memory_finder *shared_memory_finder_create(const struct session *session)
{
	struct shared_memory_finder *finder = xcalloc(1, sizeof(*finder));

	finder->timeline = &session->timeline;
	placer_init(&finder->placer, finder->timeline);
	return finder;
}

void shared_memory_finder_destroy(struct shared_memory_finder *finder)
{
	free(finder);
}

/* Returns whether an inode and an offset are one memory. Those of devices are not: what a driver
 * maps depends on the open file, and the files of epoll, perf_event_open() and the like have one
 * inode for all of them. /dev/zero stands for memory without a file, and /dev/shm and
 * /dev/hugepages are file systems. */
static bool inode_is_memory(const char *name)
{
	return !starts_with(name, "anon_inode:") &&
	       (!starts_with(name, "/dev/") || starts_with(name, "/dev/zero") ||
		starts_with(name, "/dev/shm/") || starts_with(name, "/dev/hugepages/"));
}

bool shared_memory_find(struct shared_memory_finder *finder, uint64_t task, uint64_t time,
			uint64_t address, struct shared_place *place)
{
	/* the records of a sample's time are those before it */
	struct moment moment = { .time = time, .position = UINT64_MAX };
	uint32_t space = placer_task(&finder->placer, task, moment)->space;
	uint32_t number = placer_map(&finder->placer, space, address, moment)->map;
	const struct map *map = number == MAP_NONE ? NULL : &finder->timeline->maps[number];

	if (!map || !(map->flags & MAP_SHARED) || !map->inode || !map->dso ||
	    !inode_is_memory(map->dso->long_name))
		return false;
	*place = (struct shared_place){ .device = map->device,
					.inode = map->inode,
					.generation = map->generation,
					.offset = map->file_offset + (address - map->start) };
	return true;
}
