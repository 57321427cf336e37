/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One symbol table, as it is in the file: entries of either class, with section, address and name looked up.
 */
#include <string.h>

#include "dwarf/elf_image_private.h"

size_t elf_string_limit(const uint8_t *strings, size_t size)
{
	const uint8_t *last = size ? memrchr(strings, 0, size) : NULL;

	return last ? last - strings + 1 : 0;
}

size_t elf_name_length(const char *name)
{
	const char *at = *name ? strchr(name + 1, '@') : NULL;

	return at ? (size_t)(at - name) : strlen(name);
}

/* Section indices from SHN_LORESERVE on do not fit st_shndx and are in a table beside the symbols. */
static void find_extended(const struct elf_image *image, size_t table_index, struct elf_symbol_table *table)
{
	for (size_t i = 1; i < image->part_count; i++) {
		const struct elf_part *part = &image->parts[i];

		if (part->type != SHT_SYMTAB_SHNDX || part->link != table_index || !part->contents)
			continue;
		table->extended = part->contents;
		table->extended_count = part->size / sizeof(uint32_t);
		return;
	}
}

struct elf_symbol_table elf_symbol_table_of(const struct elf_image *image, uint32_t table_type)
{
	struct elf_symbol_table table = { .image = image };

	for (size_t i = 1; i < image->part_count; i++) {
		const struct elf_part *part = &image->parts[i];
		const struct elf_part *strings;

		if (part->type != table_type || !part->contents)
			continue;
		strings = &image->parts[part->link]; /* checked when opened */
		if (!strings->contents)
			continue;
		table.entries = part->contents;
		table.count = part->size / (image->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
		table.strings = (const char *)strings->contents;
		table.string_limit = elf_string_limit(strings->contents, strings->size);
		find_extended(image, i, &table);
		break;
	}
	return table;
}

static Elf64_Sym read_entry(const uint8_t *entries, size_t index, bool is_64)
{
	Elf64_Sym wide;
	Elf32_Sym narrow;

	if (is_64) {
		memcpy(&wide, entries + index * sizeof(wide), sizeof(wide));
		return wide;
	}
	memcpy(&narrow, entries + index * sizeof(narrow), sizeof(narrow));
	return (Elf64_Sym){
		.st_name = narrow.st_name,
		.st_info = narrow.st_info,
		.st_other = narrow.st_other,
		.st_shndx = narrow.st_shndx,
		.st_value = narrow.st_value,
		.st_size = narrow.st_size,
	};
}

bool elf_symbol_table_read(const struct elf_symbol_table *table, size_t index, struct elf_symbol *symbol)
{
	const struct elf_image *image = table->image;
	uint32_t section;
	Elf64_Sym entry;

	if (index >= table->count)
		return false;
	entry = read_entry(table->entries, index, image->is_64);
	*symbol = (struct elf_symbol){
		.name = entry.st_name < table->string_limit ? table->strings + entry.st_name : NULL,
		.value = entry.st_value,
		.size = entry.st_size,
		.type = ELF64_ST_TYPE(entry.st_info),
		.binding = ELF64_ST_BIND(entry.st_info),
		.visibility = ELF64_ST_VISIBILITY(entry.st_other),
		.index = entry.st_shndx,
	};
	section = entry.st_shndx;
	if (section == SHN_XINDEX) {
		if (index >= table->extended_count)
			return true;
		memcpy(&section, table->extended + index * sizeof(section), sizeof(section));
	} else if (section >= SHN_LORESERVE) {
		return true;
	}
	if (section == SHN_UNDEF || section >= image->part_count)
		return true;
	symbol->part = &image->parts[section];
	if (image->type == ET_REL && symbol->type != STT_TLS)
		symbol->value += symbol->part->address;
	return true;
}
