/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DSOs: the executables, libraries, kernels, vDSOs and anonymous code that samples fall in.
 *
 * A DSO is known by its path and build id, or inode. A struct dso_table creates and owns it.
 * Its files are opened when they are first asked for, and closed with the table. A failure is
 * remembered as one message, and the file is not tried again.
 */
#pragma once

#include "dwarf/debug.h"
#include "dwarf/elf/image.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/memory.h"
#include "profiler/objects/bpf_image.h"

enum dso_kind {
	DSO_USER,
	DSO_KERNEL,
	DSO_MODULE,
	DSO_KSYMBOL, /* code that the kernel announced (PERF_RECORD_KSYMBOL): BPF, a trampoline */
	DSO_VDSO,
	DSO_ANONYMOUS,
	DSO_GUEST_KERNEL,
	DSO_UNKNOWN
};

struct dso {
	uint32_t id; /* index in the session's table: order of first appearance */
	enum dso_kind kind;
	const char *long_name;    /* path, or "[kernel.kallsyms]", "[vdso]", "//anon" */
	const char *short_name;   /* as in the `dso` column: the base name, or long_name */
	struct build_id build_id; /* of the recorded object; size 0: not recorded */
	/* For a kernel: the address that a symbol had when it was recorded; NULL: not known. It may
	 * differ from the address in the kernel's file (KASLR). */
	const char *reference_symbol;
	uint64_t reference_address;
	uint64_t text_size;    /* bytes; of the first map of a kernel, module or ksymbol */
	uint64_t load_address; /* start of the first map of a module or ksymbol */
	/* The kernel that loaded a module; of a kernel, itself. NULL: not recorded. */
	const struct dso *kernel;
	const char *release; /* of the recorded kernel, as in uname(2); NULL: not known */
	/* The first map of its code, if has_code is set: */
	bool has_code;
	int32_t pid;              /* the process */
	uint64_t mount_namespace; /* inode of the process's mount namespace; 0: not recorded */
	uint64_t code_offset;     /* file offset of the start of the map */
	uint64_t inode;           /* of a file without a build id; 0: not recorded */
	/* Several build ids were recorded for its name, and nothing tells which is its own. */
	bool ambiguous;
	/* The end of the recording in ns since 1970; 0: not known. */
	int64_t recorded_until;
	bool recorded_elsewhere; /* on a machine of another name */
	/* Private: the file at its path, or the one the user named, is a different one, or cannot
	 * be read. */
	bool refused, unread;
	/* It may be a different one: the file has no build id, and was recorded on another machine
	 * or has an inode that was changed since; or the map of symbols was made after the
	 * recording. Known when it was opened. */
	bool unsure;
	struct dso_files *files; /* private: the open files */
	struct btf_bases *bases; /* private: shared by the modules of a table, which owns it */
	/* The files that came with the recording; NULL: none. Belongs to the session. */
	const struct recording_archive *archive;
	const struct bpf_programs *programs; /* of the table */
};

/* Returns whether the DSO is a kernel or one of its modules. */
static inline bool dso_is_kernel(const struct dso *dso)
{
	return dso->kind == DSO_KERNEL || dso->kind == DSO_GUEST_KERNEL || dso->kind == DSO_MODULE;
}

/* --buildid-dir: perf's cache by build id; NULL: ~/.debug */
extern const char *build_id_folder;

/* The places of object files, as the user gives them. Strings are not owned. */
struct dso_options {
	bool force;           /* -f: read maps of JIT code that belong to other users */
	const char *symfs;    /* --symfs, the prefix of every path; NULL: none */
	const char *vmlinux;  /* -k; NULL: search */
	/* where the file of -k is, if it is open already: a kernel takes it; NULL: nowhere */
	struct elf_image **opened_vmlinux;
	bool no_vmlinux;      /* do not search for vmlinux */
	const char *kallsyms; /* --kallsyms: a list of the kernel's symbols; NULL: search */
	/* A copy of /proc/modules, for modules whose maps were not recorded. NULL: none. */
	const char *modules;
	const char
		*btf; /* --btf: the kernel's, or a folder with that of modules, too; NULL: search */
	bool no_btf;  /* use only DWARF */
	/* --companion: a companion, or a folder of companions; NULL: search */
	const char *companion;
	bool no_companion; /* use none */
	/* with no_companion: where there is no other debug information, take a companion's BTF */
	bool companion_btf;
	/* debug_object_separate_units() for kernels and modules, for questions about few functions
	 */
	bool separate_kernel;
	/* --source-root: a folder whose sources are read whoever may; NULL: none */
	const char *source_root;
};

