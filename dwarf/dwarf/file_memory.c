// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory of mapped sections: it is given back when it was read (unit.h). */

#include "dwarf/dwarf/unit.h"
#include "dwarf/elf/image.h"
#include "base/memory.h"

/* A pass gives pages of the file back each time that it has read this many bytes. */
#define PASSED ((uint64_t)4 << 20)

static void done_with(const struct dwarf_file *file, enum dwarf_section number, uint64_t start,
		      uint64_t end)
{
	const struct dwarf_section_data *section = &file->sections.section[number];

	if (file->main_image && section->data && !file->sections.elf_owned)
		elf_image_done_with(file->main_image, section->data + start, end - start);
}

void dwarf_file_done_with(const struct dwarf_file *file, uint64_t start, uint64_t end)
{
	done_with(file, SECTION_INFO, start, end);
}

void dwarf_file_passed(const struct dwarf_file *file, uint64_t *start, uint64_t end)
{
	if (end - *start < PASSED)
		return;
	dwarf_file_done_with(file, *start, end);
	*start = end;
}

static void done_with_section(const struct dwarf_file *file, enum dwarf_section number)
{
	done_with(file, number, 0, file->sections.section[number].size);
}

void dwarf_file_done_with_abbrevs(const struct dwarf_file *file)
{
	done_with_section(file, SECTION_ABBREV);
}

void dwarf_file_done_with_frames(const struct dwarf_file *file)
{
	done_with_section(file, SECTION_FRAME);
}

/* Drops the pages of all sections that functions and types are read from. */
static void done_with_all(const struct dwarf_file *file)
{
	static const enum dwarf_section sections[] = {
		SECTION_INFO,   SECTION_ABBREV, SECTION_LOCLISTS, SECTION_LOC,  SECTION_RNGLISTS,
		SECTION_RANGES, SECTION_STR,    SECTION_FRAME,    SECTION_LINE, SECTION_LINE_STR
	};

	for (size_t i = 0; i < COUNT_OF(sections); i++)
		done_with_section(file, sections[i]);
}

/* Only files with so much .debug_info give pages back, and those of functions when KEPT bytes were
 * read, twice as many, four times as many and so on: where all functions are read, most pages are
 * soon read again. */
#define LARGE_FILE ((uint64_t)32 << 20)
#define KEPT       ((uint64_t)64 << 20)

void dwarf_file_done_with_roots(const struct dwarf_file *file)
{
	if (file->sections.section[SECTION_INFO].size >= LARGE_FILE)
		done_with_section(file, SECTION_INFO);
}

void dwarf_file_was_read(struct dwarf_file *file, uint64_t bytes)
{
	if (file->sections.section[SECTION_INFO].size < LARGE_FILE)
		return;
	uint64_t all = __atomic_add_fetch(&file->bytes_read, bytes, __ATOMIC_RELAXED),
		 times = all / KEPT;

	if (times != (all - bytes) / KEPT && !(times & (times - 1)))
		done_with_all(file);
}
