// SPDX-License-Identifier: GPL-2.0-or-later
/* One thread's way into the timeline: see placer.h. */
#include "profiler/ingest/placer.h"

#include <sys/mman.h>

void placer_init(struct placer *placer, const struct timeline *timeline)
{
	placer->timeline = timeline;
	for (unsigned int mode = 0; mode <= PERF_RECORD_MISC_CPUMODE_MASK; mode++)
		placer->spaces[mode] = placer_space(timeline, placer_level((uint16_t)mode), SPACE_NONE);
	for (size_t i = 0; i < PLACER_TASKS; i++)
		placer->tasks[i] = (struct placer_task){ .task = PLACER_NO_TASK(i) };
	for (size_t i = 0; i < PLACER_MAPS; i++)
		placer->maps[i] = (struct placer_map){ .space = PLACER_NO_SPACE };
}

/*
 * The times strictly between two moments: at the moments' own times the place in the file decides, so these
 * are asked anew each time. False: there is none.
 */
static bool placer_times(struct moment since, struct moment until, struct placer_range *times)
{
	uint64_t first = since.time || since.position ? since.time + 1 : 0;
	uint64_t last = until.time == UINT64_MAX ? UINT64_MAX : until.time - 1;

	if (!until.time || since.time == UINT64_MAX || first > last)
		return false;
	*times = (struct placer_range){ first, last - first };
	return true;
}

const struct placer_task *placer_ask_task(struct placer *placer, struct placer_task *slot, uint64_t task,
					  struct moment moment)
{
	struct task_view view;

	timeline_task(placer->timeline, (int32_t)task, (int32_t)(task >> 32), moment, &view);
	slot->comm = view.comm;
	slot->space = view.space;
	slot->task = placer_times(view.since, view.until, &slot->times) ? task : PLACER_NO_TASK(task >> 32);
	return slot;
}

const struct placer_map *placer_ask_map(struct placer *placer, struct placer_map *slot, uint32_t space,
					uint64_t address, struct moment moment)
{
	struct map_view view;

	timeline_map(placer->timeline, space, address, moment, &view);
	const struct map *map = view.map == MAP_NONE ? NULL : &placer->timeline->maps[view.map];

	slot->dso = map && map->dso ? map->dso->id + 1 : 0;
	/* as perf: what names no inode is of no file */
	slot->is_shared = map && map->flags & MAP_SHARED && !(map->protection & PROT_EXEC) && !map->inode;
	slot->to_file = map ? map_file_offset(map, 0) : 0;
	slot->addresses = (struct placer_range){ view.first, view.last - view.first };
	slot->space = placer_times(view.since, view.until, &slot->times) ? space : PLACER_NO_SPACE;
	return slot;
}
