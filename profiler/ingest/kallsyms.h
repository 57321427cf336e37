/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of a kernel by a file of the form of /proc/kallsyms (proc(5)): address, type and name a line.
 * System.map has the same form. */
#ifndef DTPROF_INGEST_KALLSYMS_H
#define DTPROF_INGEST_KALLSYMS_H

#include <stdbool.h>

#include "dwarf/elf/image.h"
#include "profiler/ingest/jit_map.h"

/* Whose functions, and where that was. */
struct kallsyms_place {
	const char *module; /* "virtio_blk"; NULL: the kernel itself */
	/* Of the kernel: a symbol, and its address in the recording; NULL: not known. By it a file of another
	 * boot is told. */
	const char *reference_symbol;
	uint64_t reference_address;
	/* Where the kernel's map ended, if nothing else tells that the file is of that kernel: it must have
	 * the reference symbol and that end at their recorded addresses. 0: it need not. */
	uint64_t kernel_end;
	uint64_t load_address; /* of the module */
	uint64_t end;          /* of what lies there: an address of the kernel, or a distance in the module */
	/* Its data as well, which a kernel has behind that end. Lists of kernels without
	 * CONFIG_KALLSYMS_ALL have none. */
	bool with_data;
};

/*
 * Functions of the kernel at their recorded addresses, or of a module at their distances from where it was
 * loaded; with data STT_OBJECT as well. Of several names at an address the file's last is found, as by perf.
 * A symbol ends where the next one begins; a function with data between them not behind the place's end.
 * Per-cpu variables, which have distances instead of addresses, are left out. ERROR_PERMISSION: the addresses
 * are hidden; ERROR_FORMAT: it is not the recorded kernel's. Either is said with what helps.
 */
struct error *kallsyms_read(const char *path, const struct kallsyms_place *place, struct jit_map *map);

/* The kernel's own symbol of this name. */
struct kallsyms_mark {
	const char *name;
	uint64_t address; /* result; 0: there is none */
};
struct error *kallsyms_find(const char *path, struct kallsyms_mark *marks, size_t count);

/*
 * Gives all symbols of the kernel itself, modules' left out, to an image that has none of its own: at the
 * addresses of the image, wherever the kernel of the file had been moved to (KASLR).
 */
struct error *kallsyms_give(const char *path, struct elf_image *image);

#endif
