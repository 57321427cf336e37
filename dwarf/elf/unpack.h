/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files that lie in others: the kernel in its boot image, compressed modules, symbols in a section.
 * Private to dwarf/. */
#ifndef DTPROF_DWARF_ELF_UNPACK_H
#define DTPROF_DWARF_ELF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"

/*
 * What is packed in a boot image (bzImage: Documentation/arch/x86/boot.rst of the kernel) or in a file that
 * is compressed as a whole (gzip, xz, lzma, zstd, lz4's legacy format). *unpacked is to be freed, and NULL
 * without an error where nothing is packed.
 */
struct error *elf_unpack(const uint8_t *data, size_t size, const char *name, uint8_t **unpacked,
			 size_t *unpacked_size);
/* Whether elf_unpack() would find something in it, by the first bytes. */
bool elf_is_packed(const uint8_t *data, size_t size);

/* As elf_unpack(), of a section that is to be compressed with xz, and may be nothing else. */
struct error *elf_unpack_section(const uint8_t *data, size_t size, const char *name, uint8_t **unpacked,
				 size_t *unpacked_size);

#endif
