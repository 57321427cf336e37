/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file: sections and segments by address, symbols, imports, build id, and where its debug file is.
 *
 * Immutable after it is opened, so all threads may use it: what is read later, when it is first asked for
 * (symbols, relocations), is read once behind a lock. All addresses are file addresses (as in the symbol
 * table), all strings belong to the image.
 *
 * A relocatable file (ET_REL: kernel modules, object files) has no addresses of its own. Here its sections
 * lie one behind the other as the kernel's loader puts those of a module into memory: code first, so that its
 * address is elf_image_load_base() plus its distance from where the module was loaded. Each undefined symbol
 * has an address of its own behind them (elf_image_import_at()). Code, data and debug information are
 * relocated to that.
 *
 * The ELF class of i386 (and x32) is read for sections, symbols and build ids alone: it has no relocations
 * and no PLT here.
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

/* Only ELF for x86-64 (and the ELF class of i386, for symbols), also compressed, or the kernel in its boot
 * image; errors say what the file is instead. */
struct error *elf_image_open(const char *path, struct elf_image **result);
/* Whether there is something to open, by the file's first bytes: the error that elf_image_open() would give.
 */
struct error *elf_image_probe(const char *path);
/* `data` must outlive the image. `name` is for messages. */
struct error *elf_image_open_memory(const void *data, size_t size, const char *name,
				    struct elf_image **result);
void elf_image_close(struct elf_image *image);
/*
 * The symbols of a stripped object that it carries in .gnu_debugdata, and its own: for symbols alone, as
 * nothing else has contents there. *result is to be closed, and NULL without an error where there are none,
 * or a .symtab in the object itself. They need not outlive each other.
 */
struct error *elf_image_open_embedded(const struct elf_image *image, struct elf_image **result);

const char *elf_image_path(const struct elf_image *image);
/* For libdw only: the file's bytes (mapped). */
const void *elf_image_data(const struct elf_image *image, size_t *size);
/*
 * These bytes of the file (as elf_image_data() gives them) are not needed for now: they need not stay in
 * memory, and are read from the file again when they are.
 */
void elf_image_done_with(const struct elf_image *image, const void *bytes, size_t size);
/*
 * Copies bytes of the file (as elf_image_data() gives them) to `buffer`. For a few bytes here and there in a
 * large file: they are read without the pages around them, which a look at the mapping would bring in.
 */
void elf_image_copy(const struct elf_image *image, const void *bytes, void *buffer, size_t size);
int elf_image_type(const struct elf_image *image);       /* ET_EXEC, ET_DYN, ET_REL */
bool elf_image_is_x86_64(const struct elf_image *image); /* else its code is of the i386 */
const struct build_id *elf_image_build_id(const struct elf_image *image);
bool elf_image_has_debug_info(
	const struct elf_image *image); /* .debug_info (or .zdebug_info) with contents */

/* Executable PT_LOAD: the file address that file offset `offset` is loaded at; false: in none. The rest of
 * the pages that such a segment begins and ends in counts as part of it. */
bool elf_image_offset_to_address(const struct elf_image *image, uint64_t offset, uint64_t *address);
/* The same for PT_LOADs of data, where there is one; else as above. */
bool elf_image_offset_to_data(const struct elf_image *image, uint64_t offset, uint64_t *address);
/*
 * The addresses that the PT_LOADs near `address` take up in memory, from the first to the end of the last:
 * those less than 2 GiB away, for a kernel's per-cpu variables have a segment at 0. False: there are none
 * (ET_REL).
 */
bool elf_image_span(const struct elf_image *image, uint64_t address, uint64_t *start, uint64_t *end);

/*
 * Where the code is loaded, from the beginning of its first page on, if it is in one segment; false: in none,
 * or in several. Also of a separate debug file, whose segments have no contents.
 */
bool elf_image_code_segment(const struct elf_image *image, uint64_t *address, uint64_t *size);

/* The bytes at a file address in place, *available of them up to the end of the section; NULL: not in the
 * file (.bss, or the sections of a separate debug file). */
const uint8_t *elf_image_bytes(const struct elf_image *image, uint64_t address, size_t *available);
/* The same for code, which disasm/ reads: NULL also where it is of the i386, whose bytes mean something else.
 */
