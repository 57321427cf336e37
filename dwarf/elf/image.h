/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file: sections and segments by address, symbols, imports, build id, and its debug file.
 *
 * An image is immutable after it is opened, so all threads may use it. Symbols and relocations are
 * read when they are first asked for, once, under a lock. All addresses are file addresses (as in
 * the symbol table). All strings belong to the image.
 *
 * A relocatable file (ET_REL: kernel modules, object files) has no addresses of its own. Here its
 * sections follow one another as the kernel's loader puts those of a module into memory: code
 * first, so that an address in it is elf_image_load_base() plus the distance from the module's load
 * address. Each undefined symbol gets an address after the sections (elf_image_import_at()). Code,
 * data and debug information are relocated accordingly.
 *
 * Files of the 32-bit ELF class (i386, x32) give sections, symbols and build ids, but no
 * relocations and no PLT.
 */
#pragma once

#include <elf.h>
#include <sys/stat.h>

#include "base/arch/arch.h"
#include "base/error.h"
#include "base/strbuf.h"

struct elf_image;

/* Bytes of struct btf_header before the fields that Linux 7.2 adds: no header of BTF is shorter. */
#define BTF_HEADER_SIZE 24

/* No program or kernel with its debug information is larger; a sparse file may be. A smaller one
 * that does not fit into memory ends the program: without it names and types would differ. */
#define FILE_SIZE_USUAL ((size_t)64 << 30)

#define BUILD_ID_SIZE 20

struct build_id {
	uint8_t size; /* bytes used; 0: none */
	uint8_t bytes[BUILD_ID_SIZE];
};

struct symbol {
	uint64_t address;
	/* bytes; if 0 in the table: up to the next symbol or the end of the section */
	uint64_t size;
	const char *name; /* without the version (@GLIBC_2.2.5) */
	uint8_t type;     /* STT_* */
	uint8_t binding;  /* STB_* */
	bool no_size;     /* the table has none */
};

/* Opens ELF for x86-64, i386 or AArch64, plain or compressed, a boot image, BTF alone, or the BTF
 * of an object file for BPF; else says what it is. */
struct error *elf_image_open(const char *path, struct elf_image **result);
/* Looks at the first bytes alone. Returns elf_image_open()'s error for these, or NULL. */
struct error *elf_image_probe(const char *path);
/* Opens a file in memory, which must outlive the image. `name` is for messages. */
struct error *elf_image_open_memory(const void *data, size_t size, const char *name,
				    struct elf_image **result);
void elf_image_close(struct elf_image *image);
/* Opens the symbols that a stripped object carries in .gnu_debugdata, together with its own.
 * Nothing but symbols has contents there. *result is NULL without an error if there are none, or if
 * the object has a .symtab. The caller closes it, before or after `image`. */
struct error *elf_image_open_embedded(const struct elf_image *image, struct elf_image **result);

const char *elf_image_path(const struct elf_image *image);
/* Returns the status of the image's file when it was opened; all zero: it is in memory. */
const struct stat *elf_image_file(const struct elf_image *image);
/* Returns bytes of the image, or a copy of them in `buffer`, which has room for them: near bytes
 * that are not needed, which the kernel maps as well. */
const void *elf_image_peek(const struct elf_image *image, const void *bytes, size_t size,
			   void *buffer);
/* Returns the bytes of the file, for libdw only. */
const void *elf_image_data(const struct elf_image *image, size_t *size);
/* Gives back the memory of these bytes of the file (a part of elf_image_data()). They stay valid,
 * and are read from the file again when they are used. */
void elf_image_done_with(const struct elf_image *image, const void *bytes, size_t size);
/* The same of the code from `low` up to `high` that is as in the file. No thread may apply
 * alternatives meanwhile. */
void elf_image_done_with_code(const struct elf_image *image, uint64_t low, uint64_t high);
/* The same of the names of all symbols. */
void elf_image_done_with_names(const struct elf_image *image);
/* Returns how many bytes of code may be decoded for one purpose, over all functions of the object.
 * Symbols and ranges may overlap, so that each of many functions is all of the code. No real
 * program comes near this. */
