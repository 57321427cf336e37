/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The separate debug file of an object. Private to the files behind a dso. */
#ifndef DTPROF_INGEST_DSO_DEBUG_FILE_H
#define DTPROF_INGEST_DSO_DEBUG_FILE_H

#include "profiler/ingest/dso.h"

/*
 * Of an object that was stripped: what is installed, what perf's cache has (a debug file, or the object as it
 * was before), what a server has. *result is the caller's to close; NULL without an error: there is none.
 */
struct error *dso_debug_file_open(const struct elf_image *image, const struct dso_options *options,
				  struct elf_image **result);

#endif
