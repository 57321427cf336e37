// SPDX-License-Identifier: GPL-2.0-or-later
/* What the processes were at each moment: see timeline.h. Records are taken in by timeline_build.c. */
#include "profiler/ingest/timeline.h"

#include <string.h>

#include "profiler/ingest/task.h"

uint32_t comm_table_get(struct comm_table *comms, const char *name)
{
	const char *pooled = string_pool_intern(&comms->pool, name);
	bool created;
	uint32_t *id = hash_map_insert(&comms->by_name, (uintptr_t)pooled, &created);

	if (created) {
		array_reserve(comms->names, comms->count, comms->capacity);
		*id = (uint32_t)comms->count;
		comms->names[comms->count++] = pooled;
	}
	return *id;
}

static void comm_table_deinit(struct comm_table *comms)
{
	string_pool_deinit(&comms->pool);
	hash_map_deinit(&comms->by_name);
	free(comms->names);
}

uint64_t map_file_offset(const struct map *map, uint64_t address)
{
	switch (map->dso ? map->dso->kind : DSO_UNKNOWN) {
	case DSO_USER:
	case DSO_VDSO: return address - map->start + map->file_offset;
	case DSO_MODULE: return address - map->start;
	default: return address;
	}
}

/* The last state that is not younger than `moment`; the first one holds from the beginning of all. */
static size_t task_state_at(const struct task *task, struct moment moment)
{
	size_t low = 1;
	size_t high = task->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (moment_before(moment, task->states[middle].since))
			high = middle;
		else
			low = middle + 1;
	}
	return low - 1;
}

static const struct task_state *timeline_state(const struct timeline *timeline, int32_t tid,
					       struct moment moment, struct task_view *view)
{
	const uint32_t *index = hash_map_find(&timeline->task_by_tid, (uint32_t)tid);

	if (!index)
		return NULL;
	const struct task *task = &timeline->tasks[*index];
	size_t at = task_state_at(task, moment);
	const struct task_state *state = &task->states[at];

	if (at && moment_before(view->since, state->since))
		view->since = state->since;
	if (at + 1 < task->count && moment_before(state[1].since, view->until))
		view->until = state[1].since;
	return state;
}

void timeline_task(const struct timeline *timeline, int32_t pid, int32_t tid, struct moment moment,
		   struct task_view *view)
{
	*view = (struct task_view){
		.comm = COMM_NONE,
		.space = SPACE_NONE,
		.since = MOMENT_FIRST,
		.until = MOMENT_NEVER,
	};
	const struct task_state *state = timeline_state(timeline, tid, moment, view);

	if (state) {
		view->comm = state->comm;
		if (!state->ended)
			pid = state->pid;
	}
	if (pid != tid)
		state = timeline_state(timeline, pid, moment, view);
	if (state)
		view->space = state->space;
}

struct cgroup_namespace timeline_cgroup_namespace(const struct timeline *timeline, int32_t tid,
						  struct moment moment)
{
	const uint32_t *index = hash_map_find(&timeline->task_by_tid, (uint32_t)tid);
	struct cgroup_namespace none = { .since = MOMENT_FIRST };

	if (!index)
		return none;
	const struct task *task = &timeline->tasks[*index];
	size_t low = 0, high = task->cgroup_namespace_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (moment_before(moment, task->cgroup_namespaces[middle].since))
			high = middle;
		else
			low = middle + 1;
	}
	return low ? task->cgroup_namespaces[low - 1] : none;
}

void timeline_deinit(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->space_count; i++)
		address_space_deinit(&timeline->spaces[i]);
	for (size_t i = 0; i < timeline->task_count; i++) {
		free(timeline->tasks[i].states);
		free(timeline->tasks[i].cgroup_namespaces);
	}
	free(timeline->spaces);
	free(timeline->tasks);
	free(timeline->maps);
	hash_map_deinit(&timeline->task_by_tid);
	comm_table_deinit(&timeline->comms);
	dso_table_deinit(&timeline->dsos);
	*timeline = (struct timeline){ 0 };
}
