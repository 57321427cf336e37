/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Relocatable files (ET_REL: kernel modules, object files): addresses for their sections and for what they
 * import, and relocations applied to what they hold. See elf_image.h.
 *
 * The order of the sections is that of the kernel's loader (layout_sections() in kernel/module/main.c): code
 * first, then what is read-only, then what is writable, each in the order of the section table; what
 * initialization alone needs is elsewhere. So code lies in memory as it lies here, from the module's own
 * address on. It depends on section headers alone, which a stripped module and its debug file have in common.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "dwarf/elf_image_private.h"

/* Not at 0, which means "none" in debug information; nor where the numbers of a program are. */
#define BASE              ((uint64_t)0x52400000)
#define PAGE              ((uint64_t)4096)
#define MAXIMUM_ALIGNMENT ((uint64_t)1 << 20)
/* What is imported has so much room that offsets in it stay apart, as long as all is below 2 GiB. */
#define IMPORT_ROOM  ((uint64_t)65536)
#define IMPORTS_ROOM ((uint64_t)512 << 20)

enum group { GROUP_TEXT, GROUP_READ_ONLY, GROUP_WRITABLE, GROUP_INIT, GROUP_PER_CPU, GROUP_COUNT };

static enum group group_of(const struct elf_part *part)
{
	if (!strncmp(part->name, ".init", 5))
		return GROUP_INIT;
	if (!strcmp(part->name, ".data..percpu"))
		return GROUP_PER_CPU;
	if (part->flags & SHF_EXECINSTR)
		return GROUP_TEXT;
	return part->flags & SHF_WRITE ? GROUP_WRITABLE : GROUP_READ_ONLY;
}

static uint64_t aligned(uint64_t address, uint64_t alignment)
{
	if (alignment < 2 || alignment > MAXIMUM_ALIGNMENT)
		return address;
	return (address + alignment - 1) / alignment * alignment;
}

static void lay_out_imports(struct elf_image *image, uint64_t next)
{
	struct elf_symbol_table table = elf_symbol_table_of(image, SHT_SYMTAB);

	image->import_base = aligned(next, MAXIMUM_ALIGNMENT);
	image->import_count = table.count < IMPORTS_ROOM / 16 ? table.count : 0;
	image->import_room = IMPORT_ROOM;
	while (image->import_room > 16 && image->import_room * image->import_count > IMPORTS_ROOM)
		image->import_room /= 2;
}

void elf_relocatable_lay_out(struct elf_image *image)
{
	uint64_t next = BASE;

	for (enum group group = 0; group < GROUP_COUNT; group++) {
		next = aligned(next, PAGE);
		for (size_t i = 1; i < image->part_count; i++) {
			struct elf_part *part = &image->parts[i];

			if (!(part->flags & SHF_ALLOC) || group_of(part) != group)
				continue;
			part->address = next = aligned(next, part->alignment);
			next = part->size > INT64_MAX - next ? INT64_MAX : next + part->size;
		}
	}
	lay_out_imports(image, next < INT64_MAX / 2 ? next : BASE);
}

uint64_t elf_image_load_base(const struct elf_image *image)
{
	return image->type == ET_REL ? BASE : 0;
}

static uint64_t import_address(const struct elf_image *image, uint32_t symbol)
{
	return symbol < image->import_count ? image->import_base + symbol * image->import_room : 0;
}

const char *elf_image_import_at(const struct elf_image *image, uint64_t address, uint64_t *offset)
{
	struct elf_symbol symbol;

	if (image->type != ET_REL || address < image->import_base ||
	    address - image->import_base >= image->import_count * image->import_room)
		return NULL;

	struct elf_symbol_table table = elf_symbol_table_of(image, SHT_SYMTAB);
	uint64_t distance = address - image->import_base;

	*offset = distance % image->import_room;
	if (!elf_symbol_table_read(&table, distance / image->import_room, &symbol) ||
	    symbol.index != SHN_UNDEF || !symbol.name || !symbol.name[0])
		return NULL;
	return symbol.name;
}

/* Bytes that a relocation writes; 0: a type that modules and object files for static linking do not have. */
static unsigned int field_size(uint32_t type, bool *relative)
{
	*relative = false;
	switch (type) {
	case R_X86_64_64: return 8;
	case R_X86_64_32:
	case R_X86_64_32S: return 4;
	case R_X86_64_16: return 2;
	case R_X86_64_8: return 1;
	}
	*relative = true;
	switch (type) {
	case R_X86_64_PC64: return 8;
	case R_X86_64_PC32:
	case R_X86_64_PLT32: return 4;
	case R_X86_64_PC16: return 2;
	case R_X86_64_PC8: return 1;
	}
	return 0;
}

