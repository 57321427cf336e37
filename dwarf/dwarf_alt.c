// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_alt.h"

#include <stdlib.h>

#include "dwarf/elf/image.h"
#include "profiler/base/memory.h"

static struct error *open_sections(const char *path, struct elf_image **image,
				   struct dwarf_sections *sections)
{
	RETURN_ERROR(elf_image_open(path, image));

	struct error *error = dwarf_sections_read(*image, sections);

	if (error)
		elf_image_close(*image);
	return error;
}

struct error *dwarf_alt_open(struct dwarf_file *file, const struct elf_image *image)
{
	_cleanup_free_ char *path = NULL;
	struct dwarf_sections sections;
	struct elf_image *alt_image;

	if (!file->sections.section[SECTION_ALT_LINK].size)
		return NULL;
	RETURN_ERROR(elf_image_find_alt_file(image, NULL, &path));
	if (!path)
		return NULL;
	RETURN_ERROR(open_sections(path, &alt_image, &sections));
	/* the first file after the main one: there is room */
	file->alt = dwarf_files_add(file->files, path, false, NULL, &sections);
	file->alt->image = alt_image;
	return NULL;
}
