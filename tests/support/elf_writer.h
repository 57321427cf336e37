/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes an ELF file for x86 into memory, from sections, symbols, relocations and notes. Nothing is
 * checked, so that a test may write an invalid file.
 *
 * 	struct elf_writer *writer = elf_writer_create(ET_DYN);
 * 	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS,
 * 					       SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, 16);
 *
 * 	elf_writer_symbol(writer, "main", STT_FUNC, STB_GLOBAL, text, 0x1000, 16);
 * 	bytes = elf_writer_finish(writer, &size);
 *
 * Sections lie in the file in the order in which they were added, each at a multiple of 16. Section
 * numbers begin at 1. The tables (.symtab, .dynsym, their strings, .shstrtab) follow.
 */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/elf/image.h"

struct elf_writer;

struct elf_writer *elf_writer_create(uint16_t type); /* ET_* */
/* Makes the file one of the 32-bit class, for i386. */
void elf_writer_set_narrow(struct elf_writer *writer);
void elf_writer_set_machine(struct elf_writer *writer, uint16_t machine);

/* Adds a section and returns its number. The bytes are copied; for SHT_NOBITS `data` is NULL. */
unsigned int elf_writer_section(struct elf_writer *writer, const char *name, uint32_t type,
				uint64_t flags, uint64_t address, const void *data, size_t size);
/* Sets sh_link, sh_info, sh_entsize and sh_addralign, which are 0, 0, 0 and 1 otherwise. */
void elf_writer_section_details(struct elf_writer *writer, unsigned int section, uint32_t link,
				uint32_t info, uint64_t entry_size, uint64_t alignment);
/* Adds a program header for a section, or with section 0 for [address, address + memory_size)
 * without bytes in the file. */
void elf_writer_segment(struct elf_writer *writer, uint32_t type, uint32_t flags,
			unsigned int section, uint64_t address, uint64_t memory_size,
			uint64_t alignment);

/*
 * Add a symbol to .symtab or .dynsym and return its index. `section` may be SHN_UNDEF or SHN_ABS.
 */
unsigned int elf_writer_symbol(struct elf_writer *writer, const char *name, uint8_t type,
			       uint8_t binding, uint16_t section, uint64_t value, uint64_t size);
unsigned int elf_writer_dynamic_symbol(struct elf_writer *writer, const char *name, uint8_t type,
				       uint8_t binding, uint16_t section, uint64_t value,
				       uint64_t size);
/* Sets the visibility of the symbol that was added last to .symtab. */
void elf_writer_symbol_visibility(struct elf_writer *writer, uint8_t visibility);

/*
 * Adds a relocation to the SHT_RELA section `name`. If `target` is 0, it is for the dynamic linker,
 * and `symbol` is an index in .dynsym. Otherwise it is for the section `target`: `symbol` is an
 * index in .symtab and `address` an offset in the section.
 */
void elf_writer_relocation(struct elf_writer *writer, const char *name, unsigned int target,
			   uint64_t address, uint32_t type, uint32_t symbol, int64_t addend);

/* Adds a note section with its PT_NOTE. */
void elf_writer_note(struct elf_writer *writer, const char *section, const char *owner,
		     uint32_t type, const void *description, size_t size);
void elf_writer_build_id(struct elf_writer *writer, const void *bytes, size_t size);

/* Returns the file, which the caller frees, and frees the writer. */
uint8_t *elf_writer_finish(struct elf_writer *writer, size_t *size);

/* ---- the written file, opened as an image ---- */

struct written_image {
	uint8_t *bytes;
	size_t size;
	struct elf_image *image;
};

/* Finishes `writer` and opens its file. Fails the running test if the image cannot be opened. */
struct written_image written_image_open(struct elf_writer *writer);
void written_image_close(struct written_image *written);
