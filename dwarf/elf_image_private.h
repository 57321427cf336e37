/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files that make up elf_image.h share; nobody else includes this.
 *
 * The headers are read and checked when the image is opened, and never change. Symbols and relocations are
 * read when first asked for, under the locks in `lazy`, and never change once they are there. A section with
 * `contents` lies wholly in the file. Symbol tables and relocation tables that have contents have been
 * checked for their entry size and links.
 */
#ifndef DTPROF_DWARF_ELF_IMAGE_PRIVATE_H
#define DTPROF_DWARF_ELF_IMAGE_PRIVATE_H

#include <elf.h>
#include <pthread.h>
#include <stdatomic.h>

#include "dwarf/elf_image.h"
#include "profiler/base/memory.h"

struct elf_part { /* a section */
	const char *name;
	uint32_t type; /* SHT_* */
	uint32_t link;
	uint32_t info;
	uint64_t flags;   /* SHF_* */
	uint64_t address; /* ET_REL: laid out as elf_image.h says */
	uint64_t size;
	uint64_t alignment;
	const uint8_t *contents; /* `size` bytes; NULL: none in the file */
};

struct elf_segment {
	uint32_t type;  /* PT_* */
	uint32_t flags; /* PF_* */
	uint64_t offset;
	uint64_t address;
	uint64_t file_size; /* as the header says; not checked against the file */
	uint64_t memory_size;
	uint64_t alignment;
};

struct elf_symbols;
struct elf_names;
struct elf_relocations;

/* symbols_lock may be held when relocations_lock is taken, never the other way round */
struct elf_lazy {
	pthread_mutex_t symbols_lock;
	pthread_mutex_t relocations_lock;
	_Atomic(struct elf_symbols *) symbols;
	_Atomic(struct elf_names *) names;
	_Atomic(struct elf_relocations *) relocations;
};

struct elf_image {
	char *path;
	const uint8_t *data;
	size_t size;
	bool mapped;       /* data is ours to unmap */
	int fd;            /* of a mapped file that is large (elf_image_copy()); else -1 */
	uint8_t *unpacked; /* data, if it came out of another file; or NULL */
	bool is_64;
	uint16_t type;
	uint16_t machine;       /* EM_X86_64 or EM_386 */
	struct elf_part *parts; /* parts[0] is the null section, if there are any */
	size_t part_count;
	uint32_t *by_address; /* sections that take up addresses, sorted by them */
	size_t by_address_count;
	struct elf_segment *segments;
	size_t segment_count;
	void *relocated;      /* ET_REL in memory: the copy that data is, to be freed */
	uint64_t import_base; /* ET_REL: address of undefined symbol i: import_base + i * import_room */
	uint64_t import_room;
	size_t import_count;
	const uint8_t *build_id; /* the whole of it, in place; may be longer than BUILD_ID_SIZE */
	size_t build_id_size;
	struct build_id build_id_head;
	struct symbol *added; /* elf_image_add_symbols(), names in added_names; or NULL */
	size_t added_count;
	struct arena added_names;
	struct elf_lazy *lazy;
};

/* elf_identity.c: the identification bytes, and the fields that stand at the same place in both classes */
struct error *elf_identity_check(const uint8_t *data, size_t size, const char *name);

/* elf_image.c */
/* Frees `data` with the image, or if it fails. */
struct error *elf_image_open_owned(uint8_t *data, size_t size, const char *name, struct elf_image **result);
const struct elf_part *elf_part_named(const struct elf_image *image, const char *name);

/* elf_sections.c */
void elf_sections_sort(struct elf_image *image);
const struct elf_part *elf_part_at(const struct elf_image *image, uint64_t address);

/* elf_relocatable.c: ET_REL alone; when section headers are there, and when all is */
void elf_relocatable_lay_out(struct elf_image *image);
struct error *elf_relocatable_apply(struct elf_image *image);

/* elf_build_id.c */
void elf_build_id_load(struct elf_image *image);
const uint8_t *build_id_note_find(const void *notes, size_t size, size_t *length);

/* elf_symbol_table.c: one symbol table, as it is in the file */
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
	uint64_t value;   /* an address; of STT_TLS the offset in the TLS block; ET_REL: laid out */
	uint64_t size;
	uint8_t type;                /* STT_* */
	uint8_t binding;             /* STB_* */
	uint8_t visibility;          /* STV_* */
	uint16_t index;              /* st_shndx as it is: SHN_UNDEF, SHN_ABS, SHN_COMMON ... */
	const struct elf_part *part; /* the section it is defined in, or NULL */
};

/* `table_type` is SHT_SYMTAB or SHT_DYNSYM: the first such table. */
struct elf_symbol_table elf_symbol_table_of(const struct elf_image *image, uint32_t table_type);
bool elf_symbol_table_read(const struct elf_symbol_table *table, size_t index, struct elf_symbol *symbol);
size_t elf_string_limit(const uint8_t *strings, size_t size);
/* The length of `name` without its version, as in "memcpy@GLIBC_2.14" or "memcpy@@GLIBC_2.14". */
size_t elf_name_length(const char *name);

/* elf_symbols.c */
/* Whether it is one of elf_image_symbols(), or of the thread-local ones. */
bool elf_symbol_is_wanted(const struct elf_symbol *entry);
void elf_symbols_destroy(struct elf_symbols *symbols);
/* The name of the STT_GNU_IFUNC, else of another function, whose code begins at exactly `address`; or NULL.
 * Of several the one that a program calls it by. */
const char *elf_symbols_ifunc_at(const struct elf_image *image, uint64_t address);
/* The kernel's variables that only its initialization writes: [*start, *end), empty if there are none. */
void elf_symbols_init_written(const struct elf_image *image, uint64_t *start, uint64_t *end);

/* elf_symbol_cover.c: which symbol covers an address, as disjoint ranges */
struct symbol_range {
	uint64_t start;
	uint64_t end;
	uint32_t symbol; /* index */
};

struct symbol_cover {
	struct symbol_range *ranges; /* sorted */
	size_t count;
	size_t capacity;
};

/* `symbols` are sorted as elf_image_symbols() says; only those that `wanted` accepts count. */
void symbol_cover_build(struct symbol_cover *cover, const struct symbol *symbols, size_t count,
			bool (*wanted)(const struct symbol *symbol));
const struct symbol *symbol_cover_find(const struct symbol_cover *cover, const struct symbol *symbols,
				       uint64_t address);

/* elf_symbol_names.c */
void elf_names_destroy(struct elf_names *names);

/* elf_relocations.c */
void elf_relocations_destroy(struct elf_relocations *relocations);
/* Whether a relocation writes to one of the `size` bytes at `address`. */
bool elf_relocations_touch(const struct elf_image *image, uint64_t address, size_t size);
/* Relocation number `index` of .rela.plt. */
bool elf_relocations_plt_entry(const struct elf_image *image, uint32_t index,
			       struct elf_relocation *relocation);

/* elf_plt.c */
struct elf_stub {
	uint64_t address;
	uint32_t size;
	struct elf_relocation
		relocation; /* of its GOT slot; type R_X86_64_NONE: the stub that enters the dynamic linker */
};
/* All PLT stubs, in the order of sections and addresses, to be freed by the caller. */
void elf_plt_stubs(const struct elf_image *image, struct elf_stub **stubs, size_t *count);

#endif
