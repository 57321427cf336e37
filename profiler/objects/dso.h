/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The objects that samples fall in: executables, libraries, the kernel, the vdso, anonymous code.
 *
 * A dso is known by its path and build id; its files are opened when first asked for, once, and the failure
 * to open them is remembered as one message.
 */
#ifndef DTPROF_OBJECTS_DSO_H
#define DTPROF_OBJECTS_DSO_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/debug.h"
#include "dwarf/elf/image.h"
#include "profiler/base/error.h"

enum dso_kind {
	DSO_USER,
	DSO_KERNEL,
	DSO_MODULE,
	DSO_KSYMBOL, /* code that the kernel announced by name (PERF_RECORD_KSYMBOL): a BPF program, a
			trampoline */
	DSO_VDSO,
	DSO_ANONYMOUS,
	DSO_GUEST_KERNEL,
	DSO_UNKNOWN
};

struct dso {
	uint32_t id; /* index in the session's table: order of first appearance */
	enum dso_kind kind;
	const char *long_name;    /* path, or "[kernel.kallsyms]", "[vdso]", "//anon" */
	const char *short_name;   /* what the `dso` column shows: base name, or as long_name */
	struct build_id build_id; /* from the file's build-id table or MMAP2; size 0: none */
	/* The kernel: a symbol, and the address that it had when this was recorded; NULL: not known. The
	 * kernel may run at other addresses than its file has (KASLR). */
	const char *reference_symbol;
	uint64_t reference_address;
	uint64_t text_size;    /* of the first map of these; bytes */
	uint64_t load_address; /* of a module or a ksymbol, where it was first */
	const struct dso
		*kernel; /* of a module: what it was loaded into; of a kernel itself; NULL: not recorded */
	const char *release; /* of the kernel that was recorded, as uname(2) has it; NULL: not known */
	/* Of the first map of its code, where has_code: */
	bool has_code;
	int32_t pid;              /* the process */
	uint64_t mount_namespace; /* inode of the process's; 0: not recorded */
	uint64_t code_offset;     /* where in the file the map begins */
	bool refused;             /* private: the file of its path, or that was asked for, is not it */
	struct dso_files *files;  /* private: what has been opened */
	struct btf_bases *bases;  /* private: what the modules of a table share; the table's */
};

struct dso_options {
	bool force;                  /* -f: symbols of JIT code from files of other owners, too */
	const char *symfs;           /* prefix for every path, see dso_path_in(); NULL: none */
	const char *build_id_folder; /* perf's cache by build id; NULL: ~/.debug */
	const char *vmlinux;         /* -k; NULL: search */
	bool no_vmlinux;             /* do not search: symbols and types come from elsewhere */
	const char *kallsyms;
	const char *modules; /* a copy of /proc/modules: where modules were whose maps were not recorded;
				NULL: none */
	const char *btf;     /* --btf: the kernel's BTF, or a folder of it and its modules'; NULL: search */
	bool no_btf;         /* types from DWARF alone */
};

/*
 * The object file, opened and its build id checked against the recorded one. On failure *problem is a message
 * that lives as long as the dso (what, where, what to do), the same for every call, and NULL is returned. Not
 * thread-safe.
 */
const struct elf_image *dso_image(struct dso *dso, const struct dso_options *options, const char **problem);
/* The separate debug file of the object; NULL: it has none on this machine. As above, after dso_image(). */
const struct elf_image *dso_debug_image(struct dso *dso, const struct dso_options *options);
/* The debug information of the object, from itself or its separate file; as above. */
struct debug_object *dso_debug(struct dso *dso, const struct dso_options *options, const char **problem);
/* Before the code of these functions of a kernel or module is read: it becomes what the running kernel had
 * made of it, as far as the file tells. Does nothing where the code is the kernel's memory. */
void dso_apply_alternatives(struct dso *dso, const uint64_t *addresses, size_t count);
/*
 * Where the types of the object come from, and its code and symbols, if that is BTF: one line, "[btf]
 * /sys/kernel/btf/vmlinux, code
 * ..."; NULL: from DWARF, or there are none. Valid as long as the dso; after dso_debug().
 */
const char *dso_btf_source(const struct dso *dso);
/*
 * The file address of an offset in the dso's file; in a kernel or a module, which are known by the addresses
 * that they run at, of such an address. The offset itself where there is no file.
 */
uint64_t dso_file_address(struct dso *dso, const struct dso_options *options, uint64_t offset);
/* The same of an offset in a map of data, which are other segments than those of code. */
uint64_t dso_data_address(struct dso *dso, const struct dso_options *options, uint64_t offset);
/* The data symbol at a file address, or the function symbol if there is none; as dso_symbol_at(). */
const struct symbol *dso_data_symbol_at(struct dso *dso, const struct dso_options *options, uint64_t address);
/* The function symbol at a file address; also from the separate debug file's .symtab, or, where there is no
 * such file, from .gnu_debugdata. NULL: none. */
const struct symbol *dso_symbol_at(struct dso *dso, const struct dso_options *options, uint64_t address);
/*
 * What the functions above do when they are first asked, now: files are opened, symbols or debug information
 * read. Threads may do it for different objects at once.
 */
void dso_prepare(struct dso *dso, const struct dso_options *options, bool symbols, bool debug);
/* Why a file with symbols is there, but not used, or why functions of a kernel or module have no names; NULL:
 * nothing is wrong. After dso_symbol_at(); lives as long as the dso. */
const char *dso_symbol_problem(const struct dso *dso);

#endif
