// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Jump tables as gcc and clang write them (see jump_table.h):
 *
 *	lea table(%rip),%b; movslq (%b,%i,4),%r; add %b,%r; jmp *%r	position-independent: offsets from the
 *table jmp *table(,%i,8)						addresses; also as a load and jmp *%r
 *	lea table(%rip),%b; jmp *(%b,%i,8)				the same, of a computed goto
 *
 * with the parts in any order and block that the compiler's scheduling leaves.
 */
#include "disasm/jump_table.h"

#include <stdlib.h>

#include "disasm/value_trace.h"
#include "profiler/base/memory.h"

/* An entry where none is needed is taken for the end of a table that has no bounds check. */
#define UNCHECKED_MAX 4096
/* All entries of all tables of a function: bounds what hostile code can ask for. */
#define TARGETS_MAX (UINT64_C(1) << 20)
#define READS_MAX   (UINT64_C(1) << 22)

/* What a jump does with a table, and where that may be. */
struct shape {
	uint32_t insn;
	struct trace_constants tables;
	bool relative;      /* entries are offsets from the table */
	uint8_t entry_size; /* 4, 8 */
	struct index_bound bound;
	bool partial; /* the jump may also go where no table says */
};

struct shapes {
	struct shape *items;
	size_t count;
	size_t capacity;
};

static void add_to_constants(struct trace_constants *constants, int64_t value)
{
	for (unsigned int i = 0; i < constants->count; i++)
		constants->values[i] += (uint64_t)value;
}

/*
 * memory = table + index * entry_size, as one of two registers, and a displacement: which is the table?
 * The other is the index, or was made of it.
 */
static bool shape_from_load(struct value_trace *trace, uint32_t insn, const struct operand *memory,
			    struct shape *shape)
{
	uint8_t index = memory->index;

	if (memory->segment != SEGMENT_NONE || memory->index == REG_NONE || !reg_is_general(memory->index))
		return false;
	if (memory->absolute) {
		shape->tables = (struct trace_constants){ .values = { 0 }, .count = 1 };
	} else if (memory->base == REG_NONE) {
		return false;
	} else {
		value_trace_constants(trace, insn, memory->base, &shape->tables);
		if (!shape->tables.count && memory->scale == 1) {
			value_trace_constants(trace, insn, memory->index, &shape->tables);
			index = memory->base;
		}
	}
	add_to_constants(&shape->tables, memory->value);
	shape->entry_size = memory->size;
	shape->bound = value_trace_bound(trace, insn, index);
	/* the bound is of the index only if every entry is one step of it */
	return shape->tables.count && shape->bound.scale * memory->scale == shape->entry_size;
}

/* jmp *%reg with reg = table[index] */
static bool shape_of_addresses(struct value_trace *trace, uint32_t load, struct shape *shape)
{
	const struct insn *insn = &trace->code->insns[load];

	if (insn->operation != OP_MOVE || insn->operands[1].kind != OPERAND_MEMORY ||
	    insn->operands[0].size < 4)
		return false;
	return shape_from_load(trace, load, &insn->operands[1], shape) &&
	       (shape->entry_size == 8 || shape->entry_size == 4);
}

/* reg before `insn` is table[index], of four bytes, sign-extended */
static bool shape_of_offsets(struct value_trace *trace, uint32_t insn, uint8_t reg, struct shape *shape)
{
	const struct code *code = trace->code;
	int64_t load = value_trace_definition(trace, insn, reg);

	/* unoptimized code loads first and extends afterwards */
	if (load >= 0 && code->insns[load].operation == OP_MOVE_SIGN &&
	    code->insns[load].operands[1].kind == OPERAND_REGISTER &&
	    reg_is_general(code->insns[load].operands[1].reg))
		load = value_trace_definition(trace, load, code->insns[load].operands[1].reg);
	if (load < 0)
		return false;
	const struct insn *source = &code->insns[load];

	if ((source->operation != OP_MOVE_SIGN && source->operation != OP_MOVE) ||
	    source->operands[1].kind != OPERAND_MEMORY || source->operands[1].size != 4)
		return false;
	shape->relative = true;
	return shape_from_load(trace, load, &source->operands[1], shape);
}

/* reg = origin + offset: is the origin the table that the offset was loaded from? */
static bool shape_of_origin(struct value_trace *trace, uint32_t sum, uint8_t origin, uint8_t offset,
			    struct shape *shape)
{
	struct trace_constants origins;
	struct trace_constants *tables = &shape->tables;
	unsigned int count = 0;

	value_trace_constants(trace, sum, origin, &origins);
	if (!origins.count || !shape_of_offsets(trace, sum, offset, shape))
		return false;
	for (unsigned int i = 0; i < tables->count; i++)
		for (unsigned int j = 0; j < origins.count; j++)
			if (tables->values[i] == origins.values[j])
				tables->values[count++] = origins.values[j];
	tables->count = count;
	return count > 0;
}

