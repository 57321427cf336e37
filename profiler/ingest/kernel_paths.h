/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the files of a kernel are put by distributions, by who builds kernels, and by perf. */
#ifndef DTPROF_INGEST_KERNEL_PATHS_H
#define DTPROF_INGEST_KERNEL_PATHS_H

#include <stddef.h>

#include "dwarf/elf/image.h"

/* Zero-initialized is empty. */
struct path_list {
	char **paths;
	size_t count;
	size_t capacity;
};

void path_list_deinit(struct path_list *list);

/* Of the vmlinux with debug information, the most likely first. `release` may be NULL, the build id empty;
 * `cache` is as in build_id_cache.h. */
void kernel_paths_vmlinux(const char *release, const struct build_id *build_id, const char *symfs,
			  const char *cache, struct path_list *list);
/*
 * Of a module. `name` is its path as recorded ("/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz") or "[ext4]".
 * `vmlinux` is the kernel that was given, beside which its modules may be; or NULL.
 */
void kernel_paths_module(const char *name, const char *release, const char *vmlinux, const char *symfs,
			 struct path_list *list);

/* The package that has the debug information of a kernel, by the distributions' ways to name releases; NULL:
 * not known. To be freed. */
char *kernel_debug_package(const char *release);

#endif
