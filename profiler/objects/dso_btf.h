/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the BTF of a kernel, a module or another object without DWARF. Private to profiler/objects.
 */
#ifndef DTPROF_OBJECTS_DSO_BTF_H
#define DTPROF_OBJECTS_DSO_BTF_H

#include "dwarf/btf/btf.h"
#include "profiler/objects/dso.h"

/*
 * Opens the BTF that --btf names, that the object contains, or that the running kernel has if the
 * object belongs to it. `image` must outlive the result, which the caller closes with btf_close().
 * The BTF that a module is based on belongs to `dso->bases`. ERROR_NO_DEBUG_INFO: there is none;
 * the message says what could be given.
 */
struct error *dso_btf_open(const struct dso *dso, const struct elf_image *image,
			   const struct dso_options *options, struct btf **result);

/*
 * The BTF of kernels that several modules are based on. Each is read once, because it may have to
 * be unpacked from a boot image. Destroy it after closing all BTF that is based on it.
 */
struct btf_bases;

struct btf_bases *btf_bases_create(void);
void btf_bases_destroy(struct btf_bases *bases);

/*
 * Sets *result to what btf_open() gives for `path`; `bases` owns it. `path` may be a kernel's
 * memory if `symbols` is its list of symbols (kcore_open_btf()); otherwise `symbols` is NULL. May
 * be called by several threads at once.
 */
struct error *btf_bases_open(struct btf_bases *bases, const char *path, const char *symbols,
			     const struct btf **result);

#endif
