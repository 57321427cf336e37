/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types, functions and variables of an object's debug information as the bytes of a .BTF
 * section. */
#ifndef DTPROF_DWARF_WRITE_BTF_H
#define DTPROF_DWARF_WRITE_BTF_H

#include "dwarf/btf/encode.h"
#include "dwarf/debug.h"

/* Writes the object's BTF; `image` is the file that runs. The caller frees *data. The bytes depend
 * on nothing but the object. ERROR_UNSUPPORTED: its debug information is BTF already. */
struct error *debug_object_write_btf(struct debug_object *object, const struct elf_image *image,
				     void **data, size_t *size, struct btf_losses *losses);

#endif