static inline uint64_t elf_image_code_max(const struct elf_image *image)
{
	size_t size;

	elf_image_data(image, &size);
	return ((uint64_t)1 << 20) + 4 * (uint64_t)size;
}
int elf_image_type(const struct elf_image *image); /* ET_EXEC, ET_DYN, ET_REL */
/* Returns the architecture of the image's code; NULL for the i386, which is not decoded. */
const struct arch *elf_image_arch(const struct elf_image *image);
const struct build_id *elf_image_build_id(const struct elf_image *image);
/* True if the id is the build id of the image, or that of its content if it has none. */
bool elf_image_is_build(const struct elf_image *image, const struct build_id *id);
/* True if .debug_info or .zdebug_info has contents. */
bool elf_image_has_debug_info(const struct elf_image *image);
/* Returns the name of another format than DWARF and BTF that the image has debug information in, or
 * NULL. Nothing here reads it. */
const char *elf_image_other_debug_format(const struct elf_image *image);

/* Finds the file address at which an executable PT_LOAD loads file offset `offset`; false: none
 * does. The pages in which a segment begins and ends belong to it as a whole. */
bool elf_image_offset_to_address(const struct elf_image *image, uint64_t offset, uint64_t *address);
/* The same, but tries PT_LOADs of data first. */
bool elf_image_offset_to_data(const struct elf_image *image, uint64_t offset, uint64_t *address);
/* Returns whether a PT_LOAD of data takes up the address, in the file or in memory alone (.bss). */
bool elf_image_has_data(const struct elf_image *image, uint64_t address);
/* Finds the addresses that the PT_LOADs near `address` take up in memory, from the first to the end
 * of the last. Near means less than 2 GiB away, because the per-cpu variables of a kernel have a
 * segment at 0. False: there are none (ET_REL). */
bool elf_image_span(const struct elf_image *image, uint64_t address, uint64_t *start,
		    uint64_t *end);

/* Finds where the only segment with code is loaded, from the beginning of its first page. False: no
 * segment has code, or several have. This works for a separate debug file, too, whose segments have
 * no contents. */
bool elf_image_code_segment(const struct elf_image *image, uint64_t *address, uint64_t *size);

/* Returns the bytes at a file address, in place; *available is how many there are up to the end of
 * the section. NULL: they are not in the file (.bss, or the sections of a separate debug file). */
const uint8_t *elf_image_bytes(const struct elf_image *image, uint64_t address, size_t *available);
/* The same for code that disasm/ decodes: NULL also for the i386, which it does not know. */
const uint8_t *elf_image_code(const struct elf_image *image, uint64_t address, size_t *available);
/*
 * Copies bytes at a file address. False: not all of them are in the file. With `constant`, copies
 * only bytes that the running program does not change: those of sections that are not writable,
 * those that become read-only after relocation (PT_GNU_RELRO), and the kernel's .rodata except
 * variables that its initialization writes. A constant that the dynamic linker fills in is copied
 * only where it is known: all 8 bytes of a pointer into this object.
 */
bool elf_image_read(const struct elf_image *image, uint64_t address, void *buffer, size_t size,
		    bool constant);

struct elf_section {
	const char *name;
	uint64_t address, size;
	bool executable, writable, thread_local_;
	/* the kernel's .data..percpu: each processor has a copy, which it finds through %gs. The
	 * addresses here are those of no memory, and begin at 0 in most kernels
	 * (include/asm-generic/vmlinux.lds.h, PERCPU_VADDR). */
	bool per_cpu;
};
/* Returns the first section of this name; NULL: none, compressed, or not in the file. */
const uint8_t *elf_image_contents(const struct elf_image *image, const char *name, size_t *size);
/* Finds the allocated section that holds `address` (.tbss takes up no addresses); false: none. */
bool elf_image_section_at(const struct elf_image *image, uint64_t address,
			  struct elf_section *result);
