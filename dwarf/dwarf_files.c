// SPDX-License-Identifier: GPL-2.0-or-later
/* The files that an object's debug information is in, and the headers of their units: see dwarf_unit.h. */
#include "dwarf/dwarf_unit.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_alt.h"
#include "dwarf/dwarf_die.h"
#include "dwarf/dwarf_handle.h"
#include "dwarf/dwarf_index.h"
#include "dwarf/dwarf_split.h"
#include "dwarf/elf/image.h"
#include "dwarf/leb128.h"
#include "profiler/base/memory.h"
#include "profiler/base/search.h"

/* Bytes that a pass leaves behind before it gives them back. */
#define PASSED ((uint64_t)4 << 20)

/* The longest unit header, that of a type unit in the 64-bit format, has 40 bytes. */
#define HEADER_SIZE 40

/* Copies up to `size` bytes of a section, without bringing the pages around them into memory. Returns how
 * many. */
static size_t read_section(const struct dwarf_file *file, const struct dwarf_section_data *section,
			   uint64_t offset, uint8_t *buffer, size_t size)
{
	if (size > section->size - offset)
		size = section->size - offset;
	if (file->main_image && !section->owned)
		elf_image_copy(file->main_image, section->data + offset, buffer, size);
	else
		memcpy(buffer, section->data + offset, size);
	return size;
}

/* DWARF 5, section 7.5.1; .debug_types: DWARF 4, section 7.5.1.2. False: no unit can be read there. */
static bool read_header(struct dwarf_file *file, bool in_types, uint64_t offset, struct unit *unit)
{
	const struct dwarf_section_data *section =
		&file->sections.section[in_types ? SECTION_TYPES : SECTION_INFO];
	uint8_t bytes[HEADER_SIZE];
	struct cursor header = bytes_cursor(bytes, read_section(file, section, offset, bytes, sizeof(bytes)));
	uint64_t type_offset = 0, length = cursor_u32(&header);
	bool is_type = in_types;

	*unit = (struct unit){
		.file = file,
		.number = (uint32_t)file->unit_count,
		.in_types = in_types,
		.offset = offset,
		.offset_size = 4,
	};
	if (length == UINT32_MAX) {
		unit->offset_size = 8;
		length = cursor_u64(&header);
	}
	if (header.failed || length > section->size - offset - header.position)
		return false;
	unit->end = offset + header.position + length;
	if (header.size > unit->end - offset)
		header.size = unit->end - offset;
	unit->version = (uint8_t)cursor_u16(&header);
	if (unit->version >= 5) {
		unit->kind = cursor_u8(&header);
		unit->address_size = cursor_u8(&header);
		unit->abbrev_offset = cursor_word(&header, unit->offset_size);
		is_type = unit->kind == DW_UT_type || unit->kind == DW_UT_split_type;
		if (unit->kind == DW_UT_skeleton || unit->kind == DW_UT_split_compile)
			unit->signature = cursor_u64(&header);
	} else {
		unit->kind = in_types ? DW_UT_type : DW_UT_compile;
		unit->abbrev_offset = cursor_word(&header, unit->offset_size);
		unit->address_size = cursor_u8(&header);
	}
	if (is_type) {
		unit->signature = cursor_u64(&header);
		type_offset = cursor_word(&header, unit->offset_size);
		unit->type_die = unit->offset + type_offset;
	}
	unit->first_die = offset + header.position;
	/* a unit of a version that is not known is there, but has nothing to read */
	unit->broken = header.failed || unit->version < 2 || unit->version > 5 ||
		       (unit->address_size != 8 && unit->address_size != 4);
	if (unit->broken)
		unit->first_die = unit->end;
	return true;
}

static void read_headers(struct dwarf_file *file, bool in_types)
{
	const struct dwarf_section_data *section =
		&file->sections.section[in_types ? SECTION_TYPES : SECTION_INFO];
	size_t capacity = file->unit_count;
	struct unit unit = { 0 };

	while (unit.end < section->size && read_header(file, in_types, unit.end, &unit)) {
		array_reserve(file->units, file->unit_count, capacity);
		file->units[file->unit_count++] = unit;
	}
}

/* Pages of .debug_info, by which its units are looked up. */
#define PAGE_SHIFT 16

static void index_pages(struct dwarf_file *file)
{
	size_t count = (file->sections.section[SECTION_INFO].size >> PAGE_SHIFT) + 1;
	size_t unit = 0;

	if (!file->info_unit_count)
		return;
	file->unit_of_page = xcalloc(count + 1, sizeof(*file->unit_of_page));
	for (size_t page = 0; page <= count; page++) {
		while (unit + 1 < file->info_unit_count &&
		       file->units[unit + 1].offset <= (uint64_t)page << PAGE_SHIFT)
			unit++;
		file->unit_of_page[page] = (uint32_t)unit;
	}
}

