/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/maps: what a process has mapped. */
#ifndef DTPROF_RECORD_PROCESS_MAP_H
#define DTPROF_RECORD_PROCESS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profiler/base/error.h"

#define PROCESS_MAP_EXECUTE 4 /* PROT_EXEC */

struct process_map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode;
	unsigned int major;
	unsigned int minor;
	uint32_t protection; /* PROT_* */
	uint32_t flags;      /* MAP_SHARED or MAP_PRIVATE */
	char *path;          /* "//anon" if it has none, as the kernel's MMAP records say */
};

struct process_maps {
	struct process_map *items;
	size_t count;
	size_t capacity;
};

/* ERROR_NOT_FOUND if the process is gone, ERROR_PERMISSION if it is somebody else's. */
struct error *process_maps_read(pid_t pid, struct process_maps *maps);
void process_maps_release(struct process_maps *maps);

#define _cleanup_process_maps_ __attribute__((cleanup(process_maps_release)))

#endif
