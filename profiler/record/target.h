/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target of a recording (processes, threads, CPUs, control groups), and what /proc says about
 * them. */
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include "base/files.h"

struct target {
	const char *pids;     /* -p: list of process ids; NULL: none */
	const char *tids;     /* -t */
	const char *user;     /* -u: name or number */
	bool system_wide;     /* -a, or -C */
	const char *cpu_list; /* -C: "0-3,8"; NULL: all */
};

/* Ids of threads or processes. A zero-initialized list is empty. */
struct thread_ids {
	pid_t *ids;
	size_t count, capacity;
};

/* Finds a user by name or number. */
struct error *user_find(const char *user, uid_t *uid);
/* Returns whether there is something to record without a workload. */
bool target_given(const struct target *target);
/* Adds the threads of the target, sorted; -1: system-wide. Fails if one is not found. */
struct error *target_threads(const struct target *target, struct thread_ids *threads);
/* Appends all threads of a process. Returns ERROR_NOT_FOUND if it has ended. */
struct error *process_threads(pid_t pid, struct thread_ids *threads);
/* Returns the parent of a process, or 0 if the process has ended. */
pid_t process_parent(pid_t pid);
/* Adds the processes of these threads, each once, sorted. */
void thread_processes(const struct thread_ids *threads, struct thread_ids *processes);
/* Adds all descendants of the processes of the list; sorted. */
struct error *add_descendants(struct thread_ids *processes);
/* Adds every process that /proc shows; sorted. Returns ERROR_NOT_FOUND if /proc is not mounted. */
struct error *all_processes(struct thread_ids *processes);

void thread_ids_add(struct thread_ids *threads, pid_t id);
/* Returns the CPU time in ns that the threads have taken; of one that has ended, 0. */
uint64_t threads_time(const struct thread_ids *threads);
/* Sorts the ids and drops duplicates. */
void thread_ids_sort(struct thread_ids *threads);
void thread_ids_deinit(struct thread_ids *threads);

#define _cleanup_thread_ids_ __attribute__((cleanup(thread_ids_deinit)))

/* ---- /proc/PID/maps ---- */

#define PROCESS_MAP_EXECUTE PROT_EXEC

struct process_map {
	uint64_t start, end, offset, inode;
	unsigned int major, minor;
	uint32_t protection; /* PROT_* */
	uint32_t flags;      /* MAP_SHARED or MAP_PRIVATE */
	char *path;          /* "//anon" if it has none, as in the kernel's MMAP records */
};

struct process_maps {
	struct process_map *items;
	size_t count, capacity;
};

/* Appends the maps of a process. ERROR_NOT_FOUND: gone, ERROR_PERMISSION: another's. */
struct error *process_maps_read(pid_t pid, struct process_maps *maps);
void process_maps_deinit(struct process_maps *maps);

#define _cleanup_process_maps_ __attribute__((cleanup(process_maps_deinit)))

/* ---- /proc/kallsyms ---- */

/* Calls `take` for each symbol of the running kernel until it returns false. */
struct error *kernel_symbols_each(const char *root,
				  bool (*take)(void *data, const struct kernel_symbol *symbol),
				  void *data);

/* ---- control groups: they limit what is recorded (-G) and are a term of --filter ---- */

/* Sets *id to the id of the group at `path`, below the root of version 2's hierarchy. Samples and
 * BPF use the same id. Returns ERROR_NOT_FOUND if there is no such group. */
struct error *cgroup_id(const char *root, const char *path, uint64_t *id);
/* Opens the folder of a group in the hierarchy of the perf_event controller, for
 * PERF_FLAG_PID_CGROUP of perf_event_open(2). The caller closes *fd. */
struct error *cgroup_open(const char *root, const char *path, int *fd);
/* Returns the path, with the root, at which version 2's hierarchy is mounted (cgroups(7)) or, with
 * `controller`, version 1's hierarchy of perf_event if there is one; NULL if neither is mounted.
 * The caller frees it. */
char *cgroup_mount_point(const char *root, bool controller);
