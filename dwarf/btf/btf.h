/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open BTF: types and function prototypes of the kernel or a module, without the code that they
 * belong to.
 *
 * BTF is a file of its own (/sys/kernel/btf/vmlinux, or a copy of it) or the .BTF section of an ELF
 * file. A module's BTF continues that of the kernel, its base. Open BTF is immutable, so several
 * objects and all threads may share it.
 */
#pragma once

#include "dwarf/elf/image.h"
#include "base/error.h"

struct btf;

/* Opens a file. A `base` must outlive the result. ERROR_NO_DEBUG_INFO: an ELF file without .BTF. */
struct error *btf_open(const char *path, const struct btf *base, struct btf **result);
/* The same from the sections of an image, which must outlive the result. */
struct error *btf_open_image(const struct elf_image *image, const struct btf *base,
			     struct btf **result);
/* The same from memory. `data` must outlive the result. */
struct error *btf_open_memory(const void *data, size_t size, const struct btf *base,
			      const char *name, struct btf **result);
void btf_close(struct btf *btf);

/* Returns where it was read from, for messages. */
const char *btf_path(const struct btf *btf);

/* Returns the id of a function, or 0. */
uint32_t btf_function_id(const struct btf *btf, const char *name);
/* Returns the offset in bytes of a member, also within anonymous structs and unions, or -1. */
int64_t btf_member_offset(const struct btf *btf, const char *structure, const char *member);

struct btf_types;

/* Returns the types of BTF by their ids, for data of which only the BTF is known, such as that of a
 * BPF map. A section of variables (BTF_KIND_DATASEC) is a struct of them. */
struct btf_types *btf_types_create(const struct btf *btf);
void btf_types_destroy(struct btf_types *types);
/* Returns the type of an id: void for 0, one without a size if the id is no type. */
const struct type *btf_types_get(struct btf_types *types, uint32_t id);
/* Returns the id of the only struct of this name, or 0. */
uint32_t btf_struct_id(const struct btf *btf, const char *name);
/* Returns the id of the type of the only variable of this name, or 0. */
uint32_t btf_variable_type(const struct btf *btf, const char *name);

struct debug_object;

/* Opens the BTF of an object. Both arguments must outlive it. Functions are found by the image's
 * symbols and have no variables but arguments of inlined calls; there are no lines, frame rows or
 * exception edges. ERROR_FORMAT: the BTF cannot belong to this object. */
struct error *btf_object_open(const struct elf_image *image, const struct btf *btf,
			      struct debug_object **result);
