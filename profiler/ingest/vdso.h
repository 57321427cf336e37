/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code that this machine's kernel maps into each process, vdso(7): it is in no file, but in this process,
 * too. */
#ifndef DTPROF_INGEST_VDSO_H
#define DTPROF_INGEST_VDSO_H

#include "dwarf/elf/image.h"
#include "profiler/base/error.h"

struct error *vdso_image_open(struct elf_image **result);

#endif
