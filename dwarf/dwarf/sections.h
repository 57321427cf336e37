/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The DWARF sections of one ELF file, uncompressed and relocated, and the ELF image that libdw
 * reads, which contains them.
 *
 * If the file has them in that state, both are the mapped file itself. Otherwise (compressed
 * sections; section groups, which libdw ignores) an image of these sections alone is made in
 * memory, once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum dwarf_section {
	SECTION_INFO,
	SECTION_TYPES,
	SECTION_ABBREV,
	SECTION_STR,
	SECTION_LINE_STR,
	SECTION_STR_OFFSETS,
	SECTION_ADDR,
	SECTION_LOC,
	SECTION_LOCLISTS,
	SECTION_RANGES,
	SECTION_RNGLISTS,
	SECTION_ARANGES,
	SECTION_LINE,
	SECTION_FRAME,
	SECTION_CU_INDEX,
	SECTION_TU_INDEX,
	SECTION_ALT_LINK, /* .gnu_debugaltlink */
	SECTION_EH_FRAME,
	DWARF_SECTION_COUNT,
};

struct elf_image;

struct dwarf_section_data {
	const uint8_t *data; /* NULL: no such section */
	size_t size;
	uint64_t address; /* of an allocated section */
	void *owned;      /* not in the file's image, or NULL */
};

struct dwarf_sections {
	struct dwarf_section_data section[DWARF_SECTION_COUNT];
	bool relocatable; /* ET_REL: code may start at address 0 */
	/* the image for libdw, in which all sections with contents lie; NULL: there is none */
	const void *elf;
	size_t elf_size;
	size_t file_size; /* of the file that the sections are from, where they may be packed */
	void *elf_owned;  /* that image, if it was made */
};

/* Finds the sections of the ELF file, which must outlive them. A section that cannot be read (an
 * unknown compression, an impossible size) is an error, which names it. */
struct error *dwarf_sections_read(const struct elf_image *image, struct dwarf_sections *result);
/* The same for .eh_frame and .debug_frame alone. */
struct error *dwarf_sections_read_frames(const struct elf_image *image,
					 struct dwarf_sections *result);
/* The same for the .debug_*.dwo sections of `data`, some bytes of which change for libdw. */
struct error *dwarf_sections_read_split(void *data, size_t size, const char *name,
					struct dwarf_sections *result);
void dwarf_sections_deinit(struct dwarf_sections *sections);
