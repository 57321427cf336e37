// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading the entries of jump tables, whose shapes are known: see jump_table.h. */
#include "disasm/jump_table.h"

#include <stdlib.h>

#include "disasm/jump_shape.h"
#include "profiler/base/memory.h"

/* An entry where none is needed is taken for the end of a table that has no bounds check. */
#define UNCHECKED_MAX 4096
/* All entries of all tables of a function: bounds what hostile code can ask for. */
#define TARGETS_MAX (UINT64_C(1) << 20)
#define READS_MAX   (UINT64_C(1) << 22)
/* Tables whose places are kept: more than a function of any compiler has. */
#define PLACES_MAX 1024

/* The state of reading that stays the same from one table to the next. */
struct table_reader {
	const struct code *code;
	const struct code_request *request;
	const uint64_t *known; /* addresses of all tables of the function, sorted */
	size_t known_count;
	struct jump_tables *tables;
	uint64_t budget; /* entries that may still be read */
};

/* One table, entry by entry. */
struct cursor_of_table {
	struct table_reader *reader;
	const struct shape *shape;
	uint64_t table;
	uint64_t number;
	bool has_outside;
	uint64_t outside;
};

enum table_entry { ENTRY_END, ENTRY_OUTSIDE, ENTRY_TARGET };

/*
 * The next entry. One that does not lead to an instruction ends a table of which no bounds are known, except
 * that compilers fill the gaps of a switch whose default case cannot happen with one address that is out of
 * the function, or at its end: the first such address is passed over, wherever it occurs.
 */
static enum table_entry next_entry(struct cursor_of_table *cursor, uint32_t *target)
{
	struct table_reader *reader = cursor->reader;
	const struct shape *shape = cursor->shape;
	uint64_t address = cursor->table + cursor->number++ * shape->entry_size;
	uint64_t entry = 0;

	if (!reader->budget)
		return ENTRY_END;
	reader->budget--;
	if (!reader->request->read(reader->request->data, address, &entry, shape->entry_size))
		return ENTRY_END;
	if (shape->relative)
		entry = cursor->table + (uint64_t)(int64_t)(int32_t)entry;
	int64_t insn = code_find(reader->code, entry);

	if (insn >= 0) {
		*target = (uint32_t)insn;
		return ENTRY_TARGET;
	}
	if (cursor->has_outside && cursor->outside != entry)
		return shape->bound.exact ? ENTRY_OUTSIDE : ENTRY_END;
	cursor->has_outside = true;
	cursor->outside = entry;
	return ENTRY_OUTSIDE;
}

/* Entries up to the next table that is known: a table without a bounds check must not run on into it. */
static uint64_t entry_limit(const struct table_reader *reader, const struct shape *shape, uint64_t table)
{
	uint64_t limit = shape->bound.count ? shape->bound.count : UNCHECKED_MAX;
	size_t low = 0;
	size_t high = reader->known_count;

	if (shape->bound.exact)
		return limit;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reader->known[middle] <= table)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < reader->known_count && (reader->known[low] - table) / shape->entry_size < limit)
		limit = (reader->known[low] - table) / shape->entry_size;
	return limit;
}

/* How many of `count` entries lead to instructions */
static uint64_t count_targets(struct table_reader *reader, const struct shape *shape, uint64_t table,
			      uint64_t count)
{
	struct cursor_of_table cursor = { .reader = reader, .shape = shape, .table = table };
	uint64_t targets = 0;

	while (cursor.number < count) {
		uint32_t target;
		enum table_entry entry = next_entry(&cursor, &target);

		if (entry == ENTRY_END)
			break;
		targets += entry == ENTRY_TARGET;
	}
	return targets;
}

/* Chooses among the possible tables the one that has entries, and all that it should have. */
static bool choose_table(struct table_reader *reader, const struct shape *shape, uint64_t *chosen)
{
	unsigned int matching = 0;

	if (shape->tables.count == 1) {
		*chosen = shape->tables.values[0];
		return true;
	}
	for (unsigned int i = 0; i < shape->tables.count; i++) {
		uint64_t table = shape->tables.values[i];
		uint64_t limit = entry_limit(reader, shape, table);
		uint64_t count = count_targets(reader, shape, table, limit);

		if (!count || (shape->bound.exact && count < limit))
			continue;
		*chosen = table;
		matching++;
	}
	return matching == 1;
}

/* Only of those that were sorted: the `sorted` first. */
static struct jump_table *find_table(const struct jump_tables *tables, uint32_t insn)
{
	size_t low = 0;
	size_t high = tables->sorted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tables->items[middle].insn < insn)
			low = middle + 1;
		else
			high = middle;
	}
	return low < tables->sorted && tables->items[low].insn == insn ? &tables->items[low] : NULL;
}

/* Notes the place of a table. One that is read again, with more edges known, may have become longer.
 */
static void note_place(struct jump_tables *tables, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < tables->place_count; i++) {
		if (tables->places[i].address != address)
			continue;
		if (tables->places[i].size < size)
			tables->places[i].size = size;
		return;
	}
	if (tables->place_count >= PLACES_MAX)
		return;
	array_reserve(tables->places, tables->place_count, tables->place_capacity);
	tables->places[tables->place_count++] = (struct code_table){ .address = address, .size = size };
}

