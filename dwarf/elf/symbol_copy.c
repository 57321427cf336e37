// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies the symbol table of an image into an ELF file of its own, whose sections have no other
 * contents: as "MiniDebugInfo" in gdb's manual, but with all symbols. The sections keep their
 * numbers, which symbols refer to. The symbols end the file, and their names follow them in the
 * same order, so that an entry tells nothing of where its name is.
 */

#include "base/memory.h"
#include "base/strbuf.h"
#include "dwarf/elf/image_private.h"

/* Returns whether the section has the symbols' further indexes of sections. */
static bool is_extended(const struct elf_image *image, size_t number)
{
	const struct elf_part *part = &image->parts[number];

	return part->type == SHT_SYMTAB_SHNDX && part->contents && part->link < image->part_count &&
	       image->parts[part->link].type == SHT_SYMTAB;
}

/* Appends the entries and then their names, and sets where both begin. */
static void copy_table(const struct elf_symbol_table *table, struct strbuf *copy,
		       Elf64_Shdr *symbols, Elf64_Shdr *names)
{
	_cleanup_strbuf_ struct strbuf texts = STRBUF_INIT;

	symbols->sh_offset = copy->length;
	symbols->sh_size = table->count * sizeof(Elf64_Sym);
	for (size_t i = 0; i < table->count; i++) {
		Elf64_Sym symbol;

		memcpy(&symbol, table->entries + i * sizeof(symbol), sizeof(symbol));
		const char *name =
			symbol.st_name < table->string_limit ? table->strings + symbol.st_name : "";

		symbol.st_name = (uint32_t)texts.length;
		strbuf_add(&texts, name, strlen(name) + 1);
		strbuf_add(copy, &symbol, sizeof(symbol));
	}
	names->sh_offset = copy->length;
	names->sh_size = texts.length;
	strbuf_add(copy, texts.data, texts.length);
}

/* Describes the sections, with their names, and copies the contents that are kept. The last two are
 * the names of the sections and those of the symbols. Returns which one has the symbols. */
static size_t describe_sections(const struct elf_image *image, Elf64_Shdr *sections,
				struct strbuf *names, struct strbuf *copy)
{
	size_t table = 0, count = image->part_count;

	for (size_t i = 1; i < count; i++) {
		const struct elf_part *part = &image->parts[i];
		bool kept = is_extended(image, i);

		sections[i] = (Elf64_Shdr){ .sh_name = (uint32_t)names->length,
					    .sh_type = kept ? part->type : SHT_NOBITS,
					    .sh_flags = part->flags & ~(uint64_t)SHF_COMPRESSED,
					    .sh_addr = part->address,
					    .sh_offset = copy->length,
					    .sh_size = part->size,
					    .sh_link = kept ? part->link : 0,
					    .sh_addralign = 1 };
		strbuf_add(names, part->name, strlen(part->name) + 1);
		if (kept)
			strbuf_add(copy, part->contents, part->size);
		if (part->type != SHT_SYMTAB || table)
			continue;
		table = i;
		sections[i].sh_type = SHT_SYMTAB;
		sections[i].sh_entsize = sizeof(Elf64_Sym);
		sections[i].sh_info = part->info;
		sections[i].sh_link = (uint32_t)count + 1;
	}
	sections[count] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
					.sh_offset = copy->length,
					.sh_size = names->length,
					.sh_addralign = 1 };
	sections[count + 1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_addralign = 1 };
	strbuf_add(copy, names->data, names->length);
	return table;
}

size_t elf_image_copy_symbols(const struct elf_image *image, struct strbuf *copy, size_t *entries)
{
	struct elf_symbol_table table = elf_symbol_table_of(image, SHT_SYMTAB);
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;
	size_t count = image->part_count + 2;
	_cleanup_free_ Elf64_Shdr *sections = xcalloc(count, sizeof(*sections));
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT },
			      .e_type = image->type,
			      .e_machine = image->machine,
			      .e_version = EV_CURRENT,
			      .e_ehsize = sizeof(header),
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = (uint16_t)count,
			      .e_shstrndx = (uint16_t)(count - 2) };

	if (!image->is_64 || !image->part_count || count >= SHN_LORESERVE ||
	    image->type == ET_REL || !table.entries)
		return 0;
	strbuf_add(copy, &header, sizeof(header));
	strbuf_add(&names, "", 1);
	size_t symbols = describe_sections(image, sections, &names, copy);

	header.e_shoff = copy->length;
	memcpy(copy->data, &header, sizeof(header));
	strbuf_add(copy, sections, count * sizeof(*sections));
	*entries = copy->length;
	copy_table(&table, copy, &sections[symbols], &sections[count - 1]);
	memcpy(copy->data + header.e_shoff, sections, count * sizeof(*sections));
	return table.count;
}
