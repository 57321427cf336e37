// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Jump tables as gcc and clang write them (see jump_shape.h), with the parts in any order and block that the
 * compiler's scheduling leaves.
 *
 * Position-independent, entries are offsets from the table:
 *	lea table(%rip),%b; movslq (%b,%i,4),%r; add %b,%r; jmp *%r
 * Entries are addresses; also as a load and jmp *%r:
 *	jmp *table(,%i,8)
 * The same of a computed goto:
 *	lea table(%rip),%b; jmp *(%b,%i,8)
 */
#include "disasm/jump_shape.h"

#include "profiler/base/memory.h"

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

/* For reg = origin + offset: true if the origin is the table that the offset was loaded from. */
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

/* Finds the shape of the value that the instruction `index` puts into `reg`. */
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

void jump_shapes_add(struct value_trace *trace, uint32_t jump, struct shapes *shapes)
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