static bool symbol_address(const struct elf_symbol_table *symbols, uint32_t index, uint64_t *address)
{
	struct elf_symbol symbol;

	*address = 0;
	if (!index)
		return true;
	if (!elf_symbol_table_read(symbols, index, &symbol) || symbol.type == STT_TLS)
		return false;
	*address =
		symbol.part || symbol.index == SHN_ABS ? symbol.value : import_address(symbols->image, index);
	return *address || symbol.part || symbol.index == SHN_ABS;
}

static void apply_entry(const struct elf_symbol_table *symbols, const struct elf_part *part,
			uint8_t *contents, uint64_t size, const Elf64_Rela *rela)
{
	bool relative;
	unsigned int width = field_size(ELF64_R_TYPE(rela->r_info), &relative);
	uint64_t value;

	if (!width || rela->r_offset > size || width > size - rela->r_offset ||
	    !symbol_address(symbols, ELF64_R_SYM(rela->r_info), &value))
		return;
	value += (uint64_t)rela->r_addend;
	if (relative)
		value -= part->address + rela->r_offset;
	memcpy(contents + rela->r_offset, &value, width);
}

static void apply_table(const struct elf_symbol_table *symbols, const struct elf_part *table,
			const struct elf_part *part, uint8_t *contents, uint64_t size)
{
	for (size_t i = 0; i < table->size / sizeof(Elf64_Rela); i++) {
		Elf64_Rela rela;

		memcpy(&rela, table->contents + i * sizeof(rela), sizeof(rela));
		apply_entry(symbols, part, contents, size, &rela);
	}
}

static bool is_table(const struct elf_image *image, const struct elf_part *part)
{
	return image->type == ET_REL && image->is_64 && part->type == SHT_RELA && part->contents &&
	       part->info < image->part_count;
}

void elf_image_relocate(const struct elf_image *image, size_t section, uint8_t *contents, size_t size)
{
	struct elf_symbol_table symbols = elf_symbol_table_of(image, SHT_SYMTAB);

	for (size_t i = 1; i < image->part_count; i++)
		if (is_table(image, &image->parts[i]) && image->parts[i].info == section)
			apply_table(&symbols, &image->parts[i], &image->parts[section], contents, size);
}

/* A copy of the file that may be written to; the mapping is one already. */
static struct error *make_writable(struct elf_image *image)
{
	uint8_t *copy;

	if (image->mapped) {
		if (mprotect((void *)image->data, image->size, PROT_READ | PROT_WRITE) < 0)
			return error_errno(errno, "%s: cannot be relocated", image->path);
		return NULL;
	}
	copy = image->relocated = xmalloc(image->size);
	memcpy(copy, image->data, image->size);
	for (size_t i = 0; i < image->part_count; i++) {
		struct elf_part *part = &image->parts[i];

		if (part->contents)
			part->contents = copy + (part->contents - image->data);
		part->name = (const char *)copy + ((const uint8_t *)part->name - image->data);
	}
	image->data = copy;
	return NULL;
}

/* Sections that lie in each other can be written over by relocations: names must still end. */
static struct error *check_names(const struct elf_image *image)
{
	for (size_t i = 0; i < image->part_count; i++) {
		const char *name = image->parts[i].name;

		if (!memchr(name, 0, (size_t)(image->data + image->size - (const uint8_t *)name)))
			return error_create(ERROR_FORMAT,
					    "%s: its relocations write over the names of its sections",
					    image->path);
	}
	return NULL;
}

struct error *elf_relocatable_apply(struct elf_image *image)
{
	struct elf_symbol_table symbols;

	RETURN_ERROR(make_writable(image));
	symbols = elf_symbol_table_of(image, SHT_SYMTAB);
	for (size_t i = 1; i < image->part_count; i++) {
		const struct elf_part *table = &image->parts[i], *part;

		if (!is_table(image, table))
			continue;
		part = &image->parts[table->info];
		/* tables that tell how to relocate are left as they are, whatever a file says */
		if (part->contents && !(part->flags & SHF_COMPRESSED) && part->type == SHT_PROGBITS)
			apply_table(&symbols, table, part, (uint8_t *)part->contents, part->size);
	}
	return check_names(image);
}
