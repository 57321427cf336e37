/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of a kernel by a file of the form of /proc/kallsyms (proc(5)): address, type and name a line. */
#ifndef DTPROF_INGEST_KALLSYMS_H
#define DTPROF_INGEST_KALLSYMS_H

#include "profiler/ingest/jit_map.h"

/* A function ends where the next symbol begins; one that nothing follows has no size and is not found. */
struct error *kallsyms_read(const char *path, struct jit_map *map);

#endif
