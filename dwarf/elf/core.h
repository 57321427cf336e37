/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of a running kernel, /proc/kcore or a copy of it (proc(5)), as an image: the code as it is
 * executed, after alternatives, static calls and tracing have patched it. A core file has only segments, so
 * the caller says which sections there are.
 */
#ifndef DTPROF_DWARF_ELF_CORE_H
#define DTPROF_DWARF_ELF_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/elf/image.h"

/* A section to make of the memory at [low, high). */
struct core_range {
	const char *name;
	uint64_t low;
	uint64_t high;
	uint32_t type;  /* SHT_*; SHT_NOBITS: nothing is read */
	uint64_t flags; /* SHF_* */
};

/* True if the file is an ELF core file. False also if it cannot be read. */
bool elf_is_core(const char *path);
/*
 * Opens a core file as an image with these ranges as sections. The core file must hold the first range;
 * others that it does not hold are left out. The image is a copy of this moment, at the addresses at which
 * the kernel runs.
 */
struct error *elf_core_open(const char *path, const struct core_range *ranges, size_t count,
			    struct elf_image **result);

#endif
