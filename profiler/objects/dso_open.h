/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds and opens the file of a DSO, its debug file and its BTF. Private to profiler/objects.
 *
 * A file may be at its recorded path, in the mount namespace of its process, among the installed
 * debug files, in perf's cache by build id, or on a debuginfod server. It is used only if it has
 * the recorded build id.
 */
#pragma once

#include "dwarf/btf/btf.h"
#include "profiler/objects/dso.h"
#include "profiler/objects/symbol_map.h"

/* ---- opening ---- */

/* Returns the object file, or NULL with the reason in *problem. If its symbols come from another
 * file, *symbol_source is the path of that. The caller frees both texts. */
struct elf_image *dso_open_image(struct dso *dso, const struct dso_options *options,
				 char **symbol_source, char **problem);

/* Opens the separate debug file of `image`, the stripped object of `dso`. Sets *result to it (the
 * caller closes it), or to NULL if there is none. */
struct error *dso_open_debug_file(const struct dso *dso, const struct elf_image *image,
				  const struct dso_options *options, struct elf_image **result);

/* Returns the debug file of an object that is not on this machine any more, found by its build id,
 * or NULL. It has the symbols, but no code. */
struct elf_image *dso_open_lost_debug(const struct dso *dso, const struct dso_options *options);

/* Reads the map of symbols that a just-in-time compiler wrote for the process of `dso`: first in
 * the process's own namespaces, then in this one's /tmp, if it is not another process's.
 * ERROR_NOT_FOUND: it wrote none. */
struct error *dso_read_jit_map(struct dso *dso, const struct dso_options *options,
			       struct symbol_map *map);

/* ---- parts, for kernel.c ---- */

/* Opens the file at `path`. Returns NULL, with the reason in *problem, if it is not an ordinary
 * file or has another build id than the recorded one. A text that *problem had before is freed. */
struct elf_image *dso_try_image(const struct dso *dso, const char *path, char **problem);

/* Returns `image` if it has the recorded build id. Otherwise closes it, sets *problem as
 * dso_try_image() does and returns NULL. If there is no image, `error` says why, and is freed. */
struct elf_image *dso_check_image(const struct dso *dso, const char *path, struct elf_image *image,
				  struct error *error, char **problem);

/* Judges the file of `image`, which may be NULL, by its inode and time if no build id tells whether
 * it is the recorded one. Returns the image, or closes it and returns NULL; *problem then is a
 * message, unless it had a text before. Sets dso->unsure if nothing tells, because it was recorded
 * on another machine. */
struct elf_image *dso_judged_image(struct dso *dso, struct elf_image *image, char **problem);
/* Returns whether the library that asks debuginfod servers is installed. */
bool dso_has_debuginfod(void);
/* Returns the folder in which that library keeps files, or NULL; the caller frees it. */
char *dso_debuginfod_cache(void);

enum debuginfod_kind { DEBUGINFOD_EXECUTABLE, DEBUGINFOD_DEBUG_INFO };

/* Returns a debuginfod server's file for the build id, or NULL; errors go to *problem. */
struct elf_image *dso_fetch_image(const struct dso *dso, enum debuginfod_kind kind, char **problem);

/* Returns `path` under `root`, which may be NULL. A path that is under the root already is not
 * moved there a second time. For a root "DIR,flat" the result is the last part of the path in DIR;
 * "DIR,hierarchy" means DIR. The caller frees it. */
char *dso_path_in(const char *root, const char *path);

/* Returns "/usr/lib/x" for "/lib/x", and the other way round; also below /usr/lib/debug, and for
 * other folders that the merging of /usr moved. NULL: `path` is in none of them. To be freed. */
char *dso_path_merged(const char *path);

/*
 * Returns the path of an object's file called `name`, which came with the recording (archive.h) or
 * is in perf's cache by build id (perf-buildid-cache(1)):
 * "elf" (the object), "debug" (its separate debug file), "companion", "vdso", "kallsyms" (the
 * symbols of the kernel when it was recorded) or "vmlinux". Returns NULL if it is not there or not
 * an ordinary file. Nobody has checked its build id. The caller frees it.
 */
char *dso_path_cached(const struct dso *dso, const char *name);

/* ---- companions ---- */

/*
 * Sets *result to the companion of `image`, which must outlive it, or to NULL if there is none:
 * that which --companion names, the one beside the object, in the system's folder or in the user's
 * cache. An error says why one that is there is not used.
 */
struct error *dso_open_companion(const struct dso *dso, const struct elf_image *image,
				 const struct dso_options *options, struct debug_object **result);

/* ---- BTF of objects without DWARF ---- */

/* Opens the BTF that --btf names; else the object's own; else the running kernel's, if the object
 * belongs to it. `image` must outlive the result, which the caller closes with btf_close(). The BTF
 * that a module is based on belongs to `dso->bases`. ERROR_NO_DEBUG_INFO: there is none; the
 * message says what could be given. */
struct error *dso_btf_open(const struct dso *dso, const struct elf_image *image,
			   const struct dso_options *options, struct btf **result);

/* The BTF of kernels that several modules are based on. Each is read once, because it may have to
 * be unpacked from a boot image. Destroy it after closing all BTF that is based on it. */
struct btf_bases;

struct btf_bases *btf_bases_create(void);
void btf_bases_destroy(struct btf_bases *bases);

/* Sets *result to what btf_open() gives for `path`; `bases` owns it. `path` may be a kernel's
 * memory if `symbols` is its list of symbols (kcore_open_btf()); otherwise `symbols` is NULL. May
 * be called by several threads at once. */
struct error *btf_bases_open(struct btf_bases *bases, const char *path, const char *symbols,
			     const struct btf **result);
