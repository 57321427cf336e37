/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The declarations that the files of dwarf/elf/ share. One of them, elf_part_named(), is also used
 * by dwarf/btf/.
 *
 * The headers are read and checked when the image is opened, and never change. Symbols and
 * relocations are read when they are first asked for, under the locks in `lazy`, and never change
 * after that. A section with `contents` lies wholly in the file. The entry sizes and links of
 * symbol tables and relocation tables with contents have been checked.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "dwarf/elf/image.h"
#include "base/hash.h"
#include "base/memory.h"

struct elf_part { /* a section */
	const char *name;
	uint32_t type; /* SHT_* */
	uint32_t link;
	uint32_t info;
	uint64_t flags;   /* SHF_* */
	uint64_t address; /* of a relocatable file: laid out as image.h says */
	uint64_t size;
	uint64_t alignment;
	const uint8_t *contents; /* `size` bytes; NULL: none in the file */
};

struct elf_symbols;
struct elf_relocations;

/* A thread that holds symbols_lock may take relocations_lock, but not the other way round. */
struct elf_lazy {
	pthread_mutex_t symbols_lock;
	pthread_mutex_t relocations_lock;
	_Atomic(struct elf_symbols *) symbols;
	/* by the hash of a name: the number of its first symbol, of all, then of thread-local ones
	 */
	_Atomic(struct hash_map *) names;
	_Atomic(struct elf_relocations *) relocations;
};

/* Returns the pointer in *slot, a member of struct elf_lazy. The first caller sets it to the value
 * of the expression `create`, which is evaluated once, while `lock` is held. */
#define elf_lazy_get(slot, lock, create)                                                           \
	({                                                                                         \
		__auto_type lazy_ = atomic_load_explicit((slot), memory_order_acquire);            \
		if (!lazy_) {                                                                      \
			pthread_mutex_lock((lock));                                                \
			lazy_ = atomic_load_explicit((slot), memory_order_relaxed);                \
			if (!lazy_) {                                                              \
				lazy_ = (create);                                                  \
				atomic_store_explicit((slot), lazy_, memory_order_release);        \
			}                                                                          \
			pthread_mutex_unlock((lock));                                              \
		}                                                                                  \
		lazy_;                                                                             \
	})

struct elf_image {
	char *path;
	const uint8_t *data;
	size_t size;
	int fd;             /* of a large file that is mapped; else -1 */
	struct stat file;   /* the status of the file when it was opened; all zero: no file */
	bool mapped;        /* `data` is a mapping that belongs to the image */
	bool code_writable; /* alternatives may be applied to the mapping */
	/* the pages that alternatives changed, a bit each; NULL: the code was never writable */
	uint8_t *changed_pages;
	uint8_t *unpacked; /* `data`, if it was unpacked from the file; else NULL */
	bool is_64;
	uint16_t type;
	uint16_t machine;       /* EM_X86_64 or EM_386 */
	struct elf_part *parts; /* parts[0], if there is one, is the null section */
	size_t part_count;
	uint32_t *by_address; /* sections that take up addresses: their indices, by address */
	size_t by_address_count;
	Elf64_Phdr *segments; /* p_filesz is not checked against the file */
	size_t segment_count;
	/* `data`, if it is a relocated copy of a relocatable file in memory; else NULL */
	void *relocated;
	/* relocatable file: undefined symbol i is at import_base + i * import_room */
	uint64_t import_base;
	uint64_t import_room;
	size_t import_count;
	const uint8_t *build_id; /* all of it, in place; may be longer than BUILD_ID_SIZE */
	size_t build_id_size;
	struct build_id build_id_head; /* its first BUILD_ID_SIZE bytes */
	struct symbol *added; /* by elf_image_add_symbols(), with names in added_names; or NULL */
	size_t added_count;
	struct arena added_names;
	/* its .symtab is used for the one that this file lacks; NULL: none */
	const struct elf_image *symbol_file;
	struct elf_lazy *lazy;
};