/* The entries of one table become targets of the jump. */
static void read_entries(struct table_reader *reader, const struct shape *shape, uint64_t address,
			 struct jump_table *table)
{
	struct jump_tables *tables = reader->tables;
	struct cursor_of_table cursor = { .reader = reader, .shape = shape, .table = address };
	uint64_t count = entry_limit(reader, shape, address), understood = 0;

	while (cursor.number < count) {
		uint32_t target;
		bool full = tables->target_count >= TARGETS_MAX;
		enum table_entry entry = full ? ENTRY_END : next_entry(&cursor, &target);

		/* what a bounds check lets through is an entry, understood or not */
		if (entry != ENTRY_TARGET && (shape->bound.exact || full || !reader->budget))
			table->complete = false;
		if (entry == ENTRY_END)
			break;
		if (entry == ENTRY_OUTSIDE)
			continue;
		understood = cursor.number;
		array_reserve(tables->targets, tables->target_count, tables->target_capacity);
		tables->targets[tables->target_count++] = target;
	}
	if (understood)
		note_place(tables, address, understood * shape->entry_size);
}

/* All shapes of one jump, of which there are `count` */
static void read_jump(struct table_reader *reader, const struct shape *shapes, size_t count)
{
	struct jump_tables *tables = reader->tables;
	struct jump_table table = {
		.insn = shapes->insn,
		.target_first = tables->target_count,
		.complete = !shapes->partial,
	};

	for (size_t i = 0; i < count; i++) {
		uint64_t address;

		if (choose_table(reader, &shapes[i], &address))
			read_entries(reader, &shapes[i], address, &table);
		else
			table.complete = false;
	}
	table.target_count = tables->target_count - table.target_first;
	if (!table.target_count)
		return;
	/* what was found with fewer edges known gives way if there is more now */
	struct jump_table *known = find_table(tables, table.insn);

	if (!known) {
		array_reserve(tables->items, tables->count, tables->capacity);
		tables->items[tables->count++] = table;
		tables->changed = true;
	} else if (table.target_count > known->target_count || table.complete) {
		*known = table;
		tables->changed = true;
	}
}

static int compare_addresses(const void *one, const void *other)
{
	uint64_t first = *(const uint64_t *)one;
	uint64_t second = *(const uint64_t *)other;

	return first < second ? -1 : first > second;
}

static void read_tables(const struct code *code, const struct code_request *request,
			const struct shapes *shapes, struct jump_tables *tables)
{
	_cleanup_free_ uint64_t *known =
		xrealloc_array(NULL, shapes->count * TRACE_CONSTANTS_MAX, sizeof(*known));
	struct table_reader reader = {
		.code = code, .request = request, .known = known, .tables = tables, .budget = READS_MAX
	};

	for (size_t i = 0; i < shapes->count; i++)
		for (unsigned int j = 0; j < shapes->items[i].tables.count; j++)
			known[reader.known_count++] = shapes->items[i].tables.values[j];
	if (reader.known_count)
		qsort(known, reader.known_count, sizeof(*known), compare_addresses);
	for (size_t first = 0, next; first < shapes->count; first = next) {
		for (next = first + 1;
		     next < shapes->count && shapes->items[next].insn == shapes->items[first].insn;)
			next++;
		read_jump(&reader, &shapes->items[first], next - first);
	}
}

static int compare_tables(const void *one, const void *other)
{
	const struct jump_table *first = one;
	const struct jump_table *second = other;

	return first->insn < second->insn ? -1 : first->insn > second->insn;
}

static bool is_complete(const struct jump_tables *tables, uint32_t insn)
{
	const struct jump_table *table = jump_tables_find(tables, insn);

	return table && table->complete;
}

bool jump_tables_read(const struct code *code, const struct code_request *request, struct jump_tables *tables)
{
	struct shapes shapes = { 0 };
	struct value_trace trace = { 0 };

	tables->changed = false;
	if (!request->read)
		return false;
	for (size_t i = 0; i < code->block_count; i++) {
		uint32_t last = code->blocks[i].first + code->blocks[i].count - 1;
		const struct insn *insn = &code->insns[last];

		if (insn->operation != OP_JUMP || insn->operands[0].kind == OPERAND_IMMEDIATE ||
		    is_complete(tables, last))
			continue;
		if (!trace.code)
			value_trace_init(&trace, code);
		jump_shapes_add(&trace, last, &shapes);
	}
	value_trace_deinit(&trace);
	if (shapes.count)
		read_tables(code, request, &shapes, tables);
	free(shapes.items);
	if (tables->count > tables->sorted)
		qsort(tables->items, tables->count, sizeof(*tables->items), compare_tables);
	tables->sorted = tables->count;
	return tables->changed;
}

const struct jump_table *jump_tables_find(const struct jump_tables *tables, uint32_t insn)
{
	return find_table(tables, insn);
}

void jump_tables_deinit(struct jump_tables *tables)
{
	free(tables->items);
	free(tables->targets);
	free(tables->places);
}
