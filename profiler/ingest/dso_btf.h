/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the BTF of a kernel, a module or another object without DWARF is. Private to the files behind a dso.
 */
#ifndef DTPROF_INGEST_DSO_BTF_H
#define DTPROF_INGEST_DSO_BTF_H

#include "dwarf/btf/btf.h"
#include "profiler/ingest/dso.h"

/*
 * By --btf; in the object itself; of the running kernel, if the object is of that. `image` must outlive it.
 * ERROR_NO_DEBUG_INFO: there is none, and what could be given is in the message. btf_close() it; what a
 * module's is on top of is the table's (`dso->bases`).
 */
struct error *dso_btf_open(const struct dso *dso, const struct elf_image *image,
			   const struct dso_options *options, struct btf **result);

#endif
