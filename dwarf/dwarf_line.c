/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_line.h"

#include <string.h>

#include "dwarf/dwarf_die.h"
#include "dwarf/dwarf_handle.h"
#include "profiler/base/memory.h"
#include "profiler/base/search.h"

/* libdw takes some 80 bytes for a row, of which each byte of a program may be one. Real units stay far below
 * this. */
#define MAXIMUM_PROGRAM ((uint64_t)16 << 20)

/* libdw does not look whether the strings of these sections end. */
static bool strings_end(const struct dwarf_file *file, enum dwarf_section number)
{
	const struct dwarf_section_data *section = &file->sections.section[number];

	return !section->size || !section->data[section->size - 1];
}

/* What libdw relies on. */
static bool is_readable(const struct unit *unit, const struct die *root)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_LINE];
	struct cursor cursor = bytes_cursor(section->data, section->size);
	uint64_t offset, length;

	if (!strings_end(unit->file, SECTION_STR) || !strings_end(unit->file, SECTION_LINE_STR) ||
	    (die_has(root, SLOT_COMP_DIR) && !die_string(root, SLOT_COMP_DIR)) ||
	    !die_section_offset(root, SLOT_STATEMENT_LIST, &offset))
		return false;
	cursor_skip(&cursor, offset);
	length = cursor_u32(&cursor);
	if (length == UINT32_MAX)
		length = cursor_u64(&cursor);
	return !cursor.failed && length <= cursor_left(&cursor) && length <= MAXIMUM_PROGRAM;
}

struct line_table *line_table_read(const struct unit *unit)
{
	struct line_table *table = xcalloc(1, sizeof(*table));
	struct cursor cursor = unit_cursor(unit, unit->first_die);
	struct die root;

	if (unit->broken || !die_read((struct unit *)unit, &cursor, &root) || !is_readable(unit, &root))
		return table;

	struct dwarf_handle *handle = dwarf_handle_lock(unit->file);
	Dwarf_Die *die = dwarf_unit_root(unit);

	if (die && (dwarf_getsrclines(die, &table->lines, &table->line_count) ||
		    dwarf_getsrcfiles(die, &table->files, &table->file_count)))
		*table = (struct line_table){ 0 };
	dwarf_handle_unlock(handle);
	return table;
}

const char *line_table_file(const struct line_table *table, uint64_t number)
{
	const char *file =
		number < table->file_count ? dwarf_filesrc(table->files, number, NULL, NULL) : NULL;

	/* before DWARF 5 numbers count from 1, and libdw puts this in front */
	return file && (number || strcmp(file, "???") != 0) ? file : NULL;
}

static uint64_t address_of(const struct line_table *table, size_t index)
{
	Dwarf_Addr address = 0;

	dwarf_lineaddr(dwarf_onesrcline(table->lines, index), &address);
	return address;
}

bool line_table_find(const struct line_table *table, uint64_t address, const char **file, unsigned int *line)
{
	size_t after = partition_point(0, table->line_count, i, address_of(table, i) <= address);
	Dwarf_Line *row = after ? dwarf_onesrcline(table->lines, after - 1) : NULL;
	bool ends;
	int number;

	/* of rows at one address the end of a sequence comes first, and of the others the last counts */
	if (!row || dwarf_lineendsequence(row, &ends) || ends || dwarf_lineno(row, &number))
		return false;
	*file = dwarf_linesrc(row, NULL, NULL);
	*line = (unsigned int)number;
	return *file;
}
