/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks ELF files from others: the kernel from its boot image, compressed modules, symbols from a section.
 * Private to dwarf/elf/. */
#ifndef DTPROF_DWARF_ELF_UNPACK_H
#define DTPROF_DWARF_ELF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"

/*
 * Unpacks a boot image (bzImage: Documentation/arch/x86/boot.rst of the kernel) or a file that is compressed
 * as a whole (gzip, xz, lzma, zstd, lz4's legacy format). *unpacked is to be freed; it is NULL without an
 * error where nothing is packed.
 */
struct error *elf_unpack(const uint8_t *data, size_t size, const char *name, uint8_t **unpacked,
			 size_t *unpacked_size);
/* True if, by the first bytes, there is something for elf_unpack(). */
bool elf_is_packed(const uint8_t *data, size_t size);

/* The same for a section, which must be compressed with xz. */
struct error *elf_unpack_section(const uint8_t *data, size_t size, const char *name, uint8_t **unpacked,
				 size_t *unpacked_size);

#endif
