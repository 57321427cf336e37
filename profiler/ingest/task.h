/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For timeline*.c only: what is known of one tid, moment by moment. */
#ifndef DTPROF_INGEST_TASK_H
#define DTPROF_INGEST_TASK_H

#include "profiler/ingest/timeline.h"

struct task_state {
	struct moment since;
	int32_t pid;
	uint32_t comm;  /* COMM_NONE: not named yet */
	uint32_t space; /* of the process whose first thread this is; SPACE_NONE: no maps yet, or another
			   thread */
	bool ended;
};

struct task {
	struct task_state *states; /* oldest first, at least one */
	size_t count;
	size_t capacity;
	size_t incarnation;                         /* first state of the thread that has the number now */
	uint64_t mount_namespace;                   /* inode, by the last record of namespaces; 0: none */
	struct cgroup_namespace *cgroup_namespaces; /* those that it was in, oldest first */
	size_t cgroup_namespace_count, cgroup_namespace_capacity;
};

struct task *timeline_task_get(struct timeline *timeline, int32_t tid, int32_t pid);
/* A state that begins at `moment` as the last one is. */
struct task_state *task_push(struct task *task, struct moment moment);

static inline struct task_state *task_last(const struct task *task)
{
	return &task->states[task->count - 1];
}

#endif
