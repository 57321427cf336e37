// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/unit.h"

#include "tests/support/elf_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"

struct writer_section {
	char *name;
	Elf64_Shdr header;
	struct strbuf contents;
	bool dynamic_symbols; /* relocations: sh_link is to be .dynsym */
	bool symbols;         /* ... .symtab */
};

struct writer_segment {
	Elf64_Phdr header;
	unsigned int section;
};

struct writer_symbols {
	Elf64_Sym *symbols;
	size_t count;
	size_t capacity;
	struct strbuf strings;
};

struct elf_writer {
	uint16_t type;
	uint16_t machine;
	bool narrow;
	struct writer_section *sections;
	size_t section_count;
	size_t section_capacity;
	struct writer_segment *segments;
	size_t segment_count;
	size_t segment_capacity;
	struct writer_symbols symbols;
	struct writer_symbols dynamic;
};

struct elf_writer *elf_writer_create(uint16_t type)
{
	struct elf_writer *writer = xcalloc(1, sizeof(*writer));

	writer->type = type;
	writer->machine = EM_X86_64;
	elf_writer_section(writer, "", SHT_NULL, 0, 0, NULL, 0);
	return writer;
}

void elf_writer_set_narrow(struct elf_writer *writer)
{
	writer->narrow = true;
	writer->machine = EM_386;
}

void elf_writer_set_machine(struct elf_writer *writer, uint16_t machine)
{
	writer->machine = machine;
}

unsigned int elf_writer_section(struct elf_writer *writer, const char *name, uint32_t type,
				uint64_t flags, uint64_t address, const void *data, size_t size)
{
	struct writer_section *section;

	array_reserve(writer->sections, writer->section_count, writer->section_capacity);
	section = &writer->sections[writer->section_count];
	*section = (struct writer_section){
		.name = xstrdup(name),
		.header = { .sh_type = type,
			    .sh_flags = flags,
			    .sh_addr = address,
			    .sh_size = size },
		.contents = STRBUF_INIT,
	};
	section->header.sh_addralign = type != SHT_NULL;
	if (data)
		strbuf_add(&section->contents, data, size);
	return writer->section_count++;
}

void elf_writer_section_details(struct elf_writer *writer, unsigned int section, uint32_t link,
				uint32_t info, uint64_t entry_size, uint64_t alignment)
{
	Elf64_Shdr *header = &writer->sections[section].header;

	header->sh_link = link;
	header->sh_info = info;
	header->sh_entsize = entry_size;
	header->sh_addralign = alignment;
}

void elf_writer_segment(struct elf_writer *writer, uint32_t type, uint32_t flags,
			unsigned int section, uint64_t address, uint64_t memory_size,
			uint64_t alignment)
{
	array_reserve(writer->segments, writer->segment_count, writer->segment_capacity);
	writer->segments[writer->segment_count++] = (struct writer_segment){
		.header = { .p_type = type,
			    .p_flags = flags,
			    .p_vaddr = address,
			    .p_memsz = memory_size,
			    .p_align = alignment },
		.section = section,
	};
}

static unsigned int add_symbol(struct writer_symbols *symbols, const char *name, Elf64_Sym symbol)
{
	if (!symbols->count) {
		symbols->strings = (struct strbuf)STRBUF_INIT;
		strbuf_add_char(&symbols->strings, '\0');
		array_reserve(symbols->symbols, symbols->count, symbols->capacity);
		symbols->symbols[symbols->count++] = (Elf64_Sym){ 0 };
	}
	symbol.st_name = *name ? symbols->strings.length : 0;
	strbuf_add(&symbols->strings, name, strlen(name) + 1);
	array_reserve(symbols->symbols, symbols->count, symbols->capacity);
	symbols->symbols[symbols->count] = symbol;
	return symbols->count++;
}

unsigned int elf_writer_symbol(struct elf_writer *writer, const char *name, uint8_t type,
			       uint8_t binding, uint16_t section, uint64_t value, uint64_t size)
{
	return add_symbol(&writer->symbols, name,
			  (Elf64_Sym){ .st_info = ELF64_ST_INFO(binding, type),
				       .st_shndx = section,
				       .st_value = value,
				       .st_size = size });
}

unsigned int elf_writer_dynamic_symbol(struct elf_writer *writer, const char *name, uint8_t type,
				       uint8_t binding, uint16_t section, uint64_t value,
				       uint64_t size)
{
	return add_symbol(&writer->dynamic, name,
			  (Elf64_Sym){ .st_info = ELF64_ST_INFO(binding, type),
				       .st_shndx = section,
				       .st_value = value,
				       .st_size = size });
}

void elf_writer_symbol_visibility(struct elf_writer *writer, uint8_t visibility)
{
	writer->symbols.symbols[writer->symbols.count - 1].st_other = visibility;
}

static struct writer_section *section_named(struct elf_writer *writer, const char *name)
{
	for (size_t i = 1; i < writer->section_count; i++)
		if (!strcmp(writer->sections[i].name, name))
			return &writer->sections[i];
	return NULL;
}