/*
 * Returns the object file, whose build id is the recorded one. The DSO owns it. On failure returns
 * NULL, and sets *problem, which may be NULL, to a message (what, where, what to do) that is the
 * same for every call and lives as long as the DSO.
 *
 * This function and those below must not be called for one DSO by several threads at once.
 * `options` may be NULL.
 */
const struct elf_image *dso_image(struct dso *dso, const struct dso_options *options,
				  const char **problem);
/* Returns the separate debug file of the object, or NULL. Call dso_image() first. */
const struct elf_image *dso_debug_image(struct dso *dso, const struct dso_options *options);
/* Returns with whose rights the sources are read that the object and its debug file name. */
struct source_rights dso_source_rights(struct dso *dso, const struct dso_options *options);
/* Returns the debug information of the object or its file. Failures are as dso_image()'s. */
struct debug_object *dso_debug(struct dso *dso, const struct dso_options *options,
			       const char **problem);
/* Returns the only struct of this name in the BTF of a kernel whose code is not known
 * (dso_image()); NULL: there is none. One thread at a time. */
const struct type *dso_kernel_struct(struct dso *dso, const struct dso_options *options,
				     const char *name);
/* Returns the file of the companion that is used, or NULL. Call dso_image() first. */
const struct elf_image *dso_companion_file(const struct dso *dso);
/* Returns why a companion is not used, or NULL, of the DSO. Call dso_image() first. */
const char *dso_companion_problem(const struct dso *dso);
/* Patches the code of these functions of a kernel or module as the running kernel did at boot, as
 * far as the file describes the patches. Call it before reading that code. Does nothing if the code
 * comes from the kernel's memory. */
void dso_apply_alternatives(struct dso *dso, const uint64_t *addresses, size_t count);
/* Gives back the memory of the code, as elf_image_done_with_code(). */
void dso_done_with_code(const struct dso *dso);
/* Returns one line with the sources of types, code and symbols ("[btf] /sys/kernel/btf/vmlinux,
 * code ..."), or NULL if the types come from DWARF or there are none. Call dso_debug() first. The
 * line lives as long as the DSO. */
const char *dso_btf_source(const struct dso *dso);
/* Returns the file address of an offset in the DSO's file, or the offset if there is no file.
 * `offset` is an address for a kernel, and the distance from the load address for a module. */
uint64_t dso_file_address(struct dso *dso, const struct dso_options *options, uint64_t offset);
/* Returns the file address of an offset in a map of data, which is in another segment than code. */
uint64_t dso_data_address(struct dso *dso, const struct dso_options *options, uint64_t offset);
/* Returns the data symbol at a file address, or else the function symbol, or NULL. */
const struct symbol *dso_data_symbol_at(struct dso *dso, const struct dso_options *options,
					uint64_t address);
/* Returns the function symbol at a file address, or NULL. Searches the object, then its separate
 * debug file or, if it has none, .gnu_debugdata. */
const struct symbol *dso_symbol_at(struct dso *dso, const struct dso_options *options,
				   uint64_t address);
/* Opens the files and reads the symbols or the debug information, as the functions above do when
 * they are first called. Several threads may do this at once for different DSOs. */
void dso_prepare(struct dso *dso, const struct dso_options *options, bool symbols, bool debug);
/* Reads what questions about a kernel's functions need: symbols and, if `debug`, its debug
 * information. Call dso_image() first; others may call that and dso_file_address(), and nothing
 * else of this DSO, at the same time. */
void dso_read_ahead(struct dso *dso, const struct dso_options *options, bool debug);
/* Reads the symbol table that dso_prepare() with the same arguments, or a later request for types,
 * will need. Call dso_image() first. This function may run at the same time as dso_prepare(). */
void dso_read_symbols(const struct dso *dso, bool symbols, bool debug);

