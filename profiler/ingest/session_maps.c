// SPDX-License-Identifier: GPL-2.0-or-later
/* The maps of a process, as they were in the end. */
#include "profiler/base/memory.h"
#include "profiler/ingest/session_private.h"

/* Whether `view` goes on where the map before it was cut by no other. */
static bool same_map(const struct timeline *timeline, const struct map_view *view, uint32_t before)
{
	return view->map == before && timeline->maps[before].start != view->first;
}

void session_task_maps(const struct session *session, const struct session_task *task,
		       struct session_map **result, size_t *count)
{
	const struct timeline *timeline = &session->timeline;
	uint32_t before = MAP_NONE;
	struct task_view task_view;
	struct map_view view = { .last = UINT64_MAX };
	size_t capacity = 0;

	*result = NULL;
	*count = 0;
	timeline_task(timeline, task->pid, task->tid, MOMENT_NEVER, &task_view);
	if (task_view.space == SPACE_NONE)
		return;
	do {
		timeline_map(timeline, task_view.space, view.last + 1, MOMENT_NEVER, &view);

		const struct map *map = view.map == MAP_NONE ? NULL : &timeline->maps[view.map];

		if (map && map->dso && before != MAP_NONE && same_map(timeline, &view, before)) {
			(*result)[*count - 1].last = view.last;
		} else if (map && map->dso) {
			array_reserve(*result, *count, capacity);
			(*result)[(*count)++] =
				(struct session_map){ .start = view.first,
						      .last = view.last,
						      .file_offset =
							      map->file_offset + (view.first - map->start),
						      .inode = map->inode,
						      .protection = map->protection,
						      .flags = map->flags,
						      .path = map->dso->long_name };
		}
		before = map && map->dso ? view.map : MAP_NONE;
	} while (view.last != UINT64_MAX);
}
