// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_frame.h"

#include <stdlib.h>

#include "dwarf/dwarf_frame_index.h"
#include "dwarf/dwarf_location.h"
#include "profiler/base/memory.h"
#include "profiler/base/search.h"

#define ROWS_MAX 65536

void frame_table_init(struct frame_table *table, const struct dwarf_section_data *eh_frame,
		      const struct dwarf_section_data *debug_frame, struct dwarf_file *file)
{
	*table = (struct frame_table){
		.eh_frame = eh_frame,
		.debug_frame = debug_frame,
		.unit = { .file = file, .version = 4, .address_size = 8, .offset_size = 4 },
	};
	pthread_mutex_init(&table->lock, NULL);
}

void frame_table_deinit(struct frame_table *table)
{
	free(table->entries);
	free(table->cies);
	pthread_mutex_destroy(&table->lock);
}

static int by_low(const void *left, const void *right)
{
	const struct frame_entry *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->cie != b->cie)
		return a->cie < b->cie ? -1 : 1;
	return a->instructions < b->instructions ? -1 : a->instructions > b->instructions;
}

static void ensure_built(struct frame_table *table)
{
	if (__atomic_load_n(&table->built, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&table->lock);
	if (!table->built) {
		frame_index_section(table, table->eh_frame, true);
		frame_index_section(table, table->debug_frame, false);
		array_fit(table->entries, table->count, table->capacity);
		if (table->count)
			qsort(table->entries, table->count, sizeof(*table->entries), by_low);
		__atomic_store_n(&table->built, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&table->lock);
}

struct row_writer {
	struct frame_table *table;
	struct frame_rows *rows;
	size_t first;
};

/* An expression says something where it is "reg + offset" or "*(reg + offset) + offset2". */
static void set_expression(struct frame_table *table, const struct frame_rule *cfa, struct frame_row *row)
{
	struct location location;
	struct location_list list = { .items = &location, .capacity = 1, .limit = 1 };

	location_of_expression(&table->unit, cfa->expression, cfa->expression_size, 0, UINT64_MAX, &list);
	if (list.count != 1 || location.piece_size ||
	    (location.kind != LOCATION_MEMORY && location.kind != LOCATION_INDIRECT))
		return;
	row->kind = location.kind == LOCATION_MEMORY ? CFA_REGISTER : CFA_INDIRECT;
	row->reg = location.reg;
	row->offset = location.offset;
	row->offset2 = location.offset2;
}

static void write_row(void *data, uint64_t low, uint64_t high, const struct frame_state *state)
{
	struct row_writer *writer = data;
	struct frame_rows *rows = writer->rows;
	struct frame_row row = { .low = low, .high = high, .kind = CFA_UNKNOWN };

	if (state->cfa.kind == FRAME_RULE_IS_EXPRESSION) {
		set_expression(writer->table, &state->cfa, &row);
	} else if (state->cfa.kind == FRAME_RULE_REGISTER) {
		row.kind = CFA_REGISTER;
		row.reg = state->cfa.reg;
		row.offset = state->cfa.offset;
	}
	if (rows->count > writer->first) {
		struct frame_row *last = &rows->items[rows->count - 1];

		if (last->high == low && last->kind == row.kind && last->reg == row.reg &&
		    last->offset == row.offset && last->offset2 == row.offset2) {
			last->high = high;
			return;
		}
	}
	if (rows->count >= ROWS_MAX)
		return;
	array_reserve(rows->items, rows->count, rows->capacity);
	rows->items[rows->count++] = row;
}

static struct frame_program entry_program(const struct frame_table *table, const struct frame_entry *entry)
{
	const struct frame_cie *cie = &table->cies[entry->cie];

	return (struct frame_program){
		.cie = cie,
		.section = cie->eh_frame ? table->eh_frame : table->debug_frame,
		.instructions = entry->instructions,
		.size = entry->size,
		.low = entry->low,
		.high = entry->high,
	};
}

static void run_entry(struct frame_table *table, const struct frame_entry *entry, uint64_t low, uint64_t high,
		      struct frame_rows *rows)
{
	struct row_writer writer = { .table = table, .rows = rows, .first = rows->count };
	struct frame_program program = entry_program(table, entry);

	frame_program_run(&program, low, high, write_row, &writer);
}

const struct frame_entry *frame_table_entry(struct frame_table *table, uint64_t address)
{
	ensure_built(table);

	size_t index = partition_point(0, table->count, i, table->entries[i].low < address);

	return index < table->count && table->entries[index].low == address ? &table->entries[index] : NULL;
}

/* The first entry that may cover `address`, or the first after it. */
static size_t first_covering(const struct frame_table *table, uint64_t address)
{
	size_t first = partition_point(0, table->count, i, table->entries[i].low <= address);

	/* the FDE that covers it may be before others that begin at the same address (.debug_frame's) */
	while (first && address < table->entries[first - 1].high)
		first--;
	return first;
}

void frame_table_rows(struct frame_table *table, uint64_t low, uint64_t high, struct frame_rows *rows)
{
	ensure_built(table);

	size_t first = first_covering(table, low);

	for (uint64_t next = low; first < table->count && table->entries[first].low < high; first++) {
		const struct frame_entry *entry = &table->entries[first];

		/* what an earlier one has covered stays */
		if (entry->high <= next)
			continue;
		run_entry(table, entry, next, high, rows);
		next = entry->high;
	}
}

static void keep_state(void *data, uint64_t low, uint64_t high, const struct frame_state *state)
{
	(void)low;
	(void)high;
	*(struct frame_state *)data = *state;
}

const struct frame_cie *frame_table_state(struct frame_table *table, uint64_t address,
					  struct frame_state *state)
{
	*state = (struct frame_state){ 0 };
	ensure_built(table);
	for (size_t i = first_covering(table, address); i < table->count && table->entries[i].low <= address;
	     i++) {
		struct frame_program program;

		if (table->entries[i].high <= address)
			continue;
		program = entry_program(table, &table->entries[i]);
		frame_program_run(&program, address, address + 1, keep_state, state);
		return program.cie;
	}
	return NULL;
}

static int by_row_low(const void *left, const void *right)
{
	const struct frame_row *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high < b->high ? -1 : a->high > b->high;
}

const struct frame_row *frame_rows_copy(struct frame_rows *rows, struct arena *arena)
{
	bool sorted = true;

	/* those of one function are, but where it has several ranges */
	for (size_t i = 1; i < rows->count && sorted; i++)
		sorted = by_row_low(&rows->items[i - 1], &rows->items[i]) <= 0;
	if (!sorted)
		qsort(rows->items, rows->count, sizeof(*rows->items), by_row_low);
	return arena_copy(arena, rows->items, rows->count * sizeof(*rows->items));
}
