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

/* A table that a jump uses. */
struct shape {
	uint32_t insn;
	uint64_t table;
	uint64_t origin;    /* added to each entry; 0: entries are addresses */
	uint8_t entry_size; /* 4, 8 */
	bool is_signed;
	struct index_bound bound;
};

/* The index of a load: register and where it is used. */
struct table_index {
	uint32_t insn;
	uint8_t reg;
	uint8_t scale;
};

/* Split the address of a load into a constant, the table, and an index times a scale. */
static bool split_address(struct value_trace *trace, uint32_t insn, const struct operand *memory,
			  uint64_t *table, struct table_index *index)
{
	uint64_t constant = 0;

	if (memory->segment != SEGMENT_NONE)
		return false;
	*index = (struct table_index){ .insn = insn, .reg = memory->index, .scale = memory->scale };
	if (memory->absolute) {
		if (memory->index == REG_NONE)
			return false;
	} else if (memory->base == REG_NONE || memory->index == REG_NONE) {
		/* the index was added to the base before, or there is none */
		return false;
	} else if (!value_trace_constant(trace, insn, memory->base, &constant)) {
		if (memory->scale != 1 || !value_trace_constant(trace, insn, memory->index, &constant))
			return false;
		index->reg = memory->base;
	}
	*table = constant + (uint64_t)memory->value;
	return reg_is_general(index->reg);
}

static bool shape_from_load(struct value_trace *trace, uint32_t insn, const struct operand *memory,
			    struct shape *shape)
{
	struct table_index index;

	if (!split_address(trace, insn, memory, &shape->table, &index))
		return false;
	shape->entry_size = memory->size;
	shape->bound = value_trace_bound(trace, index.insn, index.reg);
	/* the bound is of the index only if every entry is one step of it */
	return shape->bound.scale * index.scale == shape->entry_size;
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
	shape->is_signed = true;
	return shape_from_load(trace, load, &source->operands[1], shape);
}

/* reg = one + other, of which one is the table's address and the other an entry */
static bool shape_of_sum(struct value_trace *trace, uint32_t sum, uint8_t one, uint8_t other,
			 struct shape *shape)
{
	if (value_trace_constant(trace, sum, one, &shape->origin) &&
	    shape_of_offsets(trace, sum, other, shape))
		return true;
	return value_trace_constant(trace, sum, other, &shape->origin) &&
	       shape_of_offsets(trace, sum, one, shape);
}

static bool shape_of_register(struct value_trace *trace, uint32_t jump, uint8_t reg, struct shape *shape)
{
	const struct code *code = trace->code;
	int64_t index = value_trace_definition(trace, jump, reg);

	for (unsigned int copies = 0; index >= 0 && copies < 4; copies++) {
		const struct insn *insn = &code->insns[index];
		const struct operand *source = &insn->operands[1];

		if (insn->operation == OP_MOVE && source->kind == OPERAND_REGISTER &&
		    reg_is_general(source->reg)) {
			index = value_trace_definition(trace, index, source->reg);
			continue;
		}
		if (insn->operation == OP_ADD && source->kind == OPERAND_REGISTER && source->size == 8)
			return shape_of_sum(trace, index, reg, source->reg, shape);
		if (insn->operation == OP_LEA && !source->absolute && source->base != REG_NONE &&
		    source->index != REG_NONE && source->scale == 1 && !source->value)
			return shape_of_sum(trace, index, source->base, source->index, shape);
		return shape_of_addresses(trace, index, shape);
	}
	return false;
}

static bool shape_of_jump(struct value_trace *trace, uint32_t jump, struct shape *shape)
{
	const struct operand *target = &trace->code->insns[jump].operands[0];

	*shape = (struct shape){ .insn = jump };
	if (target->kind == OPERAND_REGISTER && reg_is_general(target->reg))
		return shape_of_register(trace, jump, target->reg, shape);
	return target->kind == OPERAND_MEMORY && shape_from_load(trace, jump, target, shape) &&
	       shape->entry_size == 8;
}

