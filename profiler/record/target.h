/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is recorded: processes, threads, a user's processes, CPUs. */
#ifndef DTPROF_RECORD_TARGET_H
#define DTPROF_RECORD_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "profiler/base/error.h"

struct target {
	const char *pids;     /* -p: list of process ids; NULL: none */
	const char *tids;     /* -t */
	const char *user;     /* -u: name or number */
	bool system_wide;     /* -a, or -C */
	const char *cpu_list; /* -C: "0-3,8"; NULL: all */
};

struct thread_ids {
	pid_t *ids;
	size_t count;
	size_t capacity;
};

/* There is something to record without a workload. */
bool target_given(const struct target *target);
/* The threads that are asked for, as they are now, sorted; one -1 for a system-wide target. */
struct error *target_threads(const struct target *target, struct thread_ids *threads);
/* All threads of a process, appended; ERROR_NOT_FOUND if it is gone. */
struct error *process_threads(pid_t pid, struct thread_ids *threads);
/* 0 if it is gone. */
pid_t process_parent(pid_t pid);
/* The processes of these threads, each once, sorted. */
void thread_processes(const struct thread_ids *threads, struct thread_ids *processes);
/* The processes that descend from those of the list, added to it; sorted. */
struct error *add_descendants(struct thread_ids *processes);
/* Every process that /proc shows. */
struct error *all_processes(struct thread_ids *processes);

void thread_ids_add(struct thread_ids *threads, pid_t id);
/* Sorted, each once. */
void thread_ids_sort(struct thread_ids *threads);
void thread_ids_release(struct thread_ids *threads);

#define _cleanup_thread_ids_ __attribute__((cleanup(thread_ids_release)))

#endif
