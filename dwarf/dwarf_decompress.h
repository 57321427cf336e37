/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compressed sections: SHF_COMPRESSED with zlib or zstd, and the older .zdebug_* with zlib. */
#ifndef DTPROF_DWARF_DWARF_DECOMPRESS_H
#define DTPROF_DWARF_DWARF_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"

/*
 * The contents of a section whose bytes in the file are `data`, allocated: *result is to be freed. `gnu`: it
 * is a .zdebug_* section. `file` and `section` are for messages.
 */
struct error *dwarf_decompress(const uint8_t *data, size_t size, bool gnu, const char *file,
			       const char *section, uint8_t **result, size_t *result_size);

#endif
