/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file: sections and segments by address, symbols, imports, build id, and where its debug file is.
 *
 * Immutable after it is opened, so all threads may use it. All addresses are file addresses (as in the symbol table), all
 * strings belong to the image.
 */
#ifndef DTPROF_DWARF_ELF_IMAGE_H
#define DTPROF_DWARF_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"

struct elf_image;

#define BUILD_ID_SIZE 20

struct build_id {
	uint8_t size; /* bytes used; 0: none */
	uint8_t bytes[BUILD_ID_SIZE];
};

struct symbol {
	uint64_t address;
	uint64_t size;    /* bytes; where the table says 0, up to the next symbol or the section's end */
	const char *name; /* without the version (@GLIBC_2.2.5) */
	uint8_t type;     /* STT_* */
	uint8_t binding;  /* STB_* */
};

/* Only ELF for x86-64 (and the ELF class of i386, for symbols); errors say what the file is instead. */
struct error *elf_image_open(const char *path, struct elf_image **result);
/* `data` must outlive the image. `name` is for messages. */
struct error *elf_image_open_memory(const void *data, size_t size, const char *name, struct elf_image **result);
void elf_image_close(struct elf_image *image);

const char *elf_image_path(const struct elf_image *image);
/* For libdw only: the file's bytes (mapped). */
const void *elf_image_data(const struct elf_image *image, size_t *size);
int elf_image_type(const struct elf_image *image); /* ET_EXEC, ET_DYN, ET_REL */
const struct build_id *elf_image_build_id(const struct elf_image *image);
bool elf_image_has_debug_info(const struct elf_image *image); /* .debug_info (or .zdebug_info) with contents */

/* Executable PT_LOAD: the file address that file offset `offset` is loaded at; false: in none. */
bool elf_image_offset_to_address(const struct elf_image *image, uint64_t offset, uint64_t *address);

/* The bytes at a file address in place, *available of them up to the end of the section; NULL: not in the file (.bss). */
const uint8_t *elf_image_bytes(const struct elf_image *image, uint64_t address, size_t *available);
/* Copy; false if not all are there. Only from sections that are not writable, or that relocation makes read-only
 * (.data.rel.ro), if `constant`. */
bool elf_image_read(const struct elf_image *image, uint64_t address, void *buffer, size_t size, bool constant);

struct elf_section {
	const char *name;
	uint64_t address;
	uint64_t size;
	bool executable;
	bool writable;
	bool thread_local_;
};
/* The allocated section that holds `address`; false: none. */
bool elf_image_section_at(const struct elf_image *image, uint64_t address, struct elf_section *result);
bool elf_image_section_named(const struct elf_image *image, const char *name, struct elf_section *result);

/* Functions and objects of .symtab and .dynsym, sorted by address; of several at one address a global function with the best name first. */
const struct symbol *elf_image_symbols(const struct elf_image *image, size_t *count);
/* The function symbol that covers `address` (or the nearest below it of size 0 in the same section), as perf chooses among aliases; NULL: none.
 * PLT stubs are symbols named "memcpy@plt". */
const struct symbol *elf_image_function_at(const struct elf_image *image, uint64_t address);
/* The data symbol that covers `address`; NULL: none. */
const struct symbol *elf_image_object_at(const struct elf_image *image, uint64_t address);
const struct symbol *elf_image_symbol_named(const struct elf_image *image, const char *name);

/* Name of the import that the PLT stub at `address` (.plt, .plt.sec, .plt.got) calls; NULL: no stub. */
const char *elf_image_plt_import(const struct elf_image *image, uint64_t address);
/*
 * The relocation of the 8-byte slot at `address` (GOT entry, or a pointer in .data.rel.ro): *name the symbol, or NULL where it
 * is a relative one; *target the file address it will hold if it is in this object, else 0. False: no relocation.
 */
bool elf_image_slot(const struct elf_image *image, uint64_t address, const char **name, uint64_t *target);
/* The slot's TLS relocations: R_X86_64_TPOFF64 and DTPOFF64, the offset in this object's own TLS block. */
bool elf_image_tls_slot(const struct elf_image *image, uint64_t address, uint64_t *offset, const char **name);
/* Size and alignment of PT_TLS: %fs:-x is offset (size rounded up to alignment) - x of the main program's block. */
bool elf_image_tls_segment(const struct elf_image *image, uint64_t *size, uint64_t *alignment);

/*
 * The separate debug file of `image`: by build id under DIR/.build-id, then by .gnu_debuglink (CRC checked) beside the file, in .debug beside
 * it, and under DIR + its folder; DIR is each of `directories` (NULL-terminated; NULL: "/usr/lib/debug" alone). *path is to be
 * freed by the caller, NULL without an error where there is none.
 */
struct error *elf_image_find_debug_file(const struct elf_image *image, const char *const *directories, char **path);

void build_id_format(const struct build_id *build_id, char text[2 * BUILD_ID_SIZE + 1]);

#endif