static void register_type_units(struct dwarf_files *files, struct dwarf_file *file)
{
	for (size_t i = 0; i < file->unit_count; i++) {
		const struct unit *unit = &file->units[i];
		bool created;

		if (!unit->type_die)
			continue;

		/* of several files the first that has the type counts: equal signatures are equal types */
		uint32_t *value = hash_map_insert(&files->type_units, unit->signature, &created);

		if (created)
			*value = (uint32_t)i;
	}
}

struct dwarf_file *dwarf_files_add(struct dwarf_files *files, const char *path, bool split,
				   const struct elf_image *main_image, struct dwarf_sections *sections)
{
	if (files->count >= DWARF_FILES_MAX)
		return NULL;

	struct dwarf_file *file = xcalloc(1, sizeof(*file));

	file->files = files;
	file->index = (uint16_t)files->count;
	file->split = split;
	file->path = xstrdup(path);
	file->main_image = main_image;
	file->handle = dwarf_handle_create();
	file->sections = *sections;
	*sections = (struct dwarf_sections){ 0 };
	read_headers(file, false);
	file->info_unit_count = file->unit_count;
	index_pages(file);
	read_headers(file, true);
	files->files[files->count] = file;
	__atomic_store_n(&files->count, files->count + 1, __ATOMIC_RELEASE);
	return file;
}

/* Recursive: preparing a skeleton prepares its split unit. */
static void init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

struct error *dwarf_files_open(const struct elf_image *image, struct dwarf_files **result)
{
	struct dwarf_sections sections;
	const char *path = elf_image_path(image);

	RETURN_ERROR(dwarf_sections_read(image, &sections));

	struct dwarf_files *files = xcalloc(1, sizeof(*files));

	files->files = xcalloc(DWARF_FILES_MAX, sizeof(*files->files));
	init_lock(&files->lock);

	struct dwarf_file *file = dwarf_files_add(files, path, false, image, &sections);
	struct error *error = dwarf_alt_open(file, image);

	if (error) {
		dwarf_files_close(files);
		return error;
	}
	register_type_units(files, file);
	*result = files;
	return NULL;
}

static void done_with(const struct dwarf_file *file, enum dwarf_section number, uint64_t start, uint64_t end)
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

void dwarf_file_done_with_all(const struct dwarf_file *file)
{
	static const enum dwarf_section sections[] = { SECTION_INFO, SECTION_ABBREV,   SECTION_LOCLISTS,
						       SECTION_LOC,  SECTION_RNGLISTS, SECTION_RANGES,
						       SECTION_STR,  SECTION_FRAME };

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		done_with_section(file, sections[i]);
}

static void unit_destroy(struct unit *unit)
{
	unit_indices_destroy(unit);
	unit_layouts_destroy(unit);
	hash_map_deinit(&unit->fingerprints);
}

static void file_destroy(struct dwarf_file *file)
{
	for (size_t i = 0; i < file->unit_count; i++)
		unit_destroy(&file->units[i]);
	dwarf_handle_destroy(file->handle);
	free(file->units);
	free(file->unit_of_page);
	free(file->path);
	dwarf_sections_deinit(&file->sections);
	dwarf_split_unmap(file);
	elf_image_close(file->image);
	free(file);
}

void dwarf_files_close(struct dwarf_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->count; i++)
		file_destroy(files->files[i]);
	free(files->files);
	hash_map_deinit(&files->type_units);
	pthread_mutex_destroy(&files->lock);
	free(files);
}

struct unit *dwarf_files_unit(struct dwarf_files *files, uint64_t reference)
{
	uint64_t file_index = reference >> REFERENCE_FILE_SHIFT;
	uint64_t offset = reference & REFERENCE_OFFSET_MASK;

	if (file_index >= __atomic_load_n(&files->count, __ATOMIC_ACQUIRE))
		return NULL;

	const struct dwarf_file *file = files->files[file_index];
	bool in_types = reference & REFERENCE_TYPES;
	size_t low = in_types ? file->info_unit_count : 0;
	size_t high = in_types ? file->unit_count : file->info_unit_count;

	if (!in_types && offset < file->sections.section[SECTION_INFO].size) {
		low = file->unit_of_page ? file->unit_of_page[offset >> PAGE_SHIFT] : 0;
		high = file->unit_of_page ? file->unit_of_page[(offset >> PAGE_SHIFT) + 1] + 1 : 0;
	}
	if (low >= high)
		return NULL;

	/* the last unit that begins at or before the offset */
	size_t after = partition_point(low + 1, high, i, file->units[i].offset <= offset);
	struct unit *unit = &file->units[after - 1];

	if (offset < unit->first_die || offset >= unit->end || !unit_prepare(unit))
		return NULL;
	return unit;
}

struct unit *dwarf_files_type_unit(struct dwarf_files *files, struct dwarf_file *file, uint64_t signature)
{
	struct unit *unit = NULL;

	if (file->split)
		unit = dwarf_split_type_unit(file, signature);
	if (!unit) {
		struct dwarf_file *main = dwarf_files_main(files);
		const uint32_t *index = hash_map_find(&files->type_units, signature);

		unit = index ? &main->units[*index] : NULL;
	}
	return unit && unit_prepare(unit) ? unit : NULL;
}
