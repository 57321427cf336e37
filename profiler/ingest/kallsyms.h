/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of a kernel by a file of the form of /proc/kallsyms (proc(5)): address, type and name a line. System.map has the same
 * form. */
#ifndef DTPROF_INGEST_KALLSYMS_H
#define DTPROF_INGEST_KALLSYMS_H

#include "dwarf/elf_image.h"
#include "profiler/ingest/jit_map.h"

/* A function ends where the next symbol begins; one that nothing follows has no size and is not found. */
struct error *kallsyms_read(const char *path, struct jit_map *map);

/*
 * Gives all symbols of the kernel itself, modules' left out, to an image that has none of its own: at the addresses of the
 * image, wherever the kernel of the file had been moved to (KASLR).
 */
struct error *kallsyms_give(const char *path, struct elf_image *image);

#endif
