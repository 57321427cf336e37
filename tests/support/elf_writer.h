/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes an ELF file for x86 into memory, from sections, symbols, relocations and notes, so that a
 *test states exactly the file that it means. Nothing is checked: a test may ask for nonsense.
 *
 *	struct elf_writer *writer = elf_writer_create(ET_DYN);
 *	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS,
 *					       SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, 16);
 *
 *	elf_writer_symbol(writer, "main", STT_FUNC, STB_GLOBAL, text, 0x1000, 16);
 *	bytes = elf_writer_finish(writer, &size);
 *
 * Sections lie in the file in the order in which they were added, each at a multiple of 16. Section
 *numbers begin at 1. The tables (.symtab, .dynsym, their strings, .shstrtab) follow.
 */
#ifndef DTPROF_TESTS_ELF_WRITER_H
#define DTPROF_TESTS_ELF_WRITER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_writer;

struct elf_writer *elf_writer_create(uint16_t type); /* ET_* */
/* Makes the file one of the 32-bit class, for i386. */
void elf_writer_set_narrow(struct elf_writer *writer);
void elf_writer_set_machine(struct elf_writer *writer, uint16_t machine);

/* The bytes are copied; of SHT_NOBITS `data` is NULL. Returns the section's number. */
unsigned int elf_writer_section(struct elf_writer *writer, const char *name, uint32_t type,
				uint64_t flags, uint64_t address, const void *data, size_t size);
/* Sets sh_link, sh_info, sh_entsize and sh_addralign, which are 0, 0, 0 and 1 otherwise. */
void elf_writer_section_details(struct elf_writer *writer, unsigned int section, uint32_t link,
				uint32_t info, uint64_t entry_size, uint64_t alignment);
/* A program header for a section, or with section 0 for [address, address + memory_size), none of
 * it in the file. */
void elf_writer_segment(struct elf_writer *writer, uint32_t type, uint32_t flags,
			unsigned int section, uint64_t address, uint64_t memory_size,
			uint64_t alignment);

/* Into .symtab and .dynsym; `section` may be SHN_UNDEF, SHN_ABS. They return the symbol's index. */
unsigned int elf_writer_symbol(struct elf_writer *writer, const char *name, uint8_t type,
			       uint8_t binding, uint16_t section, uint64_t value, uint64_t size);
unsigned int elf_writer_dynamic_symbol(struct elf_writer *writer, const char *name, uint8_t type,
				       uint8_t binding, uint16_t section, uint64_t value,
				       uint64_t size);
/* Sets the visibility of the symbol that was added last to .symtab. */
void elf_writer_symbol_visibility(struct elf_writer *writer, uint8_t visibility);

/*
 * Relocations go to a SHT_RELA section of that name: for the dynamic linker, with `symbol` an index
 * in .dynsym, if `target` is 0; else for section `target`, with `symbol` an index in .symtab and
 * `address` an offset in it.
 */
void elf_writer_relocation(struct elf_writer *writer, const char *name, unsigned int target,
			   uint64_t address, uint32_t type, uint32_t symbol, int64_t addend);

/* A note section, with a PT_NOTE for it. */
void elf_writer_note(struct elf_writer *writer, const char *section, const char *owner,
		     uint32_t type, const void *description, size_t size);
void elf_writer_build_id(struct elf_writer *writer, const void *bytes, size_t size);

/* The whole file, to be freed by the caller; the writer is gone. */
uint8_t *elf_writer_finish(struct elf_writer *writer, size_t *size);

#endif
