// SPDX-License-Identifier: GPL-2.0-or-later
/* One thread's way into the timeline: see placer.h. */
#include "profiler/ingest/placer.h"

void placer_init(struct placer *placer, const struct timeline *timeline)
{
	placer->timeline = timeline;
	for (size_t i = 0; i < PLACER_TASKS; i++)
		placer->tasks[i] = (struct placer_task){ .first = 1 };
	for (size_t i = 0; i < PLACER_MAPS; i++)
		placer->maps[i] = (struct placer_map){ .first = 1 };
}

/*
 * The times strictly between two moments: at the moments' own times the place in the file decides, so these
 * are asked anew each time.
 */
static void placer_times(struct moment since, struct moment until, uint64_t *first, uint64_t *last)
{
	*first = since.time || since.position ? since.time + 1 : 0;
	*last = until.time - 1;
	if (until.time == UINT64_MAX)
		*last = UINT64_MAX;
	else if (!until.time || since.time == UINT64_MAX)
		*first = 1, *last = 0;
}

const struct placer_task *placer_ask_task(struct placer *placer, struct placer_task *slot, int32_t pid,
					  int32_t tid, struct moment moment)
{
	struct task_view view;

	timeline_task(placer->timeline, pid, tid, moment, &view);
	slot->key = (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid;
	slot->comm = view.comm;
	slot->space = view.space;
	placer_times(view.since, view.until, &slot->first, &slot->last);
	return slot;
}

const struct placer_map *placer_ask_map(struct placer *placer, struct placer_map *slot, uint32_t space,
					uint64_t address, struct moment moment)
{
	struct map_view view;

	timeline_map(placer->timeline, space, address, moment, &view);
	slot->space = space;
	const struct map *map = view.map == MAP_NONE ? NULL : &placer->timeline->maps[view.map];

	slot->dso = map && map->dso ? map->dso->id + 1 : 0;
	slot->to_file = map ? map_file_offset(map, 0) : 0;
	slot->low = view.first;
	slot->high = view.last;
	placer_times(view.since, view.until, &slot->first, &slot->last);
	return slot;
}