/* ---- image.c ---- */

/* Like elf_image_open_memory(), but the image owns `data`, which is also freed on error. */
struct error *elf_image_open_owned(uint8_t *data, size_t size, const char *name,
				   struct elf_image **result);
/* Returns the first section of this name, or NULL. */
const struct elf_part *elf_part_named(const struct elf_image *image, const char *name);
/* Returns the allocated section that holds `address`, or NULL. */
const struct elf_part *elf_part_at(const struct elf_image *image, uint64_t address);

/* ---- symbols.c ---- */

/* One symbol table, as it is in the file. */
struct elf_symbol_table {
	const struct elf_image *image;
	const uint8_t *entries; /* NULL: there is no such table */
	size_t count;
	const char *strings; /* every string that begins before string_limit ends in a NUL */
	size_t string_limit;
	const uint8_t *extended; /* SHT_SYMTAB_SHNDX: 4 bytes a symbol, or NULL */
	size_t extended_count;
};

struct elf_symbol {
	const char *name; /* as in the file, may be ""; NULL: its offset is bad */
	/* an address; of STT_TLS the offset in the TLS block; relocatable file: laid out */
	uint64_t value;
	uint64_t size;
	uint8_t type;                /* STT_* */
	uint8_t binding;             /* STB_* */
	uint8_t visibility;          /* STV_* */
	uint16_t index;              /* st_shndx as it is: SHN_UNDEF, SHN_ABS, SHN_COMMON ... */
	const struct elf_part *part; /* the section it is defined in, or NULL */
};

/* Returns the first table of this type, SHT_SYMTAB or SHT_DYNSYM. */
struct elf_symbol_table elf_symbol_table_of(const struct elf_image *image, uint32_t table_type);
/* Reads one entry; false: the table ends before it. */
bool elf_symbol_table_read(const struct elf_symbol_table *table, size_t index,
			   struct elf_symbol *symbol);
/* Returns how many bytes of a string table hold strings that end. */
size_t elf_string_limit(const uint8_t *strings, size_t size);

void elf_symbols_destroy(struct elf_symbols *symbols);
/* Returns the name of the function at exactly `address`, or NULL. An STT_GNU_IFUNC is preferred to
 * others, and of several names the one by which programs call it. */
const char *elf_symbols_ifunc_at(const struct elf_image *image, uint64_t address);

/* ---- relocations.c ---- */

/* For relocatable files: first sections get addresses, then relocations are applied. */
void elf_relocatable_lay_out(struct elf_image *image);
struct error *elf_relocatable_apply(struct elf_image *image);

void elf_relocations_destroy(struct elf_relocations *relocations);
/* True if a relocation writes to one of the `size` bytes at `address`. */
bool elf_relocations_touch(const struct elf_image *image, uint64_t address, size_t size);
/* Finds relocation number `index` of .rela.plt; false: there is none. */
bool elf_relocations_plt_entry(const struct elf_image *image, uint32_t index,
			       struct elf_relocation *relocation);

/* ---- unpack.c: kernels in boot images, compressed modules and sections ---- */

/* Unpacks a boot image (bzImage: Documentation/arch/x86/boot.rst of the kernel) or a file that is
 * compressed as a whole (gzip, xz, lzma, zstd, lz4's legacy format). The caller frees *unpacked; it
 * is NULL without an error if the file is not packed. */
struct error *elf_unpack(const uint8_t *data, size_t size, const char *name, uint8_t **unpacked,
			 size_t *unpacked_size);
/* True if, by the first bytes, there is something for elf_unpack(). */
bool elf_is_packed(const uint8_t *data, size_t size);

/* Like elf_unpack(), for the contents of a section, which must be compressed with xz. */
struct error *elf_unpack_section(const uint8_t *data, size_t size, const char *name,
				 uint8_t **unpacked, size_t *unpacked_size);