/* Finds the section of a number, in the order of their addresses, from 0 on. */
bool elf_image_section_numbered(const struct elf_image *image, size_t number,
				struct elf_section *result);
bool elf_image_section_named(const struct elf_image *image, const char *name,
			     struct elf_section *result);

/* Returns the functions (STT_FUNC, STT_GNU_IFUNC, PLT stubs, and STT_NOTYPE in code: labels of
 * assembly) and objects of .symtab and .dynsym, sorted by address. At one address functions come
 * first, and among these the one that perf shows: one that has a size, is not a mere label, not
 * weak, global, and has the fewest leading underscores and the longest name. */
const struct symbol *elf_image_symbols(const struct elf_image *image, size_t *count);
/* Returns those of them that begin at an address. Of a large file this reads the symbols there. */
const struct symbol *elf_image_symbols_at(const struct elf_image *image, uint64_t address,
					  size_t *count);
/* Reads the symbol tables, if that has not been done, so that later calls have to wait less. */
void elf_image_read_symbols(const struct elf_image *image);
/* True if .symtab or .dynsym has symbols; added ones do not count. */
bool elf_image_has_symbols(const struct elf_image *image);
bool elf_image_was_given_symbols(const struct elf_image *image);
/* Adds symbols from elsewhere (the kernel's own list) to a file that was stripped of them. Call
 * this before any symbol is asked for. Symbols outside all sections are ignored; names are copied;
 * sizes may be 0. */
void elf_image_add_symbols(struct elf_image *image, const struct symbol *symbols, size_t count);
/* Makes a file without .symtab use that of `file`, its debug file, which must stay open as long as
 * the image. Call this before any symbol is asked for. A file with .symtab and a relocatable one,
 * whose sections have other addresses there, stay as they are. */
void elf_image_set_symbol_file(struct elf_image *image, const struct elf_image *file);
/* Returns the file whose .symtab the image uses, or NULL if that is its own. */
const struct elf_image *elf_image_symbol_file(const struct elf_image *image);
/* Appends an ELF file that has the image's .symtab and no other contents, or nothing if there is
 * none, or the image is relocatable or of 32 bits. Its last bytes are the symbols, as many as it
 * returns, from *entries on, and their names in the same order. */
size_t elf_image_copy_symbols(const struct elf_image *image, struct strbuf *copy, size_t *entries);
/* Returns the function symbol that covers `address`, the innermost of several and the first of its
 * aliases, or NULL. Labels within a sized STT_FUNC are not functions. PLT stubs are symbols named
 * "memcpy@plt"; the first entry of a PLT is ".plt". */
const struct symbol *elf_image_function_at(const struct elf_image *image, uint64_t address);
/* Returns the data symbol that covers `address`, or NULL. */
const struct symbol *elf_image_object_at(const struct elf_image *image, uint64_t address);
/* Returns the first symbol of this name, or NULL. Global symbols come before local ones, and
 * thread-local ones (see elf_image_tls_symbols() for their address) are last; else the order is
 * that of elf_image_symbols(). */
const struct symbol *elf_image_symbol_named(const struct elf_image *image, const char *name);
/* Finds the address of the same symbol. False: there is none. */
bool elf_image_symbol_address(const struct elf_image *image, const char *name, uint64_t *address);
/* True for STT_FUNC, STT_GNU_IFUNC, and labels in code. */
bool symbol_is_function(const struct symbol *symbol);
/* True for the symbols that elf_image_object_at() finds: STT_OBJECT. */
bool symbol_is_data(const struct symbol *symbol);
/* Returns STT_TLS symbols, whose `address` is the offset in the object's own TLS block. */
const struct symbol *elf_image_tls_symbols(const struct elf_image *image, size_t *count);

