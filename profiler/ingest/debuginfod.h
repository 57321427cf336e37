/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects and debug files from the servers of $DEBUGINFOD_URLS, by libdebuginfod, which is loaded when first
 * wanted: debuginfod_find_debuginfo(3).
 *
 * Without the variable nothing is asked for, and no library is needed.
 */
#ifndef DTPROF_INGEST_DEBUGINFOD_H
#define DTPROF_INGEST_DEBUGINFOD_H

#include "dwarf/elf/image.h"
#include "profiler/base/error.h"

enum debuginfod_kind { DEBUGINFOD_EXECUTABLE, DEBUGINFOD_DEBUG_INFO };

/*
 * *path: where the file is now, to be freed by the caller; NULL without an error where no server is named or
 * none has it. An error says that servers are named, but the library is missing.
 */
struct error *debuginfod_fetch(enum debuginfod_kind kind, const struct build_id *build_id, char **path);

#endif
