/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_line.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_die.h"
#include "dwarf/dwarf_line_files.h"
#include "dwarf/leb128.h"
#include "profiler/base/search.h"

#define NO_FILE UINT32_MAX
/* of one unit; a program of a few bytes can make one row a byte, no more */
#define MAXIMUM_ROWS ((size_t)1 << 24)

struct program {
	const struct unit *unit;
	struct line_table *table;
	struct line_header header;
	struct cursor cursor;
	size_t capacity;
	size_t sequence; /* first row of the one that is being read */
	bool unsorted;
	uint64_t address;
	uint64_t operation_index;
	uint64_t file;
	uint64_t line;
};

static void start_sequence(struct program *program)
{
	program->address = program->operation_index = 0;
	program->file = program->line = 1;
	program->sequence = program->table->row_count;
}

static void add_row(struct program *program, bool end)
{
	struct line_table *table = program->table;
	uint64_t file = program->file - table->first_file;

	if (table->row_count >= MAXIMUM_ROWS)
		return;
	if (table->row_count && table->rows[table->row_count - 1].address > program->address)
		program->unsorted = true;
	array_reserve(table->rows, table->row_count, program->capacity);
	table->rows[table->row_count++] = (struct line_row){
		.address = program->address,
		.file = end || file >= table->file_count ? NO_FILE : (uint32_t)file,
		.line = (uint32_t)program->line,
	};
}

static void end_sequence(struct program *program)
{
	add_row(program, true);
	/* code that the linker dropped begins at 0 or 1, or at the end of all addresses */
	if (!program->unit->file->sections.relocatable && program->sequence < program->table->row_count) {
		uint64_t low = program->table->rows[program->sequence].address;

		if (low <= 1 || low >= UINT64_MAX - 1)
			program->table->row_count = program->sequence;
	}
	start_sequence(program);
}

static void advance(struct program *program, uint64_t operations)
{
	const struct line_header *header = &program->header;

	if (header->maximum_operations <= 1) {
		program->address += operations * header->minimum_length;
		return;
	}
	operations += program->operation_index;
	program->address += header->minimum_length * (operations / header->maximum_operations);
	program->operation_index = operations % header->maximum_operations;
}

static void run_extended(struct program *program)
{
	uint64_t length = cursor_uleb(&program->cursor);
	const uint8_t *bytes = cursor_bytes(&program->cursor, length);
	struct cursor cursor = bytes_cursor(bytes, bytes ? length : 0);

	switch (cursor_u8(&cursor)) {
	case DW_LNE_end_sequence:
		if (!cursor.failed)
			end_sequence(program);
		break;
	case DW_LNE_set_address: {
		uint64_t address = cursor_word(&cursor, (unsigned int)cursor_left(&cursor));

		if (!cursor.failed)
			program->address = address;
		program->operation_index = 0;
		break;
	}
	}
}

static void run_standard(struct program *program, unsigned int opcode)
{
	struct cursor *cursor = &program->cursor;
	const struct line_header *header = &program->header;

	switch (opcode) {
	case DW_LNS_copy: add_row(program, false); return;
	case DW_LNS_advance_pc: advance(program, cursor_uleb(cursor)); return;
	case DW_LNS_advance_line: program->line += (uint64_t)cursor_sleb(cursor); return;
	case DW_LNS_set_file: program->file = cursor_uleb(cursor); return;
	case DW_LNS_const_add_pc: advance(program, (255u - header->opcode_base) / header->line_range); return;
	case DW_LNS_fixed_advance_pc:
		program->address += cursor_u16(cursor);
		program->operation_index = 0;
		return;
	}
	/* what does not matter here, or is not known, has so many LEB128 operands */
	for (unsigned int i = 0; i < header->opcode_lengths[opcode]; i++)
		cursor_uleb(cursor);
}

static void run(struct program *program)
{
	const struct line_header *header = &program->header;

	start_sequence(program);
	while (cursor_left(&program->cursor)) {
		unsigned int opcode = cursor_u8(&program->cursor);

		if (opcode >= header->opcode_base) {
			opcode -= header->opcode_base;
			advance(program, opcode / header->line_range);
			program->line += (uint64_t)((int64_t)header->line_base + opcode % header->line_range);
			add_row(program, false);
		} else if (opcode) {
			run_standard(program, opcode);
		} else {
			run_extended(program);
		}
	}
	/* a sequence without its end says nothing */
	program->table->row_count = program->sequence;
}

/* Sequences as they come are in no order; of rows at one address the last counts, so the sort must be stable.
 */
static void sort_rows(struct line_table *table)
{
	struct line_row *rows = table->rows, *other = xmalloc(table->row_count * sizeof(*other));

	for (size_t width = 1; width < table->row_count; width *= 2) {
		for (size_t first = 0; first < table->row_count; first += 2 * width) {
			size_t middle = first + width < table->row_count ? first + width : table->row_count;
			size_t end = middle + width < table->row_count ? middle + width : table->row_count;
			size_t left = first, right = middle;

			for (size_t at = first; at < end; at++) {
				bool take_left = left < middle &&
						 (right >= end || rows[left].address <= rows[right].address);

				other[at] = rows[take_left ? left++ : right++];
			}
		}

		struct line_row *swap = rows;

		rows = other;
		other = swap;
	}
	table->rows = rows;
	free(other);
}

struct line_table *line_table_read(const struct unit *unit)
{
	struct line_table *table = xcalloc(1, sizeof(*table));
	struct program program = { .unit = unit, .table = table };
	struct die root;
	uint64_t offset;

	if (unit->broken)
		return table;

	struct cursor cursor = unit_cursor(unit, unit->first_die);

	if (!die_read((struct unit *)unit, &cursor, &root) ||
	    !die_section_offset(&root, SLOT_STATEMENT_LIST, &offset) ||
	    !line_header_read(unit, offset, table, &program.header, &program.cursor))
		return table;
	table->first_file = program.header.version >= 5 ? 0 : 1;
	run(&program);
	if (program.unsorted)
		sort_rows(table);
	return table;
}

void line_table_destroy(struct line_table *table)
{
	if (!table)
		return;
	free(table->rows);
	free(table->files);
	arena_release(&table->arena);
	free(table);
}

const char *line_table_file(const struct line_table *table, uint64_t number)
{
	uint64_t index = number - table->first_file;

	return index < table->file_count ? table->files[index] : NULL;
}

bool line_table_find(const struct line_table *table, uint64_t address, const char **file, unsigned int *line)
{
	size_t after = partition_point(0, table->row_count, i, table->rows[i].address <= address);

	if (!after)
		return false;

	/* where one sequence ends at the address that another begins at, its end may come last */
	const struct line_row *row = &table->rows[after - 1];

	while (row->file == NO_FILE && row > table->rows && row[-1].address == row->address)
		row--;
	if (row->file == NO_FILE)
		return false;
	*file = table->files[row->file];
	*line = row->line;
	return true;
}
