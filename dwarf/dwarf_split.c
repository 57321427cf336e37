// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_split.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "dwarf/dwarf_die.h"
#include "profiler/base/memory.h"
#include "profiler/base/ordinary_file.h"
#include "profiler/base/search.h"

/* Columns of a .dwp file's index (DWARF 5, section 7.3.5.3; before that gcc.gnu.org/wiki/DebugFissionDWP). */
enum {
	COLUMN_INFO = 1,
	COLUMN_TYPES = 2,
	COLUMN_ABBREV = 3,
	COLUMN_LOCATIONS = 5, /* .debug_loc before DWARF 5, .debug_loclists in it */
	COLUMN_STR_OFFSETS = 6,
	COLUMN_RNGLISTS = 8, /* version 5 alone */
};

#define COLUMNS_MAX 16

struct package_index {
	uint32_t version;
	uint32_t columns;
	uint32_t units;
	uint32_t ids[COLUMNS_MAX];
	const uint8_t *offsets; /* units x columns words */
	const uint8_t *sizes;
};

static bool read_index(const struct dwarf_section_data *section, struct package_index *index)
{
	struct cursor cursor = bytes_cursor(section->data, section->size);

	/* version 5 has two bytes and two of padding: the same word */
	index->version = cursor_u32(&cursor);
	index->columns = cursor_u32(&cursor);
	index->units = cursor_u32(&cursor);

	uint64_t slots = cursor_u32(&cursor);

	if (cursor.failed || (index->version != 2 && index->version != 5) || !index->columns ||
	    index->columns > COLUMNS_MAX)
		return false;
	cursor_skip(&cursor, slots * 12); /* signatures and row numbers: the rows alone are enough */
	for (uint32_t i = 0; i < index->columns; i++)
		index->ids[i] = cursor_u32(&cursor);

	size_t table = (size_t)index->units * index->columns * 4;

	index->offsets = cursor_bytes(&cursor, table);
	index->sizes = cursor_bytes(&cursor, table);
	return !cursor.failed;
}

static uint64_t table_word(const uint8_t *table, const struct package_index *index, uint32_t row, uint32_t id)
{
	for (uint32_t i = 0; i < index->columns; i++) {
		uint32_t word;

		if (index->ids[i] != id)
			continue;
		memcpy(&word, table + ((size_t)row * index->columns + i) * 4, 4);
		return word;
	}
	return 0;
}

static struct unit *unit_in(struct dwarf_file *file, bool in_types, uint64_t low, uint64_t size)
{
	size_t first = in_types ? file->info_unit_count : 0;
	size_t end = in_types ? file->unit_count : file->info_unit_count;
	size_t index = partition_point(first, end, i, file->units[i].offset < low);

	return index < end && file->units[index].offset - low < size ? &file->units[index] : NULL;
}

/* Gives a unit its share of .debug_abbrev.dwo. libdw 0.188 knows of no packages: for it the header is
 * changed, in our copy of the file. */
static void move_abbrevs(struct unit *unit, uint64_t share)
{
	/* behind the length, the version and (DWARF 5, section 7.5.1) two bytes more */
	size_t at = (unit->offset_size == 8 ? 12 : 4) + 2 + (unit->version >= 5 ? 2 : 0);

	unit->abbrev_offset += share;
	if (!unit->broken)
		memcpy((uint8_t *)unit_section(unit)->data + unit->offset + at, &unit->abbrev_offset,
		       unit->offset_size);
}

/* Gives each unit the beginning of its share of the other sections. */
static void apply_index(struct dwarf_file *file, enum dwarf_section number)
{
	struct package_index index;

	if (!read_index(&file->sections.section[number], &index))
		return;

	bool in_types = number == SECTION_TU_INDEX && index.version == 2;
	uint32_t own = in_types ? COLUMN_TYPES : COLUMN_INFO;

	for (uint32_t row = 0; row < index.units; row++) {
		uint64_t low = table_word(index.offsets, &index, row, own);
		struct unit *unit = unit_in(file, in_types, low, table_word(index.sizes, &index, row, own));

		if (!unit)
			continue;
		move_abbrevs(unit, table_word(index.offsets, &index, row, COLUMN_ABBREV));
		unit->str_offsets_base = table_word(index.offsets, &index, row, COLUMN_STR_OFFSETS);
		unit->loclists_base = table_word(index.offsets, &index, row, COLUMN_LOCATIONS);
		unit->rnglists_base =
			index.version == 5 ? table_word(index.offsets, &index, row, COLUMN_RNGLISTS) : 0;
	}
}