/* Returns the address at which the memory of a relocatable file begins; 0 for other files. */
uint64_t elf_image_load_base(const struct elf_image *image);
/* Returns the undefined symbol that `address` of a relocatable file stands for, or NULL. */
const char *elf_image_import_at(const struct elf_image *image, uint64_t address, uint64_t *offset);
/* Applies the relocations of a relocatable file's section to `contents`: those of a section that
 * was compressed. All other sections are relocated already. */
void elf_image_relocate(const struct elf_image *image, size_t section, uint8_t *contents,
			size_t size);

/* Makes the functions at these addresses look as they do in a running kernel, which replaces
 * instructions when it boots. Only replacements that are the same on all machines are made. Call
 * this before anybody reads the code. */
void elf_image_apply_alternatives(struct elf_image *image, const uint64_t *addresses, size_t count);

/* Returns the name of the import that the PLT stub at `address` (.plt, .plt.sec, .plt.got) calls,
 * or NULL if there is no stub. In static programs this is the STT_GNU_IFUNC function, in
 * relocatable files the undefined symbol. */
const char *elf_image_plt_import(const struct elf_image *image, uint64_t address);

/* A relocation: the value that the (dynamic) linker puts at an address. */
struct elf_relocation {
	uint8_t kind;     /* enum relocation_kind (arch/arch.h) */
	const char *name; /* of the symbol; NULL: none, or a section's */
	int64_t addend;
	bool defined; /* the symbol is in this object (or there is none): `target` is known */
	/* symbol + addend, a file address; TLS: offset in the object's block; 0: not known */
	uint64_t target;
};
/* Finds the relocation of exactly this address, whatever its width. */
bool elf_image_relocation_at(const struct elf_image *image, uint64_t address,
			     struct elf_relocation *result);

/*
 * Finds what the 8-byte slot at `address` (GOT entry, or a pointer in .data.rel.ro) holds when the
 * program runs. *name is the symbol, or NULL where there is none or the slot does not hold exactly
 * its address. *target is the file address, if it is in this object and known before the program
 * runs (STT_GNU_IFUNC is not), else 0. In programs that are not PIE there may be no relocation;
 * then the contents of .got, .got.plt and .data.rel.ro are the target. False: there is no pointer
 * at `address`.
 */
bool elf_image_slot(const struct elf_image *image, uint64_t address, const char **name,
		    uint64_t *target);

#define ELF_TLS_ELSEWHERE UINT64_MAX
/* Finds the thread-local variable of the GOT slot at `address`: its distance from the thread
 * pointer (initial exec), module and offset (general and local dynamic), a descriptor, or a
 * constant that the linker left. *offset is in this object's own TLS block, or ELF_TLS_ELSEWHERE if
 * the variable is in another object; *name may be NULL. False: no such slot. */
bool elf_image_tls_slot(const struct elf_image *image, uint64_t address, uint64_t *offset,
			const char **name);
/* Finds size and alignment of PT_TLS; false: there is none. In the main program's block, %fs:-x is
 * at offset (size rounded up to alignment) - x. */
bool elf_image_tls_segment(const struct elf_image *image, uint64_t *size, uint64_t *alignment);

/*
 * Finds the separate debug file of `image`: by build id under DIR/.build-id; then by .gnu_debuglink
 * beside the file, in .debug beside it, and under DIR + its folder; then by the file's own name in
 * .debug beside it, and under DIR + its path, with and without ".debug". If DIR is
 * ROOT/usr/lib/debug, the paths of files below ROOT begin there. DIR is each of
 * `directories` (NULL-terminated; NULL means "/usr/lib/debug" only). The file must have the same
 * build id; where one of the two has none, it must have the CRC of .gnu_debuglink (which is not
 * calculated for files of more than 2 GB). The caller frees *path; it is NULL without an error if
 * there is no such file. An error says that a file exists but cannot be read or checked.
 */
struct error *elf_image_find_debug_file(const struct elf_image *image,
					const char *const *directories, char **path);
