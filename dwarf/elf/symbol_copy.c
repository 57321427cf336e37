// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies the symbol table of an image into an ELF file of its own, whose sections have no other
 * contents: as "MiniDebugInfo" in gdb's manual, but with all symbols. The sections keep their
 * numbers, which symbols refer to.
 */

#include "base/memory.h"
#include "base/strbuf.h"
#include "dwarf/elf/image_private.h"

/* Returns whether the section is a part of the symbol table. */
static bool is_of_table(const struct elf_image *image, size_t number)
{
	const struct elf_part *part = &image->parts[number];

	if (part->type == SHT_SYMTAB || part->type == SHT_SYMTAB_SHNDX)
		return true;
	return any_of(i, 1, image->part_count,
		      image->parts[i].type == SHT_SYMTAB && image->parts[i].link == number);
}

void elf_image_copy_symbols(const struct elf_image *image, struct strbuf *copy)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;
	size_t count = image->part_count + 1; /* with the names of the sections */
	_cleanup_free_ Elf64_Shdr *sections = xcalloc(count, sizeof(*sections));
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT },
			      .e_type = image->type,
			      .e_machine = image->machine,
			      .e_version = EV_CURRENT,
			      .e_ehsize = sizeof(header),
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = (uint16_t)count,
			      .e_shstrndx = (uint16_t)(count - 1) };

	if (!image->is_64 || !image->part_count || count >= SHN_LORESERVE ||
	    image->type == ET_REL || !elf_symbol_table_of(image, SHT_SYMTAB).entries)
		return;
	strbuf_add(copy, &header, sizeof(header));
	strbuf_add(&names, "", 1);
	for (size_t i = 1; i < image->part_count; i++) {
		const struct elf_part *part = &image->parts[i];
		bool kept = is_of_table(image, i) && part->contents;

		sections[i] = (Elf64_Shdr){ .sh_name = (uint32_t)names.length,
					    .sh_type = kept ? part->type : SHT_NOBITS,
					    .sh_flags = part->flags & ~(uint64_t)SHF_COMPRESSED,
					    .sh_addr = part->address,
					    .sh_offset = copy->length,
					    .sh_size = part->size,
					    .sh_link = kept ? part->link : 0,
					    .sh_info = kept ? part->info : 0,
					    .sh_addralign = 1,
					    .sh_entsize = kept && part->type == SHT_SYMTAB
								  ? sizeof(Elf64_Sym)
								  : 0 };
		strbuf_add(&names, part->name, strlen(part->name) + 1);
		if (kept)
			strbuf_add(copy, part->contents, part->size);
	}
	sections[count - 1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
					    .sh_offset = copy->length,
					    .sh_size = names.length,
					    .sh_addralign = 1 };
	strbuf_add(copy, names.data, names.length);
	header.e_shoff = copy->length;
	strbuf_add(copy, sections, count * sizeof(*sections));
	memcpy(copy->data, &header, sizeof(header));
}
