/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel by its memory (/proc/kcore, or a copy of it) and its symbols. */
#ifndef DTPROF_INGEST_KCORE_H
#define DTPROF_INGEST_KCORE_H

#include "dwarf/elf/image.h"

/* `symbols` is a file as of kallsyms.h, of the same boot; the image has them. Its addresses are those that
 * the kernel ran at. */
struct error *kcore_open(const char *path, const char *symbols, struct elf_image **result);
/* Its BTF alone, and no symbols; ERROR_NO_DEBUG_INFO where it has none. */
struct error *kcore_open_btf(const char *path, const char *symbols, struct elf_image **result);

#endif
