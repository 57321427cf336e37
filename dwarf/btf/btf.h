/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF, opened: the kernel's or a module's types and function prototypes, without the code that they belong
 * to.
 *
 * It comes as a file of its own (/sys/kernel/btf/vmlinux, or one that was copied from there) or as the .BTF
 * section of an ELF file. A module's goes on from the kernel's, its base. Immutable, so several objects and
 * all threads may use one.
 */
#ifndef DTPROF_DWARF_BTF_H
#define DTPROF_DWARF_BTF_H

#include "dwarf/elf/image.h"
#include "profiler/base/error.h"

struct btf;

/* `base`, if not NULL, must outlive the result. ERROR_NO_DEBUG_INFO: an ELF file without .BTF. */
struct error *btf_open(const char *path, const struct btf *base, struct btf **result);
/* From the sections of an image, which must outlive the result. */
struct error *btf_open_image(const struct elf_image *image, const struct btf *base, struct btf **result);
/* `data` must outlive the result. */
struct error *btf_open_memory(const void *data, size_t size, const struct btf *base, const char *name,
			      struct btf **result);
void btf_close(struct btf *btf);

/* Where it was read from, for messages. */
const char *btf_path(const struct btf *btf);

/* The id of a function, or 0. */
uint32_t btf_function_id(const struct btf *btf, const char *name);
/* Offset in bytes of a member of a struct, also of one in its anonymous structs and unions; -1: there is
 * none. */
int64_t btf_member_offset(const struct btf *btf, const char *structure, const char *member);

#endif
