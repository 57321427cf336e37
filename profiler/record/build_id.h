/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build ids of objects: the ELF note "GNU" of type NT_GNU_BUILD_ID, by which a file is known again. */
#ifndef DTPROF_RECORD_BUILD_ID_H
#define DTPROF_RECORD_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/elf/image.h"

/* Of the ELF file behind `fd`; false if it has none or is no ELF file. Any content is survived. */
bool build_id_of_file(int fd, struct build_id *id);
bool build_id_of_path(const char *path, struct build_id *id);
/* Of the running kernel, and of one of its modules. */
bool build_id_of_kernel(const char *root, struct build_id *id);
bool build_id_of_module(const char *root, const char *name, struct build_id *id);
/* Of the vdso of this process, which is that of all processes of its kind. */
bool build_id_of_vdso(struct build_id *id);

#endif
