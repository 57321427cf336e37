// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening files, unit headers, and line tables by libdw: see libdw.h. */
#include "dwarf/dwarf/libdw.h"

#include <dwarf.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/elf/image.h"
#include "base/memory.h"

/* ---- units ---- */

#define HEADER_MAX 40 /* bytes of a unit's header */

/* Reads the header at `offset` (DWARF 5, section 7.5.1). False: the unit exceeds its section. The
 * units of a kernel are far apart, so the headers are read alone. */
static bool read_header(const struct dwarf_file *file, bool in_types, uint64_t offset,
			struct unit *unit)
{
	const struct elf_image *image = file->image ?: file->main_image;
	uint8_t buffer[HEADER_MAX];

	*unit = (struct unit){
		.file = (struct dwarf_file *)file,
		.number = (uint32_t)file->unit_count,
		.in_types = in_types,
		.offset = offset,
		.kind = in_types ? DW_UT_type : DW_UT_compile,
		.offset_size = 4,
	};
	const struct dwarf_section_data *section = unit_section(unit);
	uint64_t left = section->size - offset;
	size_t size = left < HEADER_MAX ? left : HEADER_MAX;
	const uint8_t *bytes = section->data + offset;
	struct cursor cursor = cursor_of(
		image && left ? elf_image_peek(image, bytes, size, buffer) : bytes, size, false);
	uint64_t length = cursor_u32(&cursor);

	if (length == UINT32_MAX) {
		unit->offset_size = 8;
		length = cursor_u64(&cursor);
	}
	if (cursor.failed || length > left - cursor.position)
		return false;
	unit->end = offset + cursor.position + length;

	unsigned int version = cursor_u16(&cursor);

	unit->version = version < UINT8_MAX ? (uint8_t)version : UINT8_MAX;
	if (version >= 5) {
		unit->kind = cursor_u8(&cursor);
		unit->address_size = cursor_u8(&cursor);
	}
	unit->abbrev_offset = cursor_word(&cursor, unit->offset_size);
	if (version < 5)
		unit->address_size = cursor_u8(&cursor);
	if (unit->kind != DW_UT_compile && unit->kind != DW_UT_partial)
		unit->signature = cursor_u64(&cursor);
	if (unit->kind == DW_UT_type || unit->kind == DW_UT_split_type)
		unit->type_die = offset + cursor_word(&cursor, unit->offset_size);
	unit->first_die = offset + cursor.position;
	unit->broken = cursor.failed || version < 2 || version > 5 || !unit->kind ||
		       unit->kind > DW_UT_split_type || unit->first_die > unit->end ||
		       (unit->address_size != 8 && unit->address_size != 4);
	return true;
}

static void read_units(struct dwarf_file *file, bool in_types)
{
	size_t capacity = file->unit_count;
	struct unit unit = { 0 };

	while (read_header(file, in_types, unit.end, &unit)) {
		if (file->unit_count + file->broken_units == file->unit_max) {
			file->has_more_units = true;
			break;
		}
		file->first_version = file->first_version ?: unit.version;
		if (unit.broken) /* of an unknown version or kind; nothing of it is read */
			file->broken_units++;
		else
			array_add(file->units, file->unit_count, capacity) = unit;
	}
}

static void map_blocks(struct dwarf_file *file)
{
	uint64_t size = file->sections.section[SECTION_INFO].size;
	size_t blocks = (size_t)(size >> UNIT_BLOCK_SHIFT) + 1, unit = 0;

	file->unit_at = xcalloc(blocks, sizeof(*file->unit_at));
	for (size_t i = 0; i < blocks; i++) {
		while (unit + 1 < file->info_unit_count &&
		       file->units[unit + 1].offset < (uint64_t)(i + 1) << UNIT_BLOCK_SHIFT)
			unit++;
		file->unit_at[i] = (uint32_t)unit;
	}
}

/* Returns the most units that are read of a file, with those that are broken. Each takes some
 * hundred bytes of memory, here and in libdw, and 11 bytes of a section, which may be packed a
 * thousand times smaller. Real units have thousands of bytes. */
static size_t units_max(const struct dwarf_file *file)
{
	return ((size_t)1 << 16) + file->sections.file_size / 64;
}

struct dwarf_handle *dwarf_handle_open(struct dwarf_file *file)
{
	const struct dwarf_sections *sections = &file->sections;
	struct dwarf_handle *handle = file->handle = xcalloc(1, sizeof(*handle));