void elf_writer_relocation(struct elf_writer *writer, const char *name, unsigned int target,
			   uint64_t address, uint32_t type, uint32_t symbol, int64_t addend)
{
	struct writer_section *section = section_named(writer, name);
	Elf64_Rela rela = { address, ELF64_R_INFO((uint64_t)symbol, type), addend };

	if (!section) {
		section = &writer->sections[elf_writer_section(writer, name, SHT_RELA,
							       target ? 0 : SHF_ALLOC, 0, NULL, 0)];
		section->header.sh_entsize = sizeof(rela);
		section->header.sh_info = target;
	}
	section->dynamic_symbols |= symbol && !target;
	section->symbols |= target;
	strbuf_add(&section->contents, &rela, sizeof(rela));
	section->header.sh_size = section->contents.length;
}

void elf_writer_note(struct elf_writer *writer, const char *section, const char *owner,
		     uint32_t type, const void *description, size_t size)
{
	static const char zeros[4];
	uint32_t words[3] = { strlen(owner) + 1, size, type };
	_cleanup_strbuf_ struct strbuf note = STRBUF_INIT;
	unsigned int number;

	strbuf_add(&note, words, sizeof(words));
	strbuf_add(&note, owner, words[0]);
	strbuf_add(&note, zeros, -words[0] & 3);
	strbuf_add(&note, description, size);
	strbuf_add(&note, zeros, -words[1] & 3);
	number =
		elf_writer_section(writer, section, SHT_NOTE, SHF_ALLOC, 0, note.data, note.length);
	elf_writer_segment(writer, PT_NOTE, PF_R, number, 0, note.length, 4);
}

void elf_writer_build_id(struct elf_writer *writer, const void *bytes, size_t size)
{
	elf_writer_note(writer, ".note.gnu.build-id", "GNU", NT_GNU_BUILD_ID, bytes, size);
}

/* ---- the file */

static void append_narrow_symbol(struct strbuf *buffer, const Elf64_Sym *symbol)
{
	Elf32_Sym narrow = {
		.st_name = symbol->st_name,
		.st_value = symbol->st_value,
		.st_size = symbol->st_size,
		.st_info = symbol->st_info,
		.st_other = symbol->st_other,
		.st_shndx = symbol->st_shndx,
	};

	strbuf_add(buffer, &narrow, sizeof(narrow));
}

/* Returns the table's number, 0 without symbols. */
static unsigned int add_symbol_table(struct elf_writer *writer, struct writer_symbols *symbols,
				     const char *name, uint32_t type, const char *strings_name)
{
	_cleanup_strbuf_ struct strbuf contents = STRBUF_INIT;
	uint64_t flags = type == SHT_DYNSYM ? SHF_ALLOC : 0;
	unsigned int table, strings;

	if (!symbols->count)
		return 0;
	for (size_t i = 0; i < symbols->count; i++) {
		if (writer->narrow)
			append_narrow_symbol(&contents, &symbols->symbols[i]);
		else
			strbuf_add(&contents, &symbols->symbols[i], sizeof(Elf64_Sym));
	}
	strings = elf_writer_section(writer, strings_name, SHT_STRTAB, flags, 0,
				     symbols->strings.data, symbols->strings.length);
	table = elf_writer_section(writer, name, type, flags, 0, contents.data, contents.length);
	elf_writer_section_details(writer, table, strings, 0,
				   writer->narrow ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym), 8);
	return table;
}

static void pad(struct strbuf *file, size_t alignment)
{
	while (file->length % alignment)
		strbuf_add_char(file, '\0');
}

static void append_section_header(struct strbuf *file, const Elf64_Shdr *header, bool narrow)
{
	Elf32_Shdr small = {
		.sh_name = header->sh_name,
		.sh_type = header->sh_type,
		.sh_flags = header->sh_flags,
		.sh_addr = header->sh_addr,
		.sh_offset = header->sh_offset,
		.sh_size = header->sh_size,
		.sh_link = header->sh_link,
		.sh_info = header->sh_info,
		.sh_addralign = header->sh_addralign,
		.sh_entsize = header->sh_entsize,
	};

	if (narrow)
		strbuf_add(file, &small, sizeof(small));
	else
		strbuf_add(file, header, sizeof(*header));
}

static void append_segment(struct elf_writer *writer, struct strbuf *file,
			   const struct writer_segment *segment)
{
	const Elf64_Shdr *section = &writer->sections[segment->section].header;
	Elf64_Phdr header = segment->header;
	Elf32_Phdr narrow;

	if (segment->section) {
		header.p_offset = section->sh_offset;
		header.p_vaddr = section->sh_addr;
		header.p_filesz = section->sh_type == SHT_NOBITS ? 0 : section->sh_size;
		if (!header.p_memsz)
			header.p_memsz = section->sh_size;
	}
	narrow = (Elf32_Phdr){
		.p_type = header.p_type,
		.p_offset = header.p_offset,
		.p_vaddr = header.p_vaddr,
		.p_filesz = header.p_filesz,
		.p_memsz = header.p_memsz,
		.p_flags = header.p_flags,
		.p_align = header.p_align,
	};
	if (writer->narrow)
		strbuf_add(file, &narrow, sizeof(narrow));
	else
		strbuf_add(file, &header, sizeof(header));
}

