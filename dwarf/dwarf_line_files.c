/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_line_files.h"

#include <dwarf.h>
#include <string.h>

#include "dwarf/dwarf_die.h"
#include "profiler/base/strbuf.h"

#define MAXIMUM_FORMATS 16

struct directories {
	const char **items;
	size_t count;
	size_t capacity;
};

struct reader {
	const struct unit *unit;
	struct line_table *table;
	const struct line_header *header;
	struct cursor cursor;
	struct directories directories;
	size_t file_capacity;
};

/* compilation directory / include directory / name, as far as each is relative */
static void add_file(struct reader *reader, const char *name, uint64_t directory)
{
	struct line_table *table = reader->table;
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;
	const char *folder =
		directory < reader->directories.count ? reader->directories.items[directory] : NULL;

	if (*name != '/') {
		if (!folder || *folder != '/') {
			strbuf_add_string(&path, reader->unit->comp_dir ? reader->unit->comp_dir : "");
			if (path.length)
				strbuf_add_char(&path, '/');
		}
		if (folder && *folder) {
			strbuf_add_string(&path, folder);
			strbuf_add_char(&path, '/');
		}
	}
	strbuf_add_string(&path, name);
	array_reserve(table->files, table->file_count, reader->file_capacity);
	table->files[table->file_count++] = arena_strdup(&table->arena, path.data);
}

static void add_directory(struct reader *reader, const char *name)
{
	struct directories *directories = &reader->directories;

	array_reserve(directories->items, directories->count, directories->capacity);
	directories->items[directories->count++] = name;
}

/* DWARF 4, section 6.2.4: lists that end in an empty name. Directory 0 is the compilation directory. */
static void read_old_tables(struct reader *reader)
{
	struct cursor *cursor = &reader->cursor;
	const char *name;

	add_directory(reader, reader->unit->comp_dir);
	while ((name = cursor_string(cursor)) && *name)
		add_directory(reader, name);
	while ((name = cursor_string(cursor)) && *name) {
		uint64_t directory = cursor_uleb(cursor);

		cursor_uleb(cursor); /* time */
		cursor_uleb(cursor); /* size */
		if (!cursor->failed)
			add_file(reader, name, directory);
	}
}

static const char *string_at(const struct reader *reader, enum dwarf_section number, uint64_t offset)
{
	const struct dwarf_section_data *section = &reader->unit->file->sections.section[number];
	struct cursor cursor = bytes_cursor(section->data, section->size);

	cursor_skip(&cursor, offset);
	return cursor_string(&cursor);
}

/* One field of an entry. False: its form is not known. */
static bool read_field(struct reader *reader, uint64_t form, const char **string, uint64_t *number)
{
	struct cursor *cursor = &reader->cursor;
	unsigned int offset_size = reader->header->offset_size;

	switch (form) {
	case DW_FORM_string: *string = cursor_string(cursor); break;
	case DW_FORM_line_strp:
		*string = string_at(reader, SECTION_LINE_STR, cursor_word(cursor, offset_size));
		break;
	case DW_FORM_strp: *string = string_at(reader, SECTION_STR, cursor_word(cursor, offset_size)); break;
	case DW_FORM_udata: *number = cursor_uleb(cursor); break;
	case DW_FORM_data1: *number = cursor_u8(cursor); break;
	case DW_FORM_data2: *number = cursor_u16(cursor); break;
	case DW_FORM_data4: *number = cursor_u32(cursor); break;
	case DW_FORM_data8: *number = cursor_u64(cursor); break;
	case DW_FORM_data16: cursor_skip(cursor, 16); break;
	case DW_FORM_block: cursor_skip(cursor, cursor_uleb(cursor)); break;
	default: return false;
	}
	return !cursor->failed;
}

/* A table of DWARF 5: formats, then entries of so many fields. */
static bool read_table(struct reader *reader, bool is_files)
{
	struct cursor *cursor = &reader->cursor;
	unsigned int format_count = cursor_u8(cursor);
	uint64_t contents[MAXIMUM_FORMATS], forms[MAXIMUM_FORMATS];

	if (format_count > MAXIMUM_FORMATS)
		return false;
	for (unsigned int i = 0; i < format_count; i++) {
		contents[i] = cursor_uleb(cursor);
		forms[i] = cursor_uleb(cursor);
	}

	uint64_t count = cursor_uleb(cursor);

	/* an entry takes a byte at least */
	if (cursor->failed || !format_count || count > cursor_left(cursor))
		return !cursor->failed && !count;
	for (uint64_t entry = 0; entry < count; entry++) {
		const char *name = NULL;
		uint64_t directory = 0;

		for (unsigned int i = 0; i < format_count; i++) {
			const char *string = NULL;
			uint64_t number = 0;

			if (!read_field(reader, forms[i], &string, &number))
				return false;
			if (contents[i] == DW_LNCT_path)
				name = string;
			else if (contents[i] == DW_LNCT_directory_index)
				directory = number;
		}
		if (is_files)
			add_file(reader, name ? name : "", directory);
		else
			add_directory(reader, name);
	}
	return true;
}

static bool read_fixed_part(struct cursor *cursor, struct line_header *header, uint64_t *program_start)
{
	header->version = cursor_u16(cursor);
	if (header->version < 2 || header->version > 5)
		return false;
	if (header->version >= 5) {
		cursor_u8(cursor);     /* address size */
		if (cursor_u8(cursor)) /* segment selectors */
			return false;
	}

	uint64_t length = cursor_word(cursor, header->offset_size);

	if (length > cursor_left(cursor))
		return false;
	*program_start = cursor->position + length;
	header->minimum_length = cursor_u8(cursor);
	header->maximum_operations = header->version >= 4 ? cursor_u8(cursor) : 1;
	cursor_u8(cursor); /* default_is_stmt */
	header->line_base = (int8_t)cursor_u8(cursor);
	header->line_range = cursor_u8(cursor);
	header->opcode_base = cursor_u8(cursor);
	for (unsigned int i = 1; i < header->opcode_base; i++)
		header->opcode_lengths[i] = cursor_u8(cursor);
	return !cursor->failed && header->line_range && header->opcode_base;
}

bool line_header_read(const struct unit *unit, uint64_t offset, struct line_table *table,
		      struct line_header *header, struct cursor *program)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_LINE];
	struct cursor cursor = bytes_cursor(section->data, section->size);
	uint64_t program_start;

	cursor_skip(&cursor, offset);
	*header = (struct line_header){ .offset_size = 4 };

	uint64_t length = cursor_u32(&cursor);

	if (length == UINT32_MAX) {
		header->offset_size = 8;
		length = cursor_u64(&cursor);
	}
	if (cursor.failed || length > cursor_left(&cursor))
		return false;
	cursor.size = cursor.position + length;
	if (!read_fixed_part(&cursor, header, &program_start))
		return false;

	struct reader reader = { .unit = unit, .table = table, .header = header, .cursor = cursor };

	if (header->version < 5)
		read_old_tables(&reader);
	else if (read_table(&reader, false))
		read_table(&reader, true);
	free(reader.directories.items);
	cursor.position = program_start;
	*program = cursor;
	return true;
}
