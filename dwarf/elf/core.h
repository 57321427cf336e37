/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of a running kernel, /proc/kcore or a copy of it (proc(5)), as an image: its code as it is
 * executed, after alternatives, static calls and tracing patched it. A core file has segments alone, so the
 * caller says what is where.
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
	uint32_t type;  /* SHT_*; of SHT_NOBITS nothing is read */
	uint64_t flags; /* SHF_* */
};

/* False: no ELF core file, or it cannot be read. */
bool elf_is_core(const char *path);
/*
 * The first range must be there; others that no segment holds are left out. What is read is a copy of this
 * moment, at the addresses that the kernel runs at.
 */
struct error *elf_core_open(const char *path, const struct core_range *ranges, size_t count,
			    struct elf_image **result);

#endif
