/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /tmp/perf-PID.map: what a just-in-time compiler says of the code that it made, a line a function: start and
 * size in hexadecimal, name (tools/perf/Documentation/jit-interface.txt).
 */
#ifndef DTPROF_INGEST_JIT_MAP_H
#define DTPROF_INGEST_JIT_MAP_H

#include "dwarf/elf/image.h"
#include "profiler/base/error.h"
#include "profiler/base/memory.h"

#define JIT_MAP_PREFIX "/tmp/perf-"

struct jit_map {
	struct symbol *symbols; /* sorted by address; of equal ones the last of the file alone */
	size_t count;
	struct arena arena; /* names */
};

/*
 * The file must be an ordinary one and, without `force`, belong to this user or root: everybody may write to
 * /tmp. Lines that are not of the form are passed over. After an error there are the functions before it.
 */
struct error *jit_map_read(const char *path, bool force, struct jit_map *map);
/*
 * Of a process that lives now, in other namespaces than this one: there it may have another number, by which
 * it named the map, and another /tmp. No link in there is followed.
 */
struct error *jit_map_read_inside(int32_t pid, bool force, struct jit_map *map);
const struct symbol *jit_map_find(const struct jit_map *map, uint64_t address);
void jit_map_deinit(struct jit_map *map);

#endif
