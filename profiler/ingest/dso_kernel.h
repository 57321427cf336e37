/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files a kernel and its modules are. Private to the files behind a dso. */
#ifndef DTPROF_INGEST_DSO_KERNEL_H
#define DTPROF_INGEST_DSO_KERNEL_H

#include "profiler/ingest/dso.h"
#include "profiler/ingest/jit_map.h"

/* As dso_open_image(). */
struct elf_image *dso_open_kernel(struct dso *dso, const struct dso_options *options, char **symbol_source,
				  char **problem);
struct elf_image *dso_open_module(struct dso *dso, const struct dso_options *options, char **problem);

/* The file that has the symbols of the kernel, as /proc/kallsyms has them, of whichever boot; NULL: none that
 * is known. To be freed. */
char *dso_kernel_symbols(const struct dso *dso, const struct dso_options *options);
/* The same of the boot whose memory is read: where its code is, a list of another boot does not tell. */
const char *dso_kernel_memory_symbols(const struct dso *dso, const struct dso_options *options);
/* Symbols of the kernel or module by such a file, as kallsyms_read() has them, for want of a file of its own:
 * also by /proc/kallsyms if that shows the recorded kernel where no build id tells. None, and no error: there
 * is no list. *map must be empty. */
struct error *dso_read_kernel_symbols(const struct dso *dso, const struct dso_options *options,
				      bool with_data, struct jit_map *map);
/* A further folder like /usr/lib/debug: the one that -k's vmlinux is in the `boot` of; NULL: none. To be
 * freed. */
char *dso_kernel_debug_folder(const struct dso_options *options);

#endif