/*
 * Finds the alternate file of `image` (.gnu_debugaltlink), which has the debug information that dwz
 * found in several files: at the path of the link (relative to the image's own), under
 * DIR/.build-id, and under DIR/.dwz, where the first DIRs are ROOT/usr/lib/debug for each folder
 * ROOT above the image. It must have the build id of the link. As above, but the error is
 * ERROR_NO_DEBUG_INFO if there is a link and no such file, and *path is NULL if there is no link.
 */
struct error *elf_image_find_alt_file(const struct elf_image *image, const char *const *directories,
				      char **path);

/* Finds the first build id (NT_GNU_BUILD_ID) in ELF notes (n_namesz, n_descsz, n_type, name,
 * description, each 4-byte aligned), as in a PT_NOTE or in /sys/kernel/notes. It is cut at
 * BUILD_ID_SIZE bytes, as in perf.data. False: there is none, and *build_id is empty. */
bool build_id_from_notes(const void *notes, size_t size, struct build_id *build_id);
bool build_id_equal(const struct build_id *left, const struct build_id *right);
/* Makes an id of the content of a file without a build id. Call it with each CONTENT_CHUNK bytes in
 * turn, the last time with the rest; the id is zero before the first call. Recordings keep such
 * ids: a change of the hash makes their files unknown. */
#define CONTENT_CHUNK 65536
void build_id_add_content(struct build_id *id, const void *bytes, size_t size);

/* The hexadecimal digits of a build id. */
struct build_id_text {
	char hex[2 * BUILD_ID_SIZE + 1];
};

struct build_id_text build_id_text(const struct build_id *build_id);
/* Appends the hexadecimal bytes at the start of `text` to the build id. Returns the text after
 * them. */
const char *build_id_parse(const char *text, struct build_id *build_id);

/*
 * ---- ELF files that are made ----
 *
 * A 64-bit ELF file that is made in memory, section by section. Zero-initialized is empty.
 */

#define ELF_COMPOSITION_MAX 32 /* sections */

struct elf_composition {
	uint8_t *data; /* the caller frees it; moves when a section is added */
	size_t size;
	char names[1024];
	size_t names_size;
	Elf64_Shdr sections[ELF_COMPOSITION_MAX + 2]; /* with the null section and the names */
	size_t section_count;
};

/* Adds a section with this type, flags, address and size. Returns where in `data` its contents
 * begin, which the caller fills in (SHT_NOBITS has none). */
size_t elf_composition_add(struct elf_composition *file, const char *name,
			   const Elf64_Shdr *section);
/* Writes the names and headers. `type` is ET_*, `machine` EM_*. */
void elf_composition_finish(struct elf_composition *file, uint16_t type, uint16_t machine);

/*
 * ---- core files ----
 *
 * The memory of a running kernel, /proc/kcore or a copy of it (proc(5)), as an image: the code as
 * it is executed, after alternatives, static calls and tracing have patched it. A core file has
 * only segments, so the caller says which sections there are.
 */

/* A section to make of the memory at [low, high). */
struct core_range {
	const char *name;
	uint64_t low, high;
	uint32_t type;  /* SHT_*; SHT_NOBITS: nothing is read */
	uint64_t flags; /* SHF_* */
};

/* True if the file is an ELF core file. False also if it cannot be read. */
bool elf_is_core(const char *path);
/* True if the file is a program that a dynamic linker starts. No kernel is one. */
bool elf_is_program(const char *path);
/* Opens a core file as an image with these ranges as sections. The core file must hold the first
 * range; others that it does not hold are left out. The image is a copy of this moment, at the
 * addresses at which the kernel runs. */
struct error *elf_core_open(const char *path, const struct core_range *ranges, size_t count,
			    struct elf_image **result);

/* ---- names ---- */

/* Returns the name of a C++ or Rust function as its author wrote it and as perf shows it: without
 * parameters and return type in C++, without the hash in Rust (both its manglings). The suffix of a
 * PLT stub ("@plt") stays. The caller frees the result. NULL: the name is not mangled, or its text
 * would be longer than anybody reads. Thread-safe. */
char *symbol_demangle(const char *name);
