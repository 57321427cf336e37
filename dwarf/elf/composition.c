// SPDX-License-Identifier: GPL-2.0-or-later
/* ELF files that are made in memory: elf_composition_add() in image.h. */

#include "base/memory.h"
#include "dwarf/elf/image.h"

/* Sections begin at multiples of so many bytes. */
#define ALIGNMENT ((size_t)16)

static size_t composition_make_room(struct elf_composition *file, size_t size)
{
	size_t start = round_up(file->size, ALIGNMENT);

	file->data = xrealloc_array(file->data, start + size, 1);
	memset(file->data + file->size, 0, start - file->size);
	file->size = start + size;
	return start;
}

static uint32_t composition_add_name(struct elf_composition *file, const char *name)
{
	size_t length = strlen(name) + 1, start = file->names_size;

	if (length > sizeof(file->names) - start)
		return 0;
	memcpy(file->names + start, name, length);
	file->names_size += length;
	return (uint32_t)start;
}

size_t elf_composition_add(struct elf_composition *file, const char *name, const Elf64_Shdr *header)
{
	Elf64_Shdr *section;

	if (!file->size) { /* the file header, the null section and its name */
		composition_make_room(file, sizeof(Elf64_Ehdr));
		file->section_count = file->names_size = 1;
	}
	section = &file->sections[file->section_count++];
	*section = *header;
	section->sh_addralign = 1;
	section->sh_name = composition_add_name(file, name);
	if (header->sh_type != SHT_NOBITS)
		section->sh_offset = composition_make_room(file, header->sh_size);
	return section->sh_offset;
}

void elf_composition_finish(struct elf_composition *file, uint16_t type, uint16_t machine)
{
	Elf64_Shdr names = { .sh_type = SHT_STRTAB, .sh_size = sizeof(file->names) };
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT },
			      .e_type = type,
			      .e_machine = machine,
			      .e_version = EV_CURRENT,
			      .e_ehsize = sizeof(header),
			      .e_shentsize = sizeof(Elf64_Shdr) };
	size_t size, offset = elf_composition_add(file, ".shstrtab", &names);

	memcpy(file->data + offset, file->names, sizeof(file->names));
	header.e_shnum = (uint16_t)file->section_count;
	header.e_shstrndx = (uint16_t)(file->section_count - 1);
	size = file->section_count * sizeof(*file->sections);
	header.e_shoff = composition_make_room(file, size);
	memcpy(file->data + header.e_shoff, file->sections, size);
	memcpy(file->data, &header, sizeof(header));
}
