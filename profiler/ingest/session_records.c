// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of all kinds, as they stand: how many of each there are, and which tasks they tell of. */
#include <stdlib.h>
#include <string.h>

#include "profiler/ingest/session_private.h"

void session_each_record(const struct session *session,
			 void (*visit)(const struct session *session, const struct raw_record *record,
				       void *data),
			 void *data)
{
	bool swap = session->header.swap;

	for (size_t i = 0; i < session->chunk_count; i++) {
		const struct chunk *chunk = &session->chunks[i];
		const uint8_t *bytes = session->streams[chunk->stream].data;

		for (size_t offset = chunk->begin; offset < chunk->end;) {
			struct record_header header = record_header(bytes + offset, swap);
			struct raw_record record = { .type = header.type,
						     .misc = header.misc,
						     .data = bytes + offset,
						     .size = header.size };

			visit(session, &record, data);
			offset += header.size + record_extra(bytes + offset, &header, swap);
		}
	}
}

static void count_record(const struct session *session, const struct raw_record *record, void *data)
{
	uint64_t *counts = data;

	(void)session;
	counts[record->type < SESSION_RECORD_TYPES ? record->type : 0]++;
}

void session_count_records(const struct session *session, uint64_t counts[SESSION_RECORD_TYPES])
{
	memset(counts, 0, SESSION_RECORD_TYPES * sizeof(*counts));
	session_each_record(session, count_record, counts);
	/* in whose place their contents stand by now */
	counts[PERF_RECORD_COMPRESSED] += session->totals.compressed[0];
	counts[RECORD_COMPRESSED2] += session->totals.compressed[1];
}

/* ---- tasks ---- */

struct task_finder {
	struct session_task *tasks;
	size_t count, capacity;
	struct hash_map by_tid; /* -> index */
};

static struct session_task *find_task(struct task_finder *finder, int32_t pid, int32_t tid)
{
	bool created;
	uint32_t *index = hash_map_insert(&finder->by_tid, (uint32_t)tid, &created);

	if (created) {
		*index = (uint32_t)finder->count;
		array_reserve(finder->tasks, finder->count, finder->capacity);
		finder->tasks[finder->count++] =
			(struct session_task){ .pid = pid, .tid = tid, .parent = -1 };
	}
	return &finder->tasks[*index];
}

/* PERF_RECORD_COMM: pid, tid, name; PERF_RECORD_FORK: pid, ppid, tid, ptid */
static void take_task(const struct session *session, const struct raw_record *record, void *data)
{
	struct cursor cursor = cursor_of(record->data, record->size, session->header.swap);
	struct task_finder *finder = data;
	int32_t ids[4];

	if (record->type != PERF_RECORD_COMM && record->type != PERF_RECORD_FORK)
		return;
	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	for (size_t i = 0; i < (record->type == PERF_RECORD_COMM ? 2 : 4); i++)
		ids[i] = (int32_t)cursor_u32(&cursor);
	if (cursor.failed)
		return;
	if (record->type == PERF_RECORD_COMM) {
		find_task(finder, ids[0], ids[1]);
		return;
	}
	find_task(finder, ids[1], ids[3]);

	struct session_task *task = find_task(finder, ids[0], ids[2]);

	/* the number may have been another one's before */
	task->pid = ids[0];
	task->parent = ids[3] == ids[2] ? -1 : ids[3];
}

/* Generations above a task; a circle, which only damage makes, counts as none. */
static uint32_t task_level(const struct task_finder *finder, const struct session_task *task)
{
	uint32_t level = task->tid > 0;

	if (task->tid < 0)
		return 0;
	while (task->parent > 0 && level <= finder->count) {
		const uint32_t *parent = hash_map_find(&finder->by_tid, (uint32_t)task->parent);

		if (!parent)
			break;
		task = &finder->tasks[*parent];
		level++;
	}
	return level > finder->count ? 0 : level;
}

static int compare_tids(const void *left, const void *right)
{
	const struct session_task *a = left, *b = right;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static int compare_parents(const void *left, const void *right, void *data)
{
	const struct session_task *tasks = data;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (tasks[a].parent != tasks[b].parent)
		return tasks[a].parent < tasks[b].parent ? -1 : 1;
	return a < b ? -1 : 1;
}

/* Where the children of `tid` begin among indices that are sorted by parent. */
static size_t first_child(const struct session_task *tasks, const uint32_t *by_parent, size_t count,
			  int32_t tid)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tasks[by_parent[middle]].parent < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Parents before their children, these by their numbers: *order is of indices. */
static void order_tasks(const struct session_task *tasks, size_t count, uint32_t *order)
{
	_cleanup_free_ uint32_t *by_parent = xcalloc(count + 1, sizeof(*by_parent));
	_cleanup_free_ uint32_t *stack = xcalloc(count + 1, sizeof(*stack));
	size_t depth = 0, done = 0;

	for (uint32_t i = 0; i < count; i++)
		by_parent[i] = i;
	qsort_r(by_parent, count, sizeof(*by_parent), compare_parents, (void *)tasks);
	/* the idle task, then what has no known parent, then the idle task's children, as perf has them */
	for (size_t i = count; i-- > 0;)
		if (!tasks[i].parent && tasks[i].tid > 0)
			stack[depth++] = (uint32_t)i;
	for (size_t i = count; i-- > 0;)
		if (tasks[i].parent && tasks[i].tid > 0 && tasks[i].level == 1)
			stack[depth++] = (uint32_t)i;
	for (uint32_t i = 0; i < count; i++)
		if (!tasks[i].tid)
			order[done++] = i;
	while (depth && done < count) {
		uint32_t task = stack[--depth];
		size_t first = first_child(tasks, by_parent, count, tasks[task].tid), end = first;

		order[done++] = task;
		while (end < count && tasks[by_parent[end]].parent == tasks[task].tid)
			end++;
		for (size_t i = end; i-- > first;)
			if (tasks[by_parent[i]].level == tasks[task].level + 1)
				stack[depth++] = by_parent[i];
	}
	/* what hangs in a circle comes last */
	for (uint32_t i = 0; i < count && done < count; i++)
		if (!tasks[i].level && tasks[i].tid)
			order[done++] = i;
}

void session_tasks(const struct session *session, struct session_task **result, size_t *count)
{
	struct task_finder finder = { 0 };
	struct session_task *sorted;

	find_task(&finder, 0, 0);
	session_each_record(session, take_task, &finder);
	for (size_t i = 0; i < finder.count; i++)
		finder.tasks[i].level = task_level(&finder, &finder.tasks[i]);
	qsort(finder.tasks, finder.count, sizeof(*finder.tasks), compare_tids);

	_cleanup_free_ uint32_t *order = xcalloc(finder.count, sizeof(*order));

	order_tasks(finder.tasks, finder.count, order);
	sorted = xcalloc(finder.count, sizeof(*sorted));
	for (size_t i = 0; i < finder.count; i++)
		sorted[i] = finder.tasks[order[i]];
	free(finder.tasks);
	hash_map_deinit(&finder.by_tid);
	*result = sorted;
	*count = finder.count;
}