const uint8_t *elf_image_code(const struct elf_image *image, uint64_t address, size_t *available);
/*
 * Copy; false if not all are there. If `constant`, only what no program changes: sections that are not
 * writable, what is made read-only after relocation (PT_GNU_RELRO), and the kernel's .rodata without what its
 * initialization writes to. A constant that the dynamic linker fills in is read only where it is known: all 8
 * bytes of a pointer into this object.
 */
bool elf_image_read(const struct elf_image *image, uint64_t address, void *buffer, size_t size,
		    bool constant);

struct elf_section {
	const char *name;
	uint64_t address;
	uint64_t size;
	bool executable;
	bool writable;
	bool thread_local_;
	/* the kernel's .data..percpu: each processor has a copy, which %gs: leads to; the addresses here are
	 * those of no memory, and begin at 0 in most kernels (include/asm-generic/vmlinux.lds.h,
	 * PERCPU_VADDR) */
	bool per_cpu;
};
/* The allocated section that holds `address` (.tbss takes up no addresses); false: none. */
bool elf_image_section_at(const struct elf_image *image, uint64_t address, struct elf_section *result);
bool elf_image_section_named(const struct elf_image *image, const char *name, struct elf_section *result);

/*
 * Functions (STT_FUNC, STT_GNU_IFUNC, PLT stubs, and STT_NOTYPE where there is code: labels of assembly) and
 * objects of .symtab and .dynsym, sorted by address. Of several at one address functions come first, and of
 * these the one that perf would show: one that has a size, not a mere label, not weak, global, with the
 * fewest leading underscores, the longest name.
 */
const struct symbol *elf_image_symbols(const struct elf_image *image, size_t *count);
/*
 * Symbols that are known from elsewhere (the kernel's own list), for a file that was stripped of them: to be
 * given before any is asked for. Those outside all sections are passed over; names are copied; sizes may be
 * 0.
 */
bool elf_image_has_symbols(const struct elf_image *image); /* .symtab or .dynsym, not what was added */
bool elf_image_was_given_symbols(const struct elf_image *image);
void elf_image_add_symbols(struct elf_image *image, const struct symbol *symbols, size_t count);
/* The function symbol that covers `address`, the innermost of several, the first of aliases; NULL: none.
 * Labels within a sized STT_FUNC are no functions. PLT stubs are symbols named "memcpy@plt", their first
 * entry is ".plt". */
const struct symbol *elf_image_function_at(const struct elf_image *image, uint64_t address);
/* The data symbol that covers `address`; NULL: none. */
const struct symbol *elf_image_object_at(const struct elf_image *image, uint64_t address);
/* The first symbol of this name in the order of elf_image_symbols(), a global one before local ones,
 * thread-local ones (their address: see below) last. */
const struct symbol *elf_image_symbol_named(const struct elf_image *image, const char *name);
/* Its address; false: there is none. For one or two names, as it mostly needs no other symbol to be read. */
bool elf_image_symbol_address(const struct elf_image *image, const char *name, uint64_t *address);
/* STT_FUNC, STT_GNU_IFUNC, or a label in code */
bool symbol_is_function(const struct symbol *symbol);
/* STT_OBJECT: what elf_image_object_at() finds. */
bool symbol_is_data(const struct symbol *symbol);
/* STT_TLS symbols by their offset in the object's own TLS block, which is what their `address` is. */
const struct symbol *elf_image_tls_symbols(const struct elf_image *image, size_t *count);
const struct symbol *elf_image_tls_symbol_at(const struct elf_image *image, uint64_t offset);

/* Of a relocatable file the address that its memory begins at; else 0. */
uint64_t elf_image_load_base(const struct elf_image *image);
/* The undefined symbol of a relocatable file that `address` stands for, and *offset from it; NULL: none. */
const char *elf_image_import_at(const struct elf_image *image, uint64_t address, uint64_t *offset);
/* Applies a relocatable file's relocations for a section to a copy of its contents (what was compressed; the
 * rest is relocated already). */
void elf_image_relocate(const struct elf_image *image, size_t section, uint8_t *contents, size_t size);

/*
 * Makes the functions at these addresses be as a running kernel has them, which replaces instructions when it
 * boots: as far as that is the same on all machines. Before anybody else looks at the image.
 */
