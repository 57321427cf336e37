/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols that come from a text file instead of an object file, sorted by address:
 *
 * - /tmp/perf-PID.map, which a just-in-time compiler writes about its code: start and size in
 *   hexadecimal, name (tools/perf/Documentation/jit-interface.txt);
 * - /proc/kallsyms or System.map, the symbols of a kernel: address, type and name (proc(5)).
 */
#pragma once

#include "dwarf/elf/image.h"
#include "base/error.h"
#include "base/memory.h"

/* A zero-initialized map is empty. */
struct symbol_map {
	struct symbol *symbols; /* by address */
	size_t count;
	struct arena arena; /* the names */
};

/* Returns the symbol that contains `address`, or NULL. */
const struct symbol *symbol_map_find(const struct symbol_map *map, uint64_t address);
/* Frees the symbols; the map is empty afterwards. */
void symbol_map_deinit(struct symbol_map *map);

/* ---- just-in-time compilers ---- */

#define JIT_MAP_PREFIX "/tmp/perf-"

/*
 * Reads the map of a just-in-time compiler into *map, which the caller frees even after an error:
 * it then has the functions before the error. The file must be an ordinary one and, without
 * `force`, belong to this user or root, because everybody may write to /tmp. Lines of another form
 * are passed over. If an address is listed twice, the last line counts.
 */
struct error *jit_map_read(const char *path, bool force, struct symbol_map *map);
/* Reads the map of a running process in other namespaces than this one, as jit_map_read() does.
 * There the process has another /tmp and perhaps another number, which is in the name of the map.
 * No link is followed. */
struct error *jit_map_read_in_namespace(int32_t pid, bool force, struct symbol_map *map);

/* ---- kernels ---- */

/* The symbols to read, and where their code was when it was recorded. */
struct kallsyms_place {
	const char *module; /* "virtio_blk"; NULL: the kernel itself */
	/* A symbol and its recorded address, or NULL: they tell another boot. */
	const char *reference_symbol;
	uint64_t reference_address;
	/* The end of the kernel's map, or 0. It is set if nothing else tells whether the file
	 * describes the recorded kernel. The file must then have the reference symbol and this end
	 * at their recorded addresses. */
	uint64_t kernel_end;
	uint64_t load_address; /* of the module */
	uint64_t end;          /* address where the kernel's text ends; for a module, its size */
	/* Data is read as well. Kernels without CONFIG_KALLSYMS_ALL do not list that end. */
	bool with_data;
};

/*
 * Reads the functions of the kernel, at their recorded addresses, or of a module, as offsets from
 * its load address. With data, variables are STT_OBJECT. If an address has several names, the last
 * one in the file is found, as in perf. A symbol ends where the next one begins; if data is read as
 * well, a function ends at the place's end at the latest. Per-cpu variables, which have offsets
 * instead of addresses, are left out.
 *
 * Returns ERROR_PERMISSION if the addresses are hidden, ERROR_FORMAT if the file is not the
 * recorded kernel's. The message says what to do. The caller frees *map even after an error.
 */
struct error *kallsyms_read(const char *path, const struct kallsyms_place *place,
			    struct symbol_map *map);

/* Adds all symbols of the kernel itself, without those of modules, to an image that has none. They
 * get the addresses of the image, whatever KASLR did. */
struct error *kallsyms_add_to_image(const char *path, struct elf_image *image);