/* What the instruction `index` puts into `reg` */
static bool shape_of_definition(struct value_trace *trace, int64_t index, uint8_t reg, struct shape *shape)
{
	const struct code *code = trace->code;

	for (unsigned int copies = 0; index >= 0 && copies < 4; copies++) {
		const struct insn *insn = &code->insns[index];
		const struct operand *source = &insn->operands[1];

		if (insn->operation == OP_MOVE && source->kind == OPERAND_REGISTER &&
		    reg_is_general(source->reg)) {
			reg = source->reg;
			index = value_trace_definition(trace, index, reg);
			continue;
		}
		if (insn->operation == OP_ADD && source->kind == OPERAND_REGISTER && source->size == 8)
			return shape_of_origin(trace, index, source->reg, reg, shape) ||
			       shape_of_origin(trace, index, reg, source->reg, shape);
		if (insn->operation == OP_LEA && !source->absolute && source->base != REG_NONE &&
		    source->index != REG_NONE && source->scale == 1 && !source->value)
			return shape_of_origin(trace, index, source->base, source->index, shape) ||
			       shape_of_origin(trace, index, source->index, source->base, shape);
		return shape_of_addresses(trace, index, shape);
	}
	return false;
}

/* jmp *%reg: a table for each place where reg is set; computed gotos that share one jump have several. */
static void shapes_of_register(struct value_trace *trace, uint32_t jump, uint8_t reg, struct shapes *shapes)
{
	size_t first = shapes->count;
	struct trace_definitions definitions;

	value_trace_definitions(trace, jump, reg, &definitions);
	for (unsigned int i = 0; i < definitions.count; i++) {
		array_reserve(shapes->items, shapes->count, shapes->capacity);
		struct shape *shape = &shapes->items[shapes->count];

		*shape = (struct shape){ .insn = jump };
		if (shape_of_definition(trace, definitions.insns[i], reg, shape))
			shapes->count++;
		else
			definitions.complete = false;
	}
	for (size_t i = first; i < shapes->count; i++)
		shapes->items[i].partial = !definitions.complete;
}

static void shapes_of_jump(struct value_trace *trace, uint32_t jump, struct shapes *shapes)
{
	const struct operand *target = &trace->code->insns[jump].operands[0];

	if (target->kind == OPERAND_REGISTER && reg_is_general(target->reg)) {
		shapes_of_register(trace, jump, target->reg, shapes);
	} else if (target->kind == OPERAND_MEMORY) {
		array_reserve(shapes->items, shapes->count, shapes->capacity);
		struct shape *shape = &shapes->items[shapes->count];

		*shape = (struct shape){ .insn = jump };
		if (shape_from_load(trace, jump, target, shape) && shape->entry_size == 8)
			shapes->count++;
	}
}

/* Who reads tables: what stays the same from one to the next. */
struct reader {
	const struct code *code;
	const struct code_request *request;
	const uint64_t *known; /* addresses of all tables of the function, sorted */
	size_t known_count;
	struct jump_tables *tables;
	uint64_t budget; /* entries that may still be read */
};

/* One table, entry by entry. */
struct cursor_of_table {
	struct reader *reader;
	const struct shape *shape;
	uint64_t table;
	uint64_t number;
	bool has_outside;
	uint64_t outside;
};

enum entry { ENTRY_END, ENTRY_OUTSIDE, ENTRY_TARGET };

/*
 * The next entry. One that does not lead to an instruction ends a table of which no bounds are known, except
 * that compilers fill the gaps of a switch whose default case cannot happen with one address that is out of
 * the function, or at its end: the first such address is passed over, wherever it occurs.
 */
static enum entry next_entry(struct cursor_of_table *cursor, uint32_t *target)
{
	struct reader *reader = cursor->reader;
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
static uint64_t entry_limit(const struct reader *reader, const struct shape *shape, uint64_t table)
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
static uint64_t count_targets(struct reader *reader, const struct shape *shape, uint64_t table,
			      uint64_t count)
{
	struct cursor_of_table cursor = { .reader = reader, .shape = shape, .table = table };
	uint64_t targets = 0;

	while (cursor.number < count) {
		uint32_t target;
		enum entry entry = next_entry(&cursor, &target);

		if (entry == ENTRY_END)
			break;
		targets += entry == ENTRY_TARGET;
	}
	return targets;
}

/* Which of the possible tables is one: the one that has entries, and all that it should have. */
static bool choose_table(struct reader *reader, const struct shape *shape, uint64_t *chosen)
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

/* The entries of one table become targets of the jump. */
static void read_entries(struct reader *reader, const struct shape *shape, uint64_t address,
			 struct jump_table *table)
{
	struct jump_tables *tables = reader->tables;
	struct cursor_of_table cursor = { .reader = reader, .shape = shape, .table = address };
	uint64_t count = entry_limit(reader, shape, address);

	while (cursor.number < count) {
		uint32_t target;
		bool full = tables->target_count >= TARGETS_MAX;
		enum entry entry = full ? ENTRY_END : next_entry(&cursor, &target);

		/* what a bounds check lets through is an entry, understood or not */
		if (entry != ENTRY_TARGET && (shape->bound.exact || full || !reader->budget))
			table->complete = false;
		if (entry == ENTRY_END)
			break;
		if (entry == ENTRY_OUTSIDE)
			continue;
		array_reserve(tables->targets, tables->target_count, tables->target_capacity);
		tables->targets[tables->target_count++] = target;
	}
}

/* All shapes of one jump, of which there are `count` */
static void read_jump(struct reader *reader, const struct shape *shapes, size_t count)
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
	struct reader reader = {
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
		shapes_of_jump(&trace, last, &shapes);
	}
	value_trace_release(&trace);
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

void jump_tables_release(struct jump_tables *tables)
{
	free(tables->items);
	free(tables->targets);
}
