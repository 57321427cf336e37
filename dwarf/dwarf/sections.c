// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finding the DWARF sections of a file, uncompressing them, and making the image that libdw reads.
 */
#include "dwarf/dwarf/sections.h"

#include <gelf.h>
#include <libelf.h>
#include <zlib.h>
#include <zstd.h>

#include "dwarf/elf/image.h"
#include "base/files.h"
#include "base/text.h"
#include "base/memory.h"

/*
 * ---- compressed sections ----
 *
 * libz and libzstd uncompress them. libelf's elf_compress() would change the section header in
 * place, but our mapping is read-only; and it supports zstd only since 0.189, if built so.
 */

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

#define GNU_HEADER 12 /* "ZLIB" and the size as a big-endian word */

static struct error *bad_section(const char *file, const char *section, const char *problem)
{
	return error_create(ERROR_FORMAT, "%s: section %s does not decompress: %s", file, section,
			    problem);
}

/* Moves *data and *size past the compression header. Returns what is wrong with it, or NULL. */
static const char *read_compression(const uint8_t **data, size_t *size, bool gnu,
				    Elf64_Chdr *header)
{
	size_t length = gnu ? GNU_HEADER : sizeof(*header);

	if (*size < length)
		return "its header is cut off";
	if (gnu && memcmp(*data, "ZLIB", 4) != 0)
		return "it does not begin with ZLIB";
	*header = (Elf64_Chdr){ .ch_type = ELFCOMPRESS_ZLIB };
	if (!gnu)
		memcpy(header, *data, length);
	for (int i = 4; gnu && i < GNU_HEADER; i++)
		header->ch_size = header->ch_size << 8 | (*data)[i];
	*data += length;
	*size -= length;
	return NULL;
}

/* Uncompresses a section whose bytes in the file are `data`; the caller frees *result. `gnu`: it is
 * a .zdebug_* section. `file` and `section` are for messages. *left is what the sections of the
 * file may still unpack to. */
static struct error *decompress(const uint8_t *data, size_t size, bool gnu, const char *file,
				const char *section, uint64_t *left, uint8_t **result,
				size_t *result_size)
{
	Elf64_Chdr header;
	const char *problem = read_compression(&data, &size, gnu, &header);
	uLongf length = 0;
	bool done;

	if (problem)
		return bad_section(file, section, problem);
	if (header.ch_type != ELFCOMPRESS_ZLIB && header.ch_type != ELFCOMPRESS_ZSTD)
		return error_create(ERROR_UNSUPPORTED,
				    "%s: section %s is compressed by method %u, which is not known",
				    file, section, (unsigned int)header.ch_type);
	if (header.ch_size > *left)
		return error_create(ERROR_FORMAT,
				    "%s: section %s claims %llu bytes from %zu compressed ones: "
				    "more than a file of this size may have",
				    file, section, (unsigned long long)header.ch_size, size);
	*left -= header.ch_size;
	*result = xmalloc(header.ch_size ?: 1);
	errno = 0;
	length = *result_size = header.ch_size;
	if (header.ch_type == ELFCOMPRESS_ZLIB) {
		done = uncompress(*result, &length, data, size) == Z_OK;
	} else {
		length = ZSTD_decompress(*result, header.ch_size, data, size);
		done = !ZSTD_isError(length);
	}
	if (done && length == header.ch_size)
		return NULL;
	if (!done)
		check_library_memory();
	free(*result);
	return bad_section(file, section, "its data are damaged, or not as large as they say");
}

/* ---- sections ---- */

static const char *const section_names[DWARF_SECTION_COUNT] = {
	[SECTION_INFO] = "debug_info",           [SECTION_TYPES] = "debug_types",
	[SECTION_ABBREV] = "debug_abbrev",       [SECTION_STR] = "debug_str",
	[SECTION_LINE_STR] = "debug_line_str",   [SECTION_STR_OFFSETS] = "debug_str_offsets",
	[SECTION_ADDR] = "debug_addr",           [SECTION_LOC] = "debug_loc",
	[SECTION_LOCLISTS] = "debug_loclists",   [SECTION_RANGES] = "debug_ranges",
	[SECTION_RNGLISTS] = "debug_rnglists",   [SECTION_ARANGES] = "debug_aranges",
	[SECTION_LINE] = "debug_line",           [SECTION_FRAME] = "debug_frame",
	[SECTION_CU_INDEX] = "debug_cu_index",   [SECTION_TU_INDEX] = "debug_tu_index",
	[SECTION_ALT_LINK] = "gnu_debugaltlink", [SECTION_EH_FRAME] = "eh_frame",
};

