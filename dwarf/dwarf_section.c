/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_section.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_decompress.h"
#include "dwarf/elf_image.h"
#include "profiler/base/memory.h"

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

static void elf_endp(Elf **elf)
{
	elf_end(*elf);
}

static bool ends_with(const char *text, size_t length, const char *end)
{
	return length >= strlen(end) && memcmp(text + length - strlen(end), end, strlen(end)) == 0;
}

/* enum dwarf_section of ".debug_info", ".zdebug_info", ".debug_info.dwo" ..., or -1. */
static int section_number(const char *name, bool split, bool *gnu_compressed)
{
	size_t length = strlen(name);
	bool of_split_file = ends_with(name, length, ".dwo");
	bool is_index = strcmp(name, ".debug_cu_index") == 0 || strcmp(name, ".debug_tu_index") == 0;

	if (split != (of_split_file || (split && is_index)))
		return -1;
	if (of_split_file)
		length -= strlen(".dwo");
	*gnu_compressed = strncmp(name, ".zdebug_", 8) == 0;

	size_t prefix = *gnu_compressed ? 2 : 1; /* ".z", "." */

	if (*name != '.' || length < prefix)
		return -1;
	for (int i = 0; i < DWARF_SECTION_COUNT; i++) {
		if (strlen(section_names[i]) == length - prefix &&
		    memcmp(section_names[i], name + prefix, length - prefix) == 0)
			return i;
	}
	return -1;
}

/* What is read, for its parts' messages and relocations. */
struct source {
	const char *file;
	const struct elf_image *image; /* NULL: nothing is relocated */
	bool split;
	bool frames_alone;
};

static struct error *read_section(const struct source *source, Elf_Scn *scn, const GElf_Shdr *header,
				  bool gnu_compressed, const char *name, struct dwarf_section_data *result)
{
	struct elf_section section;
	Elf_Data *data = elf_rawdata(scn, NULL);
	uint8_t *owned;

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
	RETURN_ERROR(dwarf_decompress(result->data, result->size, gnu_compressed, source->file, name, &owned,
				      &result->size));
	if (source->image) {
		elf_image_done_with(source->image, data->d_buf, data->d_size);
		elf_image_relocate(source->image, elf_ndxscn(scn), owned, result->size);
	}
	result->data = result->owned = owned;
	return NULL;
}

/* Units of types have sections of their own in .dwo files (COMDAT groups): they are put one behind the other.
 */
static void append_section(struct dwarf_section_data *whole, struct dwarf_section_data *part)
{
	uint8_t *bytes = xmalloc(whole->size + part->size);

	memcpy(bytes, whole->data, whole->size);
	memcpy(bytes + whole->size, part->data, part->size);
	free(whole->owned);
	free(part->owned);
	whole->data = whole->owned = bytes;
	whole->size += part->size;
}

static struct error *add_section(const struct source *source, Elf_Scn *scn, const GElf_Shdr *header,
				 int number, bool gnu_compressed, const char *name,
				 struct dwarf_sections *result)
{
	struct dwarf_section_data *section = &result->section[number];
	struct dwarf_section_data part = { 0 };

	/* of other sections of one name the first counts */
	if (section->data && number != SECTION_INFO && number != SECTION_TYPES)
		return NULL;
	RETURN_ERROR(read_section(source, scn, header, gnu_compressed, name, &part));
	if (section->data && part.data)
		append_section(section, &part);
	else if (part.data)
		*section = part;
	return NULL;
}

static struct error *read_sections(Elf *elf, const struct source *source, struct dwarf_sections *result)
{
	const char *name = source->file;
	size_t names_index;
	Elf_Scn *scn = NULL;
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    elf_getshdrstrndx(elf, &names_index) < 0)
		return error_create(ERROR_FORMAT, "%s: not a readable ELF file: %s", name, elf_errmsg(-1));
	if (header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_ident[EI_CLASS] != ELFCLASS64)
		return error_create(ERROR_UNSUPPORTED,
				    "%s is a 32-bit program: types are found in 64-bit ones only", name);
	result->relocatable = header.e_type == ET_REL;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr section;
		const char *section_name =
			gelf_getshdr(scn, &section) ? elf_strptr(elf, names_index, section.sh_name) : NULL;
		bool gnu_compressed;
		int number = section_name ? section_number(section_name, source->split, &gnu_compressed) : -1;

		if (number < 0 || section.sh_type == SHT_NOBITS)
			continue;
		if (source->frames_alone && number != SECTION_EH_FRAME && number != SECTION_FRAME)
			continue;
		RETURN_ERROR(
			add_section(source, scn, &section, number, gnu_compressed, section_name, result));
	}
	return NULL;
}

static struct error *read_all(const struct source *source, const void *data, size_t size,
			      struct dwarf_sections *result)
{
	const char *name = source->file;

	elf_version(EV_CURRENT);

	/* elf_memory() takes char *, but reads only while nothing is updated */
	__attribute__((cleanup(elf_endp))) Elf *elf = elf_memory((char *)data, size);

	if (!elf)
		return error_create(ERROR_FORMAT, "%s: not an ELF file: %s", name, elf_errmsg(-1));

	struct dwarf_sections sections = { 0 };
	struct error *error = read_sections(elf, source, &sections);

	if (error) {
		dwarf_sections_release(&sections);
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
	size_t size;
	const void *data = elf_image_data(image, &size);

	return read_all(&source, data, size, result);
}

struct error *dwarf_sections_read(const struct elf_image *image, struct dwarf_sections *result)
{
	return read_image(image, false, result);
}

struct error *dwarf_sections_read_frames(const struct elf_image *image, struct dwarf_sections *result)
{
	return read_image(image, true, result);
}

struct error *dwarf_sections_read_split(const void *data, size_t size, const char *name,
					struct dwarf_sections *result)
{
	struct source source = { .file = name, .split = true };

	return read_all(&source, data, size, result);
}

void dwarf_sections_release(struct dwarf_sections *sections)
{
	for (int i = 0; i < DWARF_SECTION_COUNT; i++)
		free(sections->section[i].owned);
	*sections = (struct dwarf_sections){ 0 };
}