/* Finds the source line of an address in a BPF program. */
bool dso_bpf_line(const struct dso *dso, uint64_t address, struct bpf_line *line);

/* The part of a DSO that dso_debug() did not find. */
enum dso_lack {
	DSO_LACKS_NOTHING,
	DSO_LACKS_FILE,       /* the object is gone, or another file is at its path */
	DSO_LACKS_DEBUG_INFO, /* the object is there */
	DSO_LACKS_DEBUG_FILE, /* one that its debug information continues in */
	DSO_LACKS_OTHER,      /* debug information that cannot be read */
};
/* Returns what dso_debug() did not find. Call dso_debug() first. */
enum dso_lack dso_lack(const struct dso *dso);

/* Returns why a file with symbols is not used, or why functions of a kernel or module have no
 * names. NULL: nothing is wrong. Call dso_symbol_at() first. Lives as long as the DSO. */
const char *dso_symbol_problem(const struct dso *dso);

/* Returns whether a list of symbols is there, and dso_symbol_problem() tells why it is not used. */
bool dso_refused_symbols(const struct dso *dso);
/* Returns whether it is not used because the system failed to read it, which may go well next time.
 */
bool dso_unread_symbols(const struct dso *dso);

/* ---- all DSOs of a session, numbered in the order in which they appear ---- */

/* The table owns its DSOs. A zero-initialized one is empty. */
struct dso_table {
	struct dso **dsos; /* by id */
	size_t count, capacity;
	struct hash_index by_name;
	struct hash_index by_key;     /* name, kind, build id and inode */
	struct known_build_id *known; /* the file's table of build ids */
	size_t known_count, known_capacity;
	struct hash_index known_by_name;
	struct dso *last; /* what the last dso_table_get() returned if it was for a plain file */
	struct build_id last_asked; /* the build id of that call, */
	uint64_t last_inode;        /* and the inode */
	const struct dso *kernel;   /* the first kernel */
	/* See struct dso; set before the first dso_table_get(). */
	const char *release;
	int64_t recorded_until;
	bool recorded_elsewhere;
	struct btf_bases *bases; /* BTF of kernels that have modules; NULL: none */
	/* See struct dso; set before the first dso_table_get(). */
	const struct recording_archive *archive;
	struct bpf_programs programs; /* of the recording; filled before DSOs are opened */
	struct arena arena;           /* the DSOs and their names */
};

/* The object of all user space outside of the recorder's PID namespace. */
#define DSO_OUTSIDE_NAME "[outside the PID namespace]"

struct dso_origin {
	const char *name;                /* as in the record */
	const struct build_id *build_id; /* NULL: not recorded */
	uint64_t inode;                  /* of a file without a build id; 0: not recorded */
	bool kernel;                     /* a map of the kernel */
	bool guest;
	bool ksymbol;
	bool anonymous_code; /* executable, without a file: its name becomes /tmp/perf-PID.map */
	int32_t pid;         /* for anonymous_code */
};

/* Returns the DSO of a map. Adds it if it is new. */
struct dso *dso_table_get(struct dso_table *table, const struct dso_origin *origin);
/* Returns the DSO with the same name that has a build id, if `dso` has none, was not mapped as
 * code, and there is exactly one. Otherwise returns `dso`. */
struct dso *dso_table_with_build_id(const struct dso_table *table, struct dso *dso);
/* The map of a kernel or module; "[kernel.kallsyms]_text" has that symbol's `offset`. */
struct kernel_map {
	const char *name;
	uint64_t start, length, offset;
};
/* Stores where a kernel, module or ksymbol was. Only the first call for a DSO has an effect. */
void dso_table_set_kernel_map(struct dso_table *table, struct dso *dso,
			      const struct kernel_map *map);
/* Sets the build id of DSOs with this name whose maps have none (the file's table of build ids).
 * Call it before their first dso_table_get(). If a name is given two of them, none counts. */
void dso_table_add_build_id(struct dso_table *table, const char *name, bool kernel,
			    const struct build_id *build_id);
/* Frees the DSOs and closes their files. */
void dso_table_deinit(struct dso_table *table);

/* Returns whether a name is memory without a file: //anon, [heap], /SYSV..., [anon:NAME] ... */
bool dso_name_is_anonymous(const char *name);
