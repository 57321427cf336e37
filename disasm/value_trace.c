// SPDX-License-Identifier: GPL-2.0-or-later
/* Definitions and constants by looking backward: see value_trace.h. */
#include "disasm/value_trace.h"

#include "profiler/base/memory.h"

#define BLOCK_BUDGET   (UINT32_C(1) << 20)
#define CONSTANT_DEPTH 4

void value_trace_init(struct value_trace *trace, const struct code *code)
{
	*trace = (struct value_trace){
		.code = code,
		.visited = xcalloc(code->block_count, sizeof(*trace->visited)),
		.stack = xcalloc(code->block_count, sizeof(*trace->stack)),
		.budget = BLOCK_BUDGET,
	};
}

void value_trace_deinit(struct value_trace *trace)
{
	free(trace->visited);
	free(trace->stack);
}

/* The last write of `reg` in [first, end), or -1 */
static int64_t last_write(const struct code *code, uint32_t first, uint32_t end, uint8_t reg)
{
	for (uint32_t i = end; i-- > first;)
		if (code->insns[i].written & REG_BIT(reg))
			return i;
	return -1;
}

static void add_definition(struct trace_definitions *definitions, uint32_t insn)
{
	if (definitions->count == TRACE_DEFINITIONS_MAX)
		definitions->complete = false;
	else
		definitions->insns[definitions->count++] = insn;
}

/*
 * The instructions whose write of `reg` reaches `insn`. A block without predecessors that is not the entry is
 * passed over: it is reached by an edge that is not known yet.
 */
void value_trace_definitions(struct value_trace *trace, uint32_t insn, uint8_t reg,
			     struct trace_definitions *definitions)
{
	const struct code *code = trace->code;
	uint32_t block = code_block_of(code, insn);
	int64_t found = last_write(code, code->blocks[block].first, insn, reg);
	uint32_t depth = 0;

	definitions->count = 0;
	definitions->complete = true;
	if (found >= 0) {
		add_definition(definitions, found);
		return;
	}
	trace->search++;
	trace->stack[depth++] = block;
	while (depth) {
		const struct block *current = &code->blocks[block = trace->stack[--depth]];

		if (block == 0 || (current->flags & BLOCK_LEADER))
			definitions->complete = false;
		for (uint32_t i = 0; i < current->predecessor_count; i++) {
			uint32_t previous = code->edges[current->predecessor_first + i];
			const struct block *from = &code->blocks[previous];

			if (trace->visited[previous] == trace->search)
				continue;
			if (!trace->budget) {
				definitions->complete = false;
				return;
			}
			trace->budget--;
			trace->visited[previous] = trace->search;
			found = last_write(code, from->first, from->first + from->count, reg);
			if (found >= 0)
				add_definition(definitions, found);
			else
				trace->stack[depth++] = previous;
		}
	}
}

int64_t value_trace_definition(struct value_trace *trace, uint32_t insn, uint8_t reg)
{
	struct trace_definitions definitions;

	value_trace_definitions(trace, insn, reg, &definitions);
	return definitions.complete && definitions.count == 1 ? (int64_t)definitions.insns[0] : -1;
}

static void add_constant(struct trace_constants *constants, uint64_t value)
{
	for (unsigned int i = 0; i < constants->count; i++)
		if (constants->values[i] == value)
			return;
	if (constants->count < TRACE_CONSTANTS_MAX)
		constants->values[constants->count++] = value;
}

static void constants_before(struct value_trace *trace, uint32_t insn, uint8_t reg, unsigned int depth,
			     struct trace_constants *constants)
{
	struct trace_definitions definitions;

	value_trace_definitions(trace, insn, reg, &definitions);
	for (unsigned int i = 0; i < definitions.count; i++) {
		const struct insn *definition = &trace->code->insns[definitions.insns[i]];
		const struct operand *destination = &definition->operands[0];
		const struct operand *source = &definition->operands[1];

		if (destination->kind != OPERAND_REGISTER || destination->reg != reg || destination->size < 4)
			continue;
		if (definition->operation == OP_LEA && source->absolute && source->index == REG_NONE)
			add_constant(constants, (uint64_t)source->value);
		else if (definition->operation == OP_MOVE && source->kind == OPERAND_IMMEDIATE)
			add_constant(constants, destination->size == 4 ? (uint32_t)source->value
								       : (uint64_t)source->value);
		else if (definition->operation == OP_MOVE && source->kind == OPERAND_REGISTER &&
			 destination->size == 8 && reg_is_general(source->reg) && depth)
			constants_before(trace, definitions.insns[i], source->reg, depth - 1, constants);
	}
}

void value_trace_constants(struct value_trace *trace, uint32_t insn, uint8_t reg,
			   struct trace_constants *constants)
{
	constants->count = 0;
	if (reg_is_general(reg))
		constants_before(trace, insn, reg, CONSTANT_DEPTH, constants);
}