static void put_file_header(struct elf_writer *writer, struct strbuf *file, uint64_t sections,
			    uint64_t segments)
{
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = writer->type,
		.e_machine = writer->machine,
		.e_version = EV_CURRENT,
		.e_phoff = writer->segment_count ? segments : 0,
		.e_shoff = sections,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = writer->segment_count,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = writer->section_count,
		.e_shstrndx = writer->section_count - 1,
	};
	Elf32_Ehdr narrow = {
		.e_type = header.e_type,
		.e_machine = header.e_machine,
		.e_version = EV_CURRENT,
		.e_phoff = header.e_phoff,
		.e_shoff = header.e_shoff,
		.e_ehsize = sizeof(Elf32_Ehdr),
		.e_phentsize = sizeof(Elf32_Phdr),
		.e_phnum = header.e_phnum,
		.e_shentsize = sizeof(Elf32_Shdr),
		.e_shnum = header.e_shnum,
		.e_shstrndx = header.e_shstrndx,
	};

	if (!writer->narrow) {
		memcpy(file->data, &header, sizeof(header));
		return;
	}
	memcpy(narrow.e_ident, header.e_ident, sizeof(narrow.e_ident));
	narrow.e_ident[EI_CLASS] = ELFCLASS32;
	memcpy(file->data, &narrow, sizeof(narrow));
}

static void destroy(struct elf_writer *writer)
{
	for (size_t i = 0; i < writer->section_count; i++) {
		free(writer->sections[i].name);
		strbuf_deinit(&writer->sections[i].contents);
	}
	free(writer->sections);
	free(writer->segments);
	free(writer->symbols.symbols);
	free(writer->dynamic.symbols);
	if (writer->symbols.count)
		strbuf_deinit(&writer->symbols.strings);
	if (writer->dynamic.count)
		strbuf_deinit(&writer->dynamic.strings);
	free(writer);
}

/* Adds the tables that name what was added before, with .shstrtab last. */
static void add_tables(struct elf_writer *writer)
{
	unsigned int symbols =
		add_symbol_table(writer, &writer->symbols, ".symtab", SHT_SYMTAB, ".strtab");
	unsigned int dynamic =
		add_symbol_table(writer, &writer->dynamic, ".dynsym", SHT_DYNSYM, ".dynstr");
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;
	unsigned int last;

	last = elf_writer_section(writer, ".shstrtab", SHT_STRTAB, 0, 0, NULL, 0);
	for (size_t i = 0; i < writer->section_count; i++) {
		struct writer_section *section = &writer->sections[i];

		if (section->dynamic_symbols)
			section->header.sh_link = dynamic;
		else if (section->symbols)
			section->header.sh_link = symbols;
		section->header.sh_name = names.length;
		strbuf_add(&names, section->name, strlen(section->name) + 1);
	}
	strbuf_add(&writer->sections[last].contents, names.data, names.length);
	writer->sections[last].header.sh_size = names.length;
}

uint8_t *elf_writer_finish(struct elf_writer *writer, size_t *size)
{
	static const char room[sizeof(Elf64_Ehdr)];
	struct strbuf file = STRBUF_INIT;
	size_t sections, segments;

	add_tables(writer);
	strbuf_add(&file, room, sizeof(room));
	for (size_t i = 1; i < writer->section_count; i++) {
		struct writer_section *section = &writer->sections[i];

		pad(&file, 16);
		section->header.sh_offset = file.length;
		strbuf_add(&file, section->contents.data, section->contents.length);
	}
	pad(&file, 16);
	sections = file.length;
	for (size_t i = 0; i < writer->section_count; i++)
		append_section_header(&file, &writer->sections[i].header, writer->narrow);
	segments = file.length;
	for (size_t i = 0; i < writer->segment_count; i++)
		append_segment(writer, &file, &writer->segments[i]);
	put_file_header(writer, &file, sections, segments);
	destroy(writer);
	*size = file.length;
	return (uint8_t *)strbuf_detach(&file);
}

/* ---- the written file, opened as an image ---- */

struct written_image written_image_open(struct elf_writer *writer)
{
	struct written_image written = { 0 };
	struct error *error;

	written.bytes = elf_writer_finish(writer, &written.size);
	error = elf_image_open_memory(written.bytes, written.size, "written", &written.image);
	if (error)
		fail_msg("%s", error->message);
	return written;
}

void written_image_close(struct written_image *written)
{
	elf_image_close(written->image);
	free(written->bytes);
}