static void *map_file(const char *path, size_t *size)
{
	_cleanup_close_ int fd = -1;
	struct stat status;
	_cleanup_error_ struct error *error = ordinary_file_open(path, &fd, &status);

	if (error || status.st_size <= 0)
		return NULL;
	*size = (size_t)status.st_size;

	void *data = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	return data == MAP_FAILED ? NULL : data;
}

void dwarf_split_unmap(struct dwarf_file *file)
{
	if (file->data)
		munmap((void *)file->data, file->data_size);
}

static struct dwarf_file *find_file(struct dwarf_files *files, const char *path)
{
	for (size_t i = 1; i < files->count; i++) {
		if (strcmp(files->files[i]->path, path) == 0)
			return files->files[i];
	}
	return NULL;
}

/* Returns NULL if there is no such file, or it has no split DWARF. */
static struct dwarf_file *open_split(struct dwarf_files *files, const char *path)
{
	struct dwarf_file *file = find_file(files, path);
	struct dwarf_sections sections;
	size_t size;

	if (file)
		return file->split ? file : NULL;

	void *data = map_file(path, &size);

	if (!data)
		return NULL;

	_cleanup_error_ struct error *error = dwarf_sections_read_split(data, size, path, &sections);

	if (!error)
		file = dwarf_files_add(files, path, true, NULL, &sections);
	if (!file) {
		munmap(data, size);
		return NULL;
	}
	file->data = data;
	file->data_size = size;
	apply_index(file, SECTION_CU_INDEX);
	apply_index(file, SECTION_TU_INDEX);
	return file;
}

static bool is_split_of(struct unit *unit, const struct unit *skeleton)
{
	if (unit->kind == DW_UT_type || unit->kind == DW_UT_split_type || unit->version != skeleton->version)
		return false;
	/* before DWARF 5 the id is an attribute of the root DIE */
	return (unit->version >= 5 || unit_prepare(unit)) && unit->signature == skeleton->signature;
}

static struct unit *find_unit(struct dwarf_file *file, const struct unit *skeleton)
{
	for (size_t i = 0; file && i < file->info_unit_count; i++) {
		if (!file->units[i].skeleton && is_split_of(&file->units[i], skeleton))
			return &file->units[i];
	}
	return NULL;
}

static struct unit *find_in(struct dwarf_files *files, const struct unit *skeleton, char *path)
{
	struct unit *unit = path ? find_unit(open_split(files, path), skeleton) : NULL;

	free(path);
	return unit;
}

static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/'), *last = strrchr(name, '/');

	return xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, last ? last + 1 : name);
}

static struct unit *find_split(struct dwarf_files *files, const struct unit *skeleton, const char *name)
{
	const char *main = dwarf_files_main(files)->path;
	struct unit *unit = find_in(files, skeleton, xasprintf("%s.dwp", main));

	if (!unit && name && (*name == '/' || skeleton->comp_dir))
		unit = find_in(files, skeleton,
			       *name == '/' ? xstrdup(name) : xasprintf("%s/%s", skeleton->comp_dir, name));
	if (!unit && name)
		unit = find_in(files, skeleton, beside(main, name));
	return unit;
}

void dwarf_split_attach(struct unit *skeleton, const char *name)
{
	struct unit *unit = find_split(skeleton->file->files, skeleton, name);

	if (!unit)
		return;
	unit->skeleton = skeleton;
	unit->addr_sections = &skeleton->file->sections;
	unit->addr_base = skeleton->addr_base;
	unit->low_pc = skeleton->low_pc;
	/* the base is for the ranges of split DIEs, not for the skeleton's own */
	unit->ranges_base = skeleton->ranges_base;
	skeleton->ranges_base = 0;
	if (!unit->comp_dir)
		unit->comp_dir = skeleton->comp_dir;
	skeleton->split = unit;
}

struct unit *dwarf_split_type_unit(struct dwarf_file *file, uint64_t signature)
{
	for (size_t i = 0; i < file->unit_count; i++) {
		if (file->units[i].type_die && file->units[i].signature == signature)
			return &file->units[i];
	}
	return NULL;
}