	pthread_mutex_init(&handle->lock, NULL);
	elf_version(EV_CURRENT);
	/* elf_memory() takes char *, but only reads: nothing in the image is compressed */
	errno = 0;
	handle->elf = elf_memory((char *)sections->elf, sections->elf_size);
	if (!handle->elf)
		check_library_memory();
	file->unit_max = units_max(file);
	read_units(file, false);
	file->info_unit_count = file->unit_count;
	map_blocks(file);
	read_units(file, true);
	return handle;
}

void dwarf_handle_close(struct dwarf_handle *handle)
{
	dwarf_end(handle->lines);
	string_pool_deinit(&handle->paths);
	elf_end(handle->elf);
	pthread_mutex_destroy(&handle->lock);
	free(handle);
}

/* ---- line tables ---- */

/* The most bytes of a line program. libdw takes 80 for a row, and each byte may be one. */
#define PROGRAM_MAX ((uint64_t)16 << 20)

/* True if the last string of the section ends, which libdw does not check. */
static bool strings_end(const struct dwarf_file *file, enum dwarf_section number)
{
	const struct dwarf_section_data *section = &file->sections.section[number];

	return !section->size || !section->data[section->size - 1];
}

/* The header of a line table (DWARF 5, section 6.2.4), as far as paths are made of it. */
struct line_header {
	const struct unit *unit;
	struct cursor cursor;
	unsigned int version, offset_size;
	uint64_t left; /* bytes that paths may still have */
};

/* Reads the folders or the files before DWARF 5, which end with an empty name. */
static bool paths_fit(struct line_header *header, uint64_t above)
{
	_cleanup_free_ uint64_t *folders = NULL;
	size_t count = 0, capacity = 0;
	const char *name;

	while ((name = cursor_string(&header->cursor)) && *name)
		array_add(folders, count, capacity) = strlen(name);
	while ((name = cursor_string(&header->cursor)) && *name) {
		uint64_t folder = cursor_uleb(&header->cursor);
		uint64_t bytes = above + strlen(name) + 3 +
				 (folder && folder <= count ? folders[folder - 1] : 0);

		cursor_uleb(&header->cursor);
		cursor_uleb(&header->cursor);
		if (bytes > header->left)
			return false;
		header->left -= bytes;
	}
	return !header->cursor.failed;
}

/* Reads the value of a form and returns the length of the string that it is, if it is one. */
static uint64_t entry_length(struct line_header *header, uint64_t form)
{
	const struct dwarf_section_data *section = header->unit->file->sections.section;
	struct cursor *cursor = &header->cursor;
	const char *string;
	uint64_t offset;

	switch (form) {
	case DW_FORM_string: string = cursor_string(cursor); return string ? strlen(string) : 0;
	case DW_FORM_line_strp:
	case DW_FORM_strp:
		section += form == DW_FORM_strp ? SECTION_STR : SECTION_LINE_STR;
		offset = cursor_word(cursor, header->offset_size);
		if (offset >= section->size)
			return 0;
		return strnlen((const char *)section->data + offset, section->size - offset);
	case DW_FORM_udata: cursor_uleb(cursor); return 0;
	case DW_FORM_data1: cursor_skip(cursor, 1); return 0;
	case DW_FORM_data2: cursor_skip(cursor, 2); return 0;
	case DW_FORM_data4: cursor_skip(cursor, 4); return 0;
	case DW_FORM_data8: cursor_skip(cursor, 8); return 0;
	case DW_FORM_data16: cursor_skip(cursor, 16); return 0;
	case DW_FORM_block: cursor_skip(cursor, cursor_uleb(cursor)); return 0;
	}
	cursor->failed = true;
	return 0;
}

/* Reads the folders, then the files of DWARF 5. `longest` is the longest folder, which each file
 * counts as being in; returns the longest of these entries. */