void elf_image_apply_alternatives(struct elf_image *image, const uint64_t *addresses, size_t count);

/* Name of the import that the PLT stub at `address` (.plt, .plt.sec, .plt.got) calls; NULL: no stub. In
 * static programs: of the STT_GNU_IFUNC function. In relocatable files: of the undefined symbol. */
const char *elf_image_plt_import(const struct elf_image *image, uint64_t address);

/* A relocation: what the (dynamic) linker puts at `address`. */
struct elf_relocation {
	uint64_t address;
	uint32_t type;    /* R_X86_64_* */
	const char *name; /* of the symbol; NULL: none, or a section's */
	int64_t addend;
	bool defined;    /* the symbol is in this object (or there is none): `target` is known */
	uint64_t target; /* symbol + addend, a file address; of TLS types an offset in this object's TLS
			    block; else 0 */
};
/* The relocation of exactly this address, whatever its width. */
bool elf_image_relocation_at(const struct elf_image *image, uint64_t address, struct elf_relocation *result);

/*
 * What the 8-byte slot at `address` (GOT entry, or a pointer in .data.rel.ro) holds when the program runs:
 * *name the symbol, or NULL where there is none or the slot does not hold its very address; *target the file
 * address, if it is in this object and known before the program runs (not so for STT_GNU_IFUNC), else 0.
 * Where nothing is left to relocate (programs that are not PIE), the contents of .got, .got.plt, .data.rel.ro
 * tell. False: not a slot of a pointer.
 */
bool elf_image_slot(const struct elf_image *image, uint64_t address, const char **name, uint64_t *target);

#define ELF_TLS_ELSEWHERE UINT64_MAX
/*
 * The thread-local variable that the GOT slot at `address` is for: R_X86_64_TPOFF64 (initial exec), DTPMOD64
 * and DTPOFF64 (general and local dynamic), TLSDESC, or a constant that the linker left. *offset in this
 * object's own TLS block, ELF_TLS_ELSEWHERE if another object has it; *name may be NULL. False: no such slot.
 */
bool elf_image_tls_slot(const struct elf_image *image, uint64_t address, uint64_t *offset, const char **name);
/* Size and alignment of PT_TLS: %fs:-x is offset (size rounded up to alignment) - x of the main program's
 * block. */
bool elf_image_tls_segment(const struct elf_image *image, uint64_t *size, uint64_t *alignment);

/*
 * The separate debug file of `image`: by build id under DIR/.build-id; then by .gnu_debuglink beside the
 * file, in .debug beside it, and under DIR + its folder; then of the file's own name in .debug beside it, and
 * under DIR + its path, with and without ".debug". DIR is each of `directories` (NULL-terminated; NULL:
 * "/usr/lib/debug" alone). What is found must have the same build id; where one of the two has none,
 * .gnu_debuglink's CRC must be right (of a file of more than 2 GB it is not calculated). *path is to be freed
 * by the caller, NULL without an error where there is none; an error where one is there but cannot be read or
 * checked.
 */
struct error *elf_image_find_debug_file(const struct elf_image *image, const char *const *directories,
					char **path);
/*
 * The file that .gnu_debugaltlink of `image` names (where dwz put what several files share): the path that it
 * gives (relative to the image's own), under DIR/.build-id, under DIR/.dwz. It must have the build id that
 * the link tells. As above, but ERROR_NOT_FOUND where there is a link and no such file; *path is NULL where
 * there is no link.
 */
struct error *elf_image_find_alt_file(const struct elf_image *image, const char *const *directories,
				      char **path);

/* The first NT_GNU_BUILD_ID of ELF notes (n_namesz, n_descsz, n_type, name, description, each 4-byte
 * aligned), as in a PT_NOTE or in /sys/kernel/notes; cut at BUILD_ID_SIZE bytes, as in perf.data. False, and
 * *build_id empty: none. */
bool build_id_from_notes(const void *notes, size_t size, struct build_id *build_id);
bool build_id_equal(const struct build_id *left, const struct build_id *right);
void build_id_format(const struct build_id *build_id, char text[2 * BUILD_ID_SIZE + 1]);

#endif
