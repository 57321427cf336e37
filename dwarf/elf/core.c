// SPDX-License-Identifier: GPL-2.0-or-later
/* Core files: makes an ELF file in memory of the ranges that the caller wants, and opens that. */

#include <fcntl.h>
#include <inttypes.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "dwarf/elf/image.h"
#include "base/files.h"
#include "dwarf/elf/image_private.h"

#define RANGE_MAX ((uint64_t)1 << 28) /* bytes; the text of every kernel is shorter */

struct core {
	const char *path;
	int fd;
	Elf64_Phdr *segments;
	size_t segment_count;
	uint16_t machine; /* e_machine */
};

static bool is_core_header(const Elf64_Ehdr *header)
{
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       header->e_type == ET_CORE && arch_of_machine(header->e_machine) &&
	       header->e_phentsize == sizeof(Elf64_Phdr);
}

bool elf_is_core(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf64_Ehdr header;

	return fd >= 0 && file_has_at(fd, &header, sizeof(header), 0) && is_core_header(&header);
}

bool elf_is_program(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf64_Ehdr header;

	if (fd < 0 || !file_has_at(fd, &header, sizeof(header), 0) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(Elf64_Phdr))
		return false;
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		if (!file_has_at(fd, &segment, sizeof(segment),
				 header.e_phoff + i * sizeof(segment)))
			return false;
		if (segment.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static struct error *read_segments(struct core *core)
{
	Elf64_Ehdr header;

	core->fd = open(core->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (core->fd < 0)
		return error_errno(errno, "%s", core->path);
	if (!file_has_at(core->fd, &header, sizeof(header), 0) || !is_core_header(&header))
		return error_create(ERROR_FORMAT, "%s is no core file of an x86-64 kernel",
				    core->path);
	core->machine = header.e_machine;
	core->segment_count = header.e_phnum;
	core->segments = xcalloc(core->segment_count + 1, sizeof(*core->segments));
	if (!file_has_at(core->fd, core->segments, core->segment_count * sizeof(*core->segments),
			 header.e_phoff))
		return error_create(ERROR_FORMAT, "%s: its program headers cannot be read",
				    core->path);
	return NULL;
}

/* Finds the file offset of a range of memory; false: no segment holds it. */
static bool find_range(const struct core *core, const struct core_range *range, uint64_t *offset)
{
	uint64_t size = range->high - range->low;

	array_each (const Elf64_Phdr, segment, core->segments, core->segment_count) {
		uint64_t within = range->low - segment->p_vaddr;

		if (segment->p_type != PT_LOAD || range->low < segment->p_vaddr ||
		    within > segment->p_filesz || size > segment->p_filesz - within)
			continue;
		*offset = segment->p_offset + within;
		return true;
	}
	return false;
}

static bool core_add_range(struct elf_composition *file, const struct core *core,
			   const struct core_range *range)
{
	Elf64_Shdr section = { .sh_type = range->type,
			       .sh_flags = range->flags,
			       .sh_addr = range->low,
			       .sh_size = range->high - range->low };
	uint64_t offset = 0;

	if (range->low >= range->high || section.sh_size > RANGE_MAX ||
	    file->section_count >= ELF_COMPOSITION_MAX ||
	    (range->type != SHT_NOBITS && !find_range(core, range, &offset)))
		return false;

	size_t place = elf_composition_add(file, range->name, &section);

	if (range->type == SHT_NOBITS ||
	    file_has_at(core->fd, file->data + place, section.sh_size, offset))
		return true;
	file->section_count--;
	return false;
}

static struct error *compose(const struct core *core, const struct core_range *ranges, size_t count,
			     struct elf_composition *file)
{
	for (size_t i = 0; i < count; i++) {
		if (!core_add_range(file, core, &ranges[i]) && !i)
			return error_create(
				ERROR_NOT_FOUND,
				"%s has no memory at [%#" PRIx64 ", %#" PRIx64
				"), where %s is: is it of the same boot as the symbols?",
				core->path, ranges[i].low, ranges[i].high, ranges[i].name);
	}
	elf_composition_finish(file, ET_EXEC, core->machine);
	return NULL;
}

struct error *elf_core_open(const char *path, const struct core_range *ranges, size_t count,
			    struct elf_image **result)
{
	struct core core = { .path = path, .fd = -1 };
	struct elf_composition file = { 0 };
	struct error *error = read_segments(&core);

	if (!error)
		error = compose(&core, ranges, count, &file);
	if (core.fd >= 0)
		close(core.fd);
	free(core.segments);
	if (!error)
		return elf_image_open_owned(file.data, file.size, path, result);
	free(file.data);
	return error;
}

/*
 * ---- copies of symbol tables
 *
 * Copies the symbol table of an image into an ELF file of its own, whose sections have no other
 * contents: as "MiniDebugInfo" in gdb's manual, but with all symbols. The sections keep their
 * numbers, which symbols refer to. The symbols end the file, and their names follow them in the
 * same order, so that an entry tells nothing of where its name is.
 */

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
