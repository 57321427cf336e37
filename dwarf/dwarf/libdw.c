// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls of libdw for whole files and units: opening, roots, line tables. */
#include "dwarf/dwarf/libdw.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf/die.h"
#include "profiler/base/memory.h"

struct dwarf_handle *dwarf_handle_create(void)
{
	struct dwarf_handle *handle = xcalloc(1, sizeof(*handle));

	pthread_mutex_init(&handle->lock, NULL);
	return handle;
}

void dwarf_handle_destroy(struct dwarf_handle *handle)
{
	dwarf_end(handle->dwarf);
	elf_end(handle->elf);
	free(handle->roots);
	pthread_mutex_destroy(&handle->lock);
	free(handle);
}

/* Finds the root DIEs of all units. libdw reads the headers in their order and gives up at each
 * that it does not understand; asking again makes it continue after that one. */
static void find_roots(struct dwarf_handle *handle, const struct dwarf_file *file)
{
	size_t skipped = 0;
	uint64_t start = 0;

	for (size_t i = 0; i < file->unit_count; i++) {
		const struct unit *unit = &file->units[i];
		Dwarf_Die *die = &handle->roots[i];

		/* libdw does not get a header that was found bad when the file was opened */
		if (unit->first_die == unit->end) {
			skipped++;
			continue;
		}
		for (size_t tries = skipped + 1; tries; tries--)
			if ((unit->in_types ? dwarf_offdie_types
					    : dwarf_offdie)(handle->dwarf, unit->first_die, die))
				break;
		skipped = 0;
		/* dwarf_offdie() leaves an address without a unit if it fails; else check that
		 * libdw reads the same bytes */
		if (!die->cu ||
		    (const uint8_t *)die->addr != unit_section(unit)->data + unit->first_die)
			*die = (Dwarf_Die){ 0 };
		if (!unit->in_types)
			dwarf_file_passed(file, &start, unit->end);
	}
}

static void open_handle(struct dwarf_handle *handle, const struct dwarf_file *file)
{
	const struct dwarf_sections *sections = &file->sections;

	elf_version(EV_CURRENT);
	/* elf_memory() takes char *, but only reads: nothing in the image is compressed */
	handle->elf = elf_memory((char *)sections->elf, sections->elf_size);
	handle->dwarf = handle->elf ? dwarf_begin_elf(handle->elf, DWARF_C_READ, NULL) : NULL;
	if (handle->dwarf && file->unit_count) {
		handle->roots = xcalloc(file->unit_count, sizeof(*handle->roots));
		find_roots(handle, file);
	}
	__atomic_store_n(&handle->opened, true, __ATOMIC_RELEASE);
}

struct dwarf_handle *dwarf_handle_lock(const struct dwarf_file *file)
{
	struct dwarf_handle *handle = file->handle;

	pthread_mutex_lock(&handle->lock);
	if (!handle->opened)
		open_handle(handle, file);
	return handle;
}

void dwarf_handle_unlock(struct dwarf_handle *handle)
{
	pthread_mutex_unlock(&handle->lock);
}

/* ---- line tables ---- */

/* The most bytes of a line program. libdw takes some 80 bytes for a row, and each byte may make
 * one. Real units stay far below this. */
#define PROGRAM_MAX ((uint64_t)16 << 20)

/* libdw does not check that the strings of these sections end. */
static bool strings_end(const struct dwarf_file *file, enum dwarf_section number)
{
	const struct dwarf_section_data *section = &file->sections.section[number];

	return !section->size || !section->data[section->size - 1];
}

/* True if libdw can read the unit's line table: the checks that it omits. */
static bool is_readable(const struct unit *unit, const struct die *root)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_LINE];
	struct cursor cursor = cursor_of(section->data, section->size, false);
	uint64_t offset, length;

	if (!strings_end(unit->file, SECTION_STR) || !strings_end(unit->file, SECTION_LINE_STR) ||
	    (die_has(root, SLOT_COMP_DIR) && !die_string(root, SLOT_COMP_DIR)) ||
	    !die_section_offset(root, SLOT_STATEMENT_LIST, &offset))
		return false;
	cursor_skip(&cursor, offset);
	length = cursor_u32(&cursor);
	if (length == UINT32_MAX)
		length = cursor_u64(&cursor);
	return !cursor.failed && length <= cursor_left(&cursor) && length <= PROGRAM_MAX;
}

/* Fills in the paths. libdw 0.188 leaves the names of DWARF 5 relative if their folder is relative.
 * Before DWARF 5 numbers count from 1, and libdw puts "???" in front. */
static void read_files(struct line_table *table, Dwarf_Files *files, const struct unit *unit)
{
	table->files = arena_alloc(&table->arena, table->file_count * sizeof(*table->files));
	for (size_t i = 0; i < table->file_count; i++) {
		const char *name = dwarf_filesrc(files, i, NULL, NULL);

		table->files[i] = name;
		if (name && !i && strcmp(name, "???") == 0)
			table->files[i] = NULL;
		else if (name && *name != '/' && unit->version >= 5 && unit->comp_dir) {
			_cleanup_free_ char *path = xasprintf("%s/%s", unit->comp_dir, name);

			table->files[i] = arena_strdup(&table->arena, path);
		}
	}
}

struct line_table *line_table_read(const struct unit *unit)
{
	struct line_table *table = xcalloc(1, sizeof(*table));
	struct cursor cursor = unit_cursor(unit, unit->first_die);
	Dwarf_Files *files;
	struct die root;

	if (unit->broken || !die_read((struct unit *)unit, &cursor, &root) ||
	    !is_readable(unit, &root))
		return table;

	struct dwarf_handle *handle = dwarf_handle_lock(unit->file);
	Dwarf_Die *die = dwarf_unit_root(unit);
	bool read = die && !dwarf_getsrclines(die, &table->lines, &table->line_count) &&
		    !dwarf_getsrcfiles(die, &files, &table->file_count);

	dwarf_handle_unlock(handle);
	if (read)
		read_files(table, files, unit);
	else
		table->line_count = table->file_count = 0;
	return table;
}

void line_table_destroy(struct line_table *table)
{
	arena_deinit(&table->arena);
	free(table);
}

const char *line_table_file(const struct line_table *table, uint64_t number)
{
	return number < table->file_count ? table->files[number] : NULL;
}

static uint64_t address_of(const struct line_table *table, size_t index)
{
	Dwarf_Addr address = 0;

	dwarf_lineaddr(dwarf_onesrcline(table->lines, index), &address);
	return address;
}

bool line_table_find(const struct line_table *table, uint64_t address, const char **file,
		     unsigned int *line)
{
	size_t after = partition_point(0, table->line_count, i, address_of(table, i) <= address);
	Dwarf_Line *row = after ? dwarf_onesrcline(table->lines, after - 1) : NULL;
	Dwarf_Files *files;
	size_t file_number;
	bool ends;
	int number;

	/* among rows at one address the end of a sequence comes first, and the last of the others
	 * counts */
	if (!row || dwarf_lineendsequence(row, &ends) || ends || dwarf_lineno(row, &number) ||
	    dwarf_line_file(row, &files, &file_number))
		return false;
	*file = line_table_file(table, file_number);
	*line = (unsigned int)number;
	return *file;
}