static bool entries_fit(struct line_header *header, uint64_t longest, uint64_t *longest_here)
{
	struct cursor formats = header->cursor;
	unsigned int format_count = cursor_u8(&header->cursor);

	cursor_u8(&formats);
	for (unsigned int i = 0; i < 2 * format_count; i++)
		cursor_uleb(&header->cursor);
	*longest_here = 0;
	for (uint64_t left = cursor_uleb(&header->cursor); left; left--) {
		struct cursor format = formats;
		uint64_t bytes = longest + 3;

		for (unsigned int i = 0; i < format_count; i++) {
			bool is_path = cursor_uleb(&format) == DW_LNCT_path;
			uint64_t length = entry_length(header, cursor_uleb(&format));

			bytes += is_path ? length : 0;
			if (is_path && length > *longest_here)
				*longest_here = length;
		}
		if (header->cursor.failed || !format_count || bytes > header->left)
			return false;
		header->left -= bytes;
	}
	return !header->cursor.failed;
}

/* Returns the most bytes that all paths of a table of `length` bytes may have. libdw makes a path
 * of each file, and folders and names may be shared: a table of 900 KB could stand for 30 GB. Each
 * file takes five bytes or more of a header, so this is for paths of some 300 bytes. */
static uint64_t paths_max(uint64_t length)
{
	return ((uint64_t)32 << 10) + 64 * length;
}

/* Returns whether all paths of the line table at the cursor have a bounded number of bytes. */
static bool line_paths_fit(const struct unit *unit, struct cursor cursor, unsigned int offset_size,
			   uint64_t length, const char *folder)
{
	struct line_header header = { .unit = unit,
				      .cursor = cursor,
				      .offset_size = offset_size,
				      .left = paths_max(length) };
	uint64_t above = folder ? strlen(folder) : 0, longest, any;

	header.version = cursor_u16(&cursor);
	/* the version; sizes of an address and a segment; the header's length; the smallest
	 * instruction, operations, default_is_stmt, line_base, line_range */
	cursor_skip(&header.cursor, 2 + (header.version >= 5 ? 2 : 0) + offset_size + 4 +
					    (header.version >= 4 ? 1 : 0));

	unsigned int opcode_base = cursor_u8(&header.cursor);

	cursor_skip(&header.cursor, opcode_base ? opcode_base - 1 : 0);
	if (header.version < 5)
		return paths_fit(&header, above);
	return entries_fit(&header, above, &longest) && entries_fit(&header, above + longest, &any);
}

/* True if libdw can read the unit's line table. These are the checks that libdw omits. */
static bool is_readable(const struct unit *unit, const struct die *root)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_LINE];
	struct cursor cursor = cursor_of(section->data, section->size, false);
	unsigned int offset_size = 4;
	uint64_t offset, length;

	if (!unit_root_is_near(unit) || !strings_end(unit->file, SECTION_STR) ||
	    !strings_end(unit->file, SECTION_LINE_STR) ||
	    (die_has(root, SLOT_COMP_DIR) && !die_string(root, SLOT_COMP_DIR)) ||
	    !die_section_offset(root, SLOT_STATEMENT_LIST, &offset))
		return false;
	cursor_skip(&cursor, offset);
	length = cursor_u32(&cursor);
	if (length == UINT32_MAX) {
		length = cursor_u64(&cursor);
		offset_size = 8;
	}
	return !cursor.failed && length <= cursor_left(&cursor) && length <= PROGRAM_MAX &&
	       line_paths_fit(unit, cursor, offset_size, length, die_string(root, SLOT_COMP_DIR));
}

/* libdw keeps the rows that it has read, in 80 bytes each, until its handle is closed. Line tables
 * are copied from a handle of their own, which is closed when it has this many. */
#define ROWS_KEPT 300000

/* Returns whether libdw can read the units up to this one. It reads them in their order, before
 * DWARF 5 with their root DIEs. */
static bool units_are_near(struct dwarf_file *file, const struct unit *unit)
{
	size_t *near = &file->handle->near_units;

	while (*near <= unit->number &&
	       (file->units[*near].version >= 5 || unit_root_is_near(&file->units[*near])))
		++*near;
	return *near > unit->number;
}

/* Finds the root DIE of a unit, for the handle that reads line tables. libdw gives up at each unit
 * whose version it does not know; asking again makes it continue after that unit. */
static bool open_lines(struct dwarf_handle *handle, const struct unit *unit, Dwarf_Die *root)
{
	if (!handle->lines && handle->elf)
		handle->lines = dwarf_begin_elf(handle->elf, DWARF_C_READ, NULL);
	if (!handle->lines || !units_are_near(unit->file, unit))
		return false;
	*root = (Dwarf_Die){ 0 };
	for (size_t tries = unit->file->broken_units + 1; tries; tries--)
		if ((unit->in_types ? dwarf_offdie_types : dwarf_offdie)(handle->lines,
									 unit->first_die, root))
			return true;
	return false;
}

