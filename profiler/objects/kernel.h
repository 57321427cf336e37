/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a kernel and its modules, and what the running kernel offers: its memory, its
 * symbols, its BTF, the vDSO.
 */
#pragma once

#include "profiler/objects/dso.h"
#include "profiler/objects/symbol_map.h"

/* ---- the files of a kernel and its modules ---- */

/* Opens the file of a kernel or module. Returns the image, which the caller closes, or NULL with
 * the reason in *problem, as dso_open_image() does. If a kernel's image has no symbols, *problem
 * says so. */
struct elf_image *dso_open_kernel(struct dso *dso, const struct dso_options *options,
				  char **symbol_source, char **problem);
struct elf_image *dso_open_module(struct dso *dso, const struct dso_options *options,
				  char **problem);

/* Returns the list of the kernel's symbols for the boot whose memory is read, or NULL. A list of
 * another boot would not tell where the code is. */
const char *dso_kernel_memory_symbols(const struct dso *dso, const struct dso_options *options);

/* Reads the symbols of a kernel or module that has no file, as kallsyms_read() does, from the list
 * of any boot. If no build id was recorded, /proc/kallsyms is used if it shows the recorded kernel.
 * If there is no list, *map stays empty without an error. */
struct error *dso_read_kernel_symbols(const struct dso *dso, const struct dso_options *options,
				      bool with_data, struct symbol_map *map);

/* Returns the name of a module, "virtio_net" for "[virtio_net]". The caller frees it. */
char *dso_module_name(const struct dso *dso);

/* Returns the folder above the one with the vmlinux of -k, or NULL without -k: /usr/lib/debug for
 * /usr/lib/debug/boot/vmlinux-6.1. The caller frees it. */
char *dso_kernel_debug_folder(const struct dso_options *options);

/* Returns the name of the package that has the debug information of a kernel, or NULL. It follows
 * from how distributions name releases. The caller frees it. */
char *kernel_debug_package(const char *release);

/* ---- the running kernel ---- */

#define RUNNING_KERNEL_SYMBOLS "/proc/kallsyms"
#define RUNNING_KERNEL_MEMORY  "/proc/kcore"
#define RUNNING_KERNEL_BTF     "/sys/kernel/btf"

/* Returns whether the running kernel has this build id. An empty build id gives false. */
bool running_kernel_is(const struct build_id *build_id);
/* Returns whether the running kernel's module `name`, as in /proc/modules, has this build id. */
bool running_kernel_has_module(const char *name, const struct build_id *build_id);

/* Opens the vDSO of this machine's kernel (vdso(7)), read from this process. */
struct error *vdso_image_open(struct elf_image **result);

/* Opens the BTF of a kernel's memory (/proc/kcore or a copy of it). `symbols` is a list like
 * /proc/kallsyms of the same boot. ERROR_NO_DEBUG_INFO: the kernel has no BTF. */
struct error *kcore_open_btf(const char *path, const char *symbols, struct elf_image **result);