/* The instruction that an entry leads to, or -1 */
static int64_t read_entry(const struct code *code, const struct code_request *request,
			  const struct shape *shape, uint64_t number)
{
	uint64_t address = shape->table + number * shape->entry_size;
	uint64_t entry = 0;

	if (!request->read(request->data, address, &entry, shape->entry_size))
		return -1;
	if (shape->is_signed)
		entry = (uint64_t)(int64_t)(int32_t)entry;
	return code_find(code, entry + shape->origin);
}

static void read_table(const struct code *code, const struct code_request *request, const struct shape *shape,
		       uint64_t count, struct jump_tables *tables)
{
	struct jump_table table = { .insn = shape->insn,
				    .target_first = tables->target_count,
				    .complete = true };

	for (uint64_t i = 0; i < count; i++) {
		int64_t target =
			tables->target_count < TARGETS_MAX ? read_entry(code, request, shape, i) : -1;

		if (target < 0) {
			/* where a bounds check lets it through, this is an entry all the same, which was not
			 * understood */
			table.complete = !shape->bound.exact && tables->target_count < TARGETS_MAX;
			if (!shape->bound.exact || tables->target_count == TARGETS_MAX)
				break;
			continue;
		}
		array_reserve(tables->targets, tables->target_count, tables->target_capacity);
		tables->targets[tables->target_count++] = target;
	}
	table.target_count = tables->target_count - table.target_first;
	if (!table.target_count)
		return;
	array_reserve(tables->items, tables->count, tables->capacity);
	tables->items[tables->count++] = table;
}

/* Entries up to the next table that is known: a table without a bounds check must not run on into it. */
static uint64_t entry_limit(const struct shape *shape, const struct shape *shapes, size_t shape_count)
{
	uint64_t limit = shape->bound.count ? shape->bound.count : UNCHECKED_MAX;

	if (shape->bound.exact)
		return limit;
	for (size_t i = 0; i < shape_count; i++) {
		uint64_t distance = shapes[i].table - shape->table;

		if (shapes[i].table > shape->table && distance / shape->entry_size < limit)
			limit = distance / shape->entry_size;
	}
	return limit;
}

static int compare_tables(const void *one, const void *other)
{
	const struct jump_table *first = one;
	const struct jump_table *second = other;

	return first->insn < second->insn ? -1 : first->insn > second->insn;
}

bool jump_tables_read(const struct code *code, const struct code_request *request, struct jump_tables *tables)
{
	size_t known = tables->count;
	_cleanup_free_ struct shape *shapes = NULL;
	size_t shape_count = 0;
	size_t shape_capacity = 0;
	struct value_trace trace = { 0 };

	if (!request->read)
		return false;
	for (size_t i = 0; i < code->block_count; i++) {
		uint32_t last = code->blocks[i].first + code->blocks[i].count - 1;
		const struct insn *insn = &code->insns[last];

		if (insn->operation != OP_JUMP || insn->operands[0].kind == OPERAND_IMMEDIATE ||
		    jump_tables_find(tables, last))
			continue;
		if (!trace.code)
			value_trace_init(&trace, code);
		array_reserve(shapes, shape_count, shape_capacity);
		if (shape_of_jump(&trace, last, &shapes[shape_count]))
			shape_count++;
	}
	value_trace_release(&trace);
	for (size_t i = 0; i < shape_count; i++)
		read_table(code, request, &shapes[i], entry_limit(&shapes[i], shapes, shape_count), tables);
	if (tables->count)
		qsort(tables->items, tables->count, sizeof(*tables->items), compare_tables);
	return tables->count > known;
}

const struct jump_table *jump_tables_find(const struct jump_tables *tables, uint32_t insn)
{
	size_t low = 0;
	size_t high = tables->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tables->items[middle].insn < insn)
			low = middle + 1;
		else
			high = middle;
	}
	return low < tables->count && tables->items[low].insn == insn ? &tables->items[low] : NULL;
}

void jump_tables_release(struct jump_tables *tables)
{
	free(tables->items);
	free(tables->targets);
}