/* Copies the paths. libdw 0.188 leaves the names of DWARF 5 relative if their folder is relative.
 * Before DWARF 5 numbers count from 1, and libdw puts "???" before them. */
static void copy_files(struct line_table *table, struct string_pool *paths, Dwarf_Files *files,
		       const struct unit *unit)
{
	table->files = xcalloc(table->file_count + 1, sizeof(*table->files));
	for (size_t i = 0; i < table->file_count; i++) {
		const char *name = dwarf_filesrc(files, i, NULL, NULL);

		if (!name || (!i && strcmp(name, "???") == 0))
			continue;
		if (*name != '/' && unit->comp_dir &&
		    (unit->version >= 5 || *unit->comp_dir == '/')) {
			_cleanup_free_ char *path = xasprintf("%s/%s", unit->comp_dir, name);

			table->files[i] = string_pool_intern(paths, path);
		} else {
			table->files[i] = string_pool_intern(paths, name);
		}
	}
}

static void copy_rows(struct line_table *table, Dwarf_Lines *lines)
{
	table->rows = xcalloc(table->row_count + 1, sizeof(*table->rows));
	for (size_t i = 0; i < table->row_count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		struct line_row *row = &table->rows[i];
		Dwarf_Files *files;
		size_t file = 0;
		int number = 0;
		bool ends = true;

		row->file = LINE_END;
		if (dwarf_lineaddr(line, &row->address) || dwarf_lineendsequence(line, &ends) ||
		    ends || dwarf_lineno(line, &number) || dwarf_line_file(line, &files, &file))
			continue;
		row->file = (uint32_t)file;
		row->line = (uint32_t)number;
	}
}

uint64_t line_table_key(const struct unit *unit)
{
	const char *folder = unit->comp_dir ?: "";
	uint64_t offset;
	struct die root;

	if (unit->broken || !unit_root_is_near(unit) || !die_root((struct unit *)unit, &root) ||
	    !die_section_offset(&root, SLOT_STATEMENT_LIST, &offset))
		offset = UINT32_MAX; /* all of these are empty */
	return hash_combine(unit_reference(unit, offset), hash_bytes(folder, strlen(folder)));
}

struct line_table *line_table_read(const struct unit *unit)
{
	struct line_table *table = xcalloc(1, sizeof(*table));
	Dwarf_Files *files;
	Dwarf_Lines *lines;
	struct die root;

	if (unit->broken || !die_root((struct unit *)unit, &root) || !is_readable(unit, &root))
		return table;

	struct dwarf_handle *handle = unit->file->handle;
	Dwarf_Die die;

	pthread_mutex_lock(&handle->lock);
	errno = 0;
	if (open_lines(handle, unit, &die) && !dwarf_getsrclines(&die, &lines, &table->row_count) &&
	    !dwarf_getsrcfiles(&die, &files, &table->file_count)) {
		copy_files(table, &handle->paths, files, unit);
		copy_rows(table, lines);
	} else {
		check_library_memory();
		table->row_count = table->file_count = 0;
	}
	handle->line_count += table->row_count;
	if (handle->line_count > ROWS_KEPT) {
		dwarf_end(handle->lines);
		handle->lines = NULL;
		handle->line_count = 0;
	}
	pthread_mutex_unlock(&handle->lock);
	return table;
}

void line_table_destroy(struct line_table *table)
{
	free_all(table->rows, table->files, table);
}

const char *line_table_file(const struct line_table *table, uint64_t number)
{
	return number < table->file_count ? table->files[number] : NULL;
}

const struct line_row *line_table_row(const struct line_table *table, uint64_t address)
{
	/* among rows at one address the end of a sequence is first, and the last other counts */
	size_t after = partition_point(0, table->row_count, i, table->rows[i].address <= address);

	return after ? &table->rows[after - 1] : NULL;
}

bool line_table_find(const struct line_table *table, uint64_t address, const char **file,
		     unsigned int *line)
{
	const struct line_row *row = line_table_row(table, address);

	if (!row)
		return false;
	*file = line_table_file(table, row->file);
	*line = row->line;
	return *file;
}