/* Returns the enum dwarf_section of ".debug_info", ".zdebug_info", ".debug_info.dwo" ..., or -1. */
static int section_number(const char *name, bool split, bool *gnu_compressed)
{
	size_t length = strlen(name);
	bool of_split_file = ends_with(name, ".dwo");
	bool is_index =
		strcmp(name, ".debug_cu_index") == 0 || strcmp(name, ".debug_tu_index") == 0;

	if (split != (of_split_file || (split && is_index)))
		return -1;
	if (of_split_file)
		length -= strlen(".dwo");
	*gnu_compressed = starts_with(name, ".zdebug_");

	size_t prefix = *gnu_compressed ? 2 : 1; /* ".z", "." */

	if (*name != '.' || length < prefix)
		return -1;
	for (int i = 0; i < DWARF_SECTION_COUNT; i++)
		if (text_is(name + prefix, length - prefix, section_names[i]))
			return i;
	return -1;
}

/* The file that is being read. */
struct source {
	const char *file;
	const void *data; /* the file; writable where `split` is set */
	size_t size;
	uint64_t left;                 /* bytes that its compressed sections may still have */
	const struct elf_image *image; /* NULL: nothing is relocated */
	bool split, frames_alone;
	/* libdw can read the file as it is; false once a section has been found that it cannot */
	bool plain;
};

static struct error *read_section(struct source *source, Elf_Scn *scn, const GElf_Shdr *header,
				  bool gnu_compressed, const char *name,
				  struct dwarf_section_data *result)
{
	struct elf_section section;
	Elf_Data *data = library_memory(elf_rawdata(scn, NULL));
	uint8_t *owned = NULL;

	if (!data || !data->d_buf)
		return NULL;
	result->address = header->sh_addr;
	result->data = data->d_buf;
	result->size = data->d_size;
	/* of a relocatable file */
	if (!result->address && header->sh_flags & SHF_ALLOC && source->image &&
	    elf_image_section_named(source->image, name, &section))
		result->address = section.address;
	if (!gnu_compressed && !(header->sh_flags & SHF_COMPRESSED))
		return NULL;
	RETURN_ERROR(decompress(result->data, result->size, gnu_compressed, source->file, name,
				&source->left, &owned, &result->size));
	if (source->image) {
		elf_image_done_with(source->image, data->d_buf, data->d_size);
		elf_image_relocate(source->image, elf_ndxscn(scn), owned, result->size);
	}
	result->data = result->owned = owned;
	return NULL;
}

/* Appends a section of the same name: .dwo files have one for each type unit (COMDAT groups). */
static void append_section(struct dwarf_section_data *whole, struct dwarf_section_data *part)
{
	uint8_t *bytes = xmalloc(whole->size + part->size);

	memcpy(bytes, whole->data, whole->size);
	memcpy(bytes + whole->size, part->data, part->size);
	free_all(whole->owned, part->owned);
	whole->data = whole->owned = bytes;
	whole->size += part->size;
}

static struct error *add_section(struct source *source, Elf_Scn *scn, const GElf_Shdr *header,
				 int number, bool gnu_compressed, const char *name,
				 struct dwarf_sections *result)
{
	struct dwarf_section_data *section = &result->section[number];
	struct dwarf_section_data part = { 0 };

	/* only these two may have several parts */
	if (section->data && number != SECTION_INFO && number != SECTION_TYPES)
		return NULL;
	RETURN_ERROR(read_section(source, scn, header, gnu_compressed, name, &part));
	if (section->data && part.data) {
		append_section(section, &part);
		source->plain = false;
	} else if (part.data) {
		*section = part;
	}
	return NULL;
}

/* Removes the name of a package's index (.debug_cu_index): libdw 0.188 takes a file for one that is
 * not split if it has a section named .debug_* without .dwo at the end. */
static void hide_section(const struct source *source, const GElf_Ehdr *header, size_t index)
{
	uint64_t at = header->e_shoff + index * sizeof(Elf64_Shdr);

	if (at <= source->size && source->size - at >= sizeof(Elf64_Shdr))
		memset((uint8_t *)source->data + at + offsetof(Elf64_Shdr, sh_name), 0,
		       sizeof(Elf64_Word));
}

