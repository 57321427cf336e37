/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel of this machine, for when it is the one that was recorded. */
#ifndef DTPROF_INGEST_RUNNING_KERNEL_H
#define DTPROF_INGEST_RUNNING_KERNEL_H

#include <stdbool.h>

#include "dwarf/elf/image.h"

#define RUNNING_KERNEL_SYMBOLS "/proc/kallsyms"
#define RUNNING_KERNEL_MEMORY  "/proc/kcore"
#define RUNNING_KERNEL_BTF     "/sys/kernel/btf"

/* Whether the kernel, or its module of that name (as in /proc/modules), has this build id, which must not be
 * empty. */
bool running_kernel_is(const struct build_id *build_id);
bool running_kernel_has_module(const char *name, const struct build_id *build_id);

#endif
