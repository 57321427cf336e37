/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The copies of objects that perf keeps by build id (perf-buildid-cache(1)). */
#ifndef DTPROF_INGEST_BUILD_ID_CACHE_H
#define DTPROF_INGEST_BUILD_ID_CACHE_H

#include "dwarf/elf/image.h"

/*
 * The path of what the cache has of this build id under `name`, to be freed: "elf" (the object), "debug" (its
 * separate debug file), "vdso", "kallsyms" (the kernel's symbols when it was recorded) or "vmlinux". NULL:
 * nothing, or no ordinary file. `folder` is the cache; NULL: ~/.debug. What the file is, nobody has checked.
 */
char *build_id_cache_path(const char *folder, const struct build_id *build_id, const char *name);

#endif