static struct error *read_sections(Elf *elf, struct source *source, struct dwarf_sections *result)
{
	const char *name = source->file;
	size_t names_index;
	Elf_Scn *scn = NULL;
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    elf_getshdrstrndx(elf, &names_index) < 0)
		return error_create(ERROR_FORMAT, "%s: not a readable ELF file: %s", name,
				    elf_errmsg(-1));
	if (header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_ident[EI_CLASS] != ELFCLASS64)
		return error_create(ERROR_UNSUPPORTED,
				    "%s is a 32-bit program: types are found in 64-bit ones only",
				    name);
	result->relocatable = header.e_type == ET_REL;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr section;
		const char *section_name = gelf_getshdr(scn, &section)
						   ? elf_strptr(elf, names_index, section.sh_name)
						   : NULL;
		bool gnu_compressed;
		int number = section_name
				     ? section_number(section_name, source->split, &gnu_compressed)
				     : -1;

		/* this includes sections that only libdw knows, and would uncompress in place; an
		 * object file may have its split sections itself (clang -gsplit-dwarf=single) */
		if (section_name && (starts_with(section_name, ".zdebug_") ||
				     (starts_with(section_name, ".debug_") &&
				      (section.sh_flags & (SHF_COMPRESSED | SHF_GROUP) ||
				       (source->split && number < 0)))))
			source->plain = false;
		if (number < 0 || section.sh_type == SHT_NOBITS)
			continue;
		if (source->frames_alone && number != SECTION_EH_FRAME && number != SECTION_FRAME)
			continue;
		if (source->split && (number == SECTION_CU_INDEX || number == SECTION_TU_INDEX))
			hide_section(source, &header, elf_ndxscn(scn));
		RETURN_ERROR(add_section(source, scn, &section, number, gnu_compressed,
					 section_name, result));
	}
	return NULL;
}

/* ---- the image for libdw ---- */

static void make_image(struct dwarf_sections *sections)
{
	struct elf_composition file = { 0 };
	size_t places[DWARF_SECTION_COUNT];

	array_indexed (struct dwarf_section_data, section, i, sections->section,
		       DWARF_SECTION_COUNT) {
		char name[32];

		if (!section->size)
			continue;
		snprintf(name, sizeof(name), ".%s", section_names[i]);

		const Elf64_Shdr header = { .sh_type = SHT_PROGBITS,
					    .sh_addr = section->address,
					    .sh_size = section->size };

		places[i] = elf_composition_add(&file, name, &header);
		memcpy(file.data + places[i], section->data, section->size);
		free(section->owned);
		section->owned = NULL;
	}
	elf_composition_finish(&file, sections->relocatable ? ET_REL : ET_EXEC,
			       arch_default()->elf_machine); /* any: nothing is relocated */
	for (int i = 0; i < DWARF_SECTION_COUNT; i++)
		if (sections->section[i].size)
			sections->section[i].data = file.data + places[i];
	sections->elf = sections->elf_owned = file.data;
	sections->elf_size = file.size;
}

static void elf_endp(Elf **elf)
{
	elf_end(*elf);
}

static struct error *read_all(struct source *source, struct dwarf_sections *result)
{
	const char *name = source->file;

	elf_version(EV_CURRENT);

	/* elf_memory() takes char *, but only reads as long as nothing is updated */
	__attribute__((cleanup(elf_endp))) Elf *elf =
		library_memory(elf_memory((char *)source->data, source->size));

	if (!elf)
		return error_create(ERROR_FORMAT, "%s: not an ELF file: %s", name, elf_errmsg(-1));

	struct dwarf_sections sections = { 0 };
	source->plain = true;
	source->left = unpacked_max(source->size);
	sections.elf = source->data;
	sections.elf_size = sections.file_size = source->size;

	struct error *error = read_sections(elf, source, &sections);

	if (!error && !source->plain && !source->frames_alone)
		make_image(&sections);
	if (error) {
		dwarf_sections_deinit(&sections);
		return error;
	}
	*result = sections;
	return NULL;
}

static struct error *read_image(const struct elf_image *image, bool frames_alone,
				struct dwarf_sections *result)
{
	struct source source = { .file = elf_image_path(image),
				 .image = image,
				 .frames_alone = frames_alone };

	source.data = elf_image_data(image, &source.size);
	return read_all(&source, result);
}

struct error *dwarf_sections_read(const struct elf_image *image, struct dwarf_sections *result)
{
	return read_image(image, false, result);
}

struct error *dwarf_sections_read_frames(const struct elf_image *image,
					 struct dwarf_sections *result)
{
	return read_image(image, true, result);
}

struct error *dwarf_sections_read_split(void *data, size_t size, const char *name,
					struct dwarf_sections *result)
{
	struct source source = { .file = name, .data = data, .size = size, .split = true };

	return read_all(&source, result);
}

void dwarf_sections_deinit(struct dwarf_sections *sections)
{
	for (int i = 0; i < DWARF_SECTION_COUNT; i++)
		free(sections->section[i].owned);
	free(sections->elf_owned);
	*sections = (struct dwarf_sections){ 0 };
}
