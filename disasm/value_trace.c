// SPDX-License-Identifier: GPL-2.0-or-later
/* Definitions and constants by looking backward: see value_trace.h. */
#include "disasm/value_trace.h"

#include "profiler/base/memory.h"

#define BLOCK_BUDGET    (UINT32_C(1) << 20)
#define DEFINITIONS_MAX 16
#define CONSTANT_DEPTH  6

void value_trace_init(struct value_trace *trace, const struct code *code)
{
	*trace = (struct value_trace){
		.code = code,
		.visited = xcalloc(code->block_count, sizeof(*trace->visited)),
		.stack = xcalloc(code->block_count, sizeof(*trace->stack)),
		.budget = BLOCK_BUDGET,
	};
}

void value_trace_release(struct value_trace *trace)
{
	free(trace->visited);
	free(trace->stack);
}

struct definitions {
	uint32_t insns[DEFINITIONS_MAX];
	unsigned int count;
};

/* The last write of `reg` in [first, end), or -1 */
static int64_t last_write(const struct code *code, uint32_t first, uint32_t end, uint8_t reg)
{
	for (uint32_t i = end; i-- > first;)
		if (code->insns[i].written & REG_BIT(reg))
			return i;
	return -1;
}

static bool add_definition(struct definitions *definitions, uint32_t insn)
{
	if (definitions->count == DEFINITIONS_MAX)
		return false;
	definitions->insns[definitions->count++] = insn;
	return true;
}

/*
 * All instructions whose write of `reg` reaches `insn`. A block without predecessors that is not the entry is
 * passed over: it is reached by an edge that is not known yet. False if the entry is reached without a write,
 * or if there are too many.
 */
static bool find_definitions(struct value_trace *trace, uint32_t insn, uint8_t reg,
			     struct definitions *definitions)
{
	const struct code *code = trace->code;
	uint32_t start = code_block_of(code, insn);
	int64_t found = last_write(code, code->blocks[start].first, insn, reg);
	uint32_t depth = 0;

	definitions->count = 0;
	if (found >= 0)
		return add_definition(definitions, found);
	trace->search++;
	for (uint32_t block = start;;) {
		const struct block *current = &code->blocks[block];

		if (block == 0 || (current->flags & BLOCK_LEADER))
			return false;
		for (uint32_t i = 0; i < current->predecessor_count; i++) {
			uint32_t previous = code->edges[current->predecessor_first + i];
			const struct block *from = &code->blocks[previous];

			if (trace->visited[previous] == trace->search)
				continue;
			if (!trace->budget)
				return false;
			trace->budget--;
			trace->visited[previous] = trace->search;
			found = last_write(code, from->first, from->first + from->count, reg);
			if (found < 0)
				trace->stack[depth++] = previous;
			else if (!add_definition(definitions, found))
				return false;
		}
		if (!depth)
			return definitions->count > 0;
		block = trace->stack[--depth];
	}
}

int64_t value_trace_definition(struct value_trace *trace, uint32_t insn, uint8_t reg)
{
	struct definitions definitions;

	if (!find_definitions(trace, insn, reg, &definitions) || definitions.count != 1)
		return -1;
	return definitions.insns[0];
}

static bool constant_before(struct value_trace *trace, uint32_t insn, uint8_t reg, unsigned int depth,
			    uint64_t *value);

/* The constant that one instruction writes into its destination */
static bool constant_written(struct value_trace *trace, uint32_t index, uint8_t reg, unsigned int depth,
			     uint64_t *value)
{
	const struct insn *insn = &trace->code->insns[index];
	const struct operand *destination = &insn->operands[0];
	const struct operand *source = &insn->operands[1];

	if (destination->kind != OPERAND_REGISTER || destination->reg != reg || destination->size < 4)
		return false;
	if (insn->operation == OP_LEA && source->absolute && source->index == REG_NONE) {
		*value = (uint64_t)source->value;
	} else if (insn->operation == OP_MOVE && source->kind == OPERAND_IMMEDIATE) {
		*value = (uint64_t)source->value;
	} else if (insn->operation == OP_MOVE && source->kind == OPERAND_REGISTER &&
		   reg_is_general(source->reg)) {
		if (!constant_before(trace, index, source->reg, depth, value))
			return false;
	} else {
		return false;
	}
	if (destination->size == 4)
		*value = (uint32_t)*value;
	return true;
}

static bool constant_before(struct value_trace *trace, uint32_t insn, uint8_t reg, unsigned int depth,
			    uint64_t *value)
{
	struct definitions definitions;

	if (!depth || !find_definitions(trace, insn, reg, &definitions))
		return false;
	for (unsigned int i = 0; i < definitions.count; i++) {
		uint64_t other;

		if (!constant_written(trace, definitions.insns[i], reg, depth - 1, &other))
			return false;
		if (i && other != *value)
			return false;
		*value = other;
	}
	return true;
}

bool value_trace_constant(struct value_trace *trace, uint32_t insn, uint8_t reg, uint64_t *value)
{
	return reg_is_general(reg) && constant_before(trace, insn, reg, CONSTANT_DEPTH, value);
}
