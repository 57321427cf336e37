// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How an answer was found, for --debug type-profile, in the words of perf's output where it has
 * them.
 *
 * Registers are named by their DWARF numbers (on x86-64, reg5 is %rdi). Offsets of instructions
 * count from the start of the function, or of its cold part, as the symbols of both do.
 */

#include "annotate/answer/answer.h"
#include "annotate/code/code.h"
#include "annotate/flow/solver.h"
#include "annotate/rules/rules.h"

struct trace {
	struct solver *solver;
	uint32_t block;
	struct value
		before[REG_GENERAL_COUNT]; /* of the instruction before, to show only changes */
	uint32_t last;       /* the instruction of `before`; UINT32_MAX: none in this block */
	struct strbuf lines; /* of the block so far */
	struct strbuf candidates;
};

struct trace *trace_create(struct solver *solver)
{
	struct trace *trace = xcalloc(1, sizeof(*trace));

	trace->solver = solver;
	trace->lines = trace->candidates = (struct strbuf)STRBUF_INIT;
	solver->result.candidates = &trace->candidates;
	return trace;
}

void trace_destroy(struct trace *trace)
{
	if (!trace)
		return;
	trace->solver->result.candidates = NULL;
	strbuf_deinit(&trace->candidates);
	strbuf_deinit(&trace->lines);
	free(trace);
}

/* Returns the offset of an instruction in the part of the function that holds it. */
static uint64_t offset_in_part(const struct solver *solver, uint64_t address)
{
	const struct function *function = solver->function;

	for (size_t i = 0; function && i < function->range_count; i++)
		if (address >= function->ranges[i].low && address < function->ranges[i].high)
			return address - function->ranges[i].low;
	return address - solver->code->insns[0].address;
}

static void write_type(struct strbuf *text, const struct type *type)
{
	strbuf_add_string(text, "type='");
	type_name(type, text);
	strbuf_add_format(text, "' size=%#llx (die:%#llx)",
			  (unsigned long long)type_size_or(type, 0),
			  (unsigned long long)type->source);
}

static void write_value(struct strbuf *text, const struct value *value)
{
	switch (value->kind) {
	case VALUE_POINTER:
		strbuf_add_string(text, "pointer to ");
		write_type(text, value->type);
		strbuf_add_format(text, " offset=%lld (%s)", (long long)value->offset,
				  access_how_name(value->how));
		break;
	case VALUE_NUMBER:
		if (!value->stride)
			strbuf_add_format(text, "imm=%#llx", (unsigned long long)value->offset);
		else
			strbuf_add_string(text, "number");
		break;
	case VALUE_ADDRESS:
		strbuf_add_format(text, "address=%#llx", (unsigned long long)value->offset);
		break;
	case VALUE_FRAME:
		if (value->frame == FRAME_CFA)
			strbuf_add_format(text, "stack, cfa%+lld", (long long)value->offset);
		else
			strbuf_add_format(text, "%s%+lld",
					  value->frame <= FRAME_LAST_OTHER ? "aligned stack"
					  : value->frame == FRAME_PER_CPU  ? "per-cpu"
									   : "tls",
					  (long long)value->offset);
		break;
	default:
		strbuf_add_string(text, value->conflict ? "unknown: paths disagree" : "unknown");
		if (value->type) {
			strbuf_add_string(text, ", declared ");
			write_type(text, value->type);
		}
		break;
	}
	if (value->stride && value->kind != VALUE_NUMBER)
		strbuf_add_format(text, " stride=%u", value->stride);
}

void trace_block(struct trace *trace, uint32_t block)
{
	trace->block = block;
	trace->last = UINT32_MAX;
	strbuf_reset(&trace->lines);
}

/* Writes "[9] rule tracked-whole" for each rule about values that applied since the instruction
 * before. */
static void write_fired(struct trace *trace, uint32_t insn)
{
	struct solver *solver = trace->solver;

	bits_each (bit, trace->last == UINT32_MAX ? 0 : solver->result.fired)
		strbuf_add_format(&trace->lines, "[%llx] rule %s\n",
				  (unsigned long long)offset_in_part(
					  solver, solver->code->insns[insn].address),
				  rule_name((enum rule_id)bit));
	solver->result.fired = 0;
}

/* Writes "mov [9] reg5: pointer to type=..." for each general register that the instruction before
 * changed. */
void trace_instruction(struct trace *trace, const struct state *state, uint32_t insn)
{
	const struct solver *solver = trace->solver;

	array_indexed (const struct value, value, reg, state->values, state->general_count) {
		bool first = trace->last == UINT32_MAX;

		if (!first && value_equal(value, &trace->before[reg]))
			continue;
		bool dull = value->kind == VALUE_BOTTOM ||
			    (value->kind == VALUE_UNKNOWN && !value->type) ||
			    (value->kind == VALUE_NUMBER && value->stride);

		trace->before[reg] = *value;
		if (reg == solver->arch->stack_pointer || (first && dull))
			continue;
		const struct insn *cause = &solver->code->insns[first ? insn : trace->last];

		strbuf_add_format(&trace->lines, "%s [%llx] reg%zu: ",
				  first ? "in" : operation_name(cause->operation),
				  (unsigned long long)offset_in_part(solver, cause->address), reg);
		write_value(&trace->lines, value);
		strbuf_add_char(&trace->lines, '\n');
	}
	write_fired(trace, insn);
	strbuf_reset(&trace->candidates);
	trace->last = insn;
}

static void trace_write_operand(const struct arch *arch, struct strbuf *text,
				const struct operand *operand)
{
	strbuf_add_string(text, arch->segment_names[operand->segment]);
	bool absolute = operand->base == REG_NONE && operand->index == REG_NONE;
	bool negative = operand->value < 0 && !(absolute && operand->segment == SEGMENT_NONE);
	uint64_t displacement = operand->value;

	strbuf_add_format(text, "%s%#llx", negative ? "-" : "",
			  (unsigned long long)(negative ? -displacement : displacement));
	if (absolute)
		return;
	strbuf_add_char(text, '(');
	if (operand->base != REG_NONE)
		strbuf_add_format(text, "reg%u", operand->base);
	if (operand->index != REG_NONE)
		strbuf_add_format(text, "%sreg%u*%u", operand->base != REG_NONE ? ", " : "",
				  operand->index, operand->scale);
	strbuf_add_char(text, ')');
}

static void write_function(const struct solver *solver, uint64_t address, struct strbuf *text)
{
	const struct function *function = solver->function;

	if (!function) {
		strbuf_add_string(text, "no function in the debug information\n");
		return;
	}
	strbuf_add_format(text, "CU for %s (die:%#llx)\n",
			  function->unit_name ? function->unit_name : "?",
			  (unsigned long long)function->unit_source);
	strbuf_add_format(text, "frame base: cfa=%d fbreg=%d\n",
			  function->frame_base.kind == FRAME_BASE_CFA,
			  function->frame_base.kind == FRAME_BASE_REGISTER
				  ? function->frame_base.reg
				  : solver->arch->frame.stack_pointer);
	array_each (const struct scope, scope, function->scopes, function->scope_count)
		if (scope_has(scope, address))
			strbuf_add_format(text, "scope: [%u] (die:%llx)%s%s\n", scope->depth + 1,
					  (unsigned long long)scope->source, scope->name ? " " : "",
					  scope->name ? scope->name : "");
}

/* Lists the variables that are in the operand's registers at this instruction. */
static void write_variables(const struct solver *solver, const struct operand *operand,
			    uint64_t address, struct strbuf *text)
{
	const uint8_t regs[] = { operand->base, operand->index };

	for (size_t i = 0; i < sizeof(regs); i++) {
		if (regs[i] >= REG_COUNT)
			continue;
		const struct register_fact *fact = facts_register(&solver->facts, regs[i], address);

		if (!fact)
			continue;
		const struct variable *variable = &solver->function->variables[fact->variable];

		strbuf_add_format(text, "var \"%s\" in reg%u ",
				  variable->name ? variable->name : "?", regs[i]);
		write_type(text, variable->type);
		strbuf_add_char(text, '\n');
	}
}

/* Writes " (rule far-scalar)" if a rule decided. */
static void write_rule(struct strbuf *text, const struct access *access)
{
	if (access->rule)
		strbuf_add_format(text, " (rule %s)", rule_name(access->rule));
}

void trace_answer(struct trace *trace, const struct state *state, uint32_t insn,
		  const struct access *access, struct strbuf *text)
{
	struct solver *solver = trace->solver;
	const struct insn *instruction = &solver->code->insns[insn];
	const struct basic_block *block = &solver->code->blocks[trace->block];
	uint64_t offset = offset_in_part(solver, instruction->address);
	const struct operand *operand = insn_memory(instruction, access->write);
	const struct symbol *symbol = elf_image_function_at(solver->image, instruction->address);

	strbuf_add_string(text, "find data type for ");
	if (operand)
		trace_write_operand(solver->arch, text, operand);
	else
		strbuf_add_string(text, operation_name(instruction->operation));
	strbuf_add_format(
		text, " at %s+%#llx\n", symbol ? symbol->name : "?",
		(unsigned long long)(instruction->address - (symbol ? symbol->address : 0)));
	if (!operand) {
		strbuf_add_string(text, "no memory access\n\n");
		return;
	}
	write_function(solver, instruction->address, text);
	strbuf_add_format(text, "bb: [%llx - %llx], %u predecessors\n",
			  (unsigned long long)offset_in_part(solver, block->address),
			  (unsigned long long)offset, block->predecessor_count);
	strbuf_add_string(text, trace->lines.data);
	write_variables(solver, operand, instruction->address, text);
	struct value address = solver_address(solver, state, operand);

	strbuf_add_format(text, "chk [%llx] address: ", (unsigned long long)offset);
	write_value(text, &address);
	strbuf_add_char(text, '\n');
	strbuf_add_string(text, trace->candidates.data);
	if (access->kind == ACCESS_TYPE) {
		strbuf_add_format(text, "found by %s", access_how_name(access->how));
		write_rule(text, access);
		strbuf_add_string(text, ": ");
		write_type(text, access->type);
		strbuf_add_format(text, " offset=%lld\n\n", (long long)access->offset);
	} else if (access->kind == ACCESS_UNKNOWN || access->kind == ACCESS_NO_CODE) {
		strbuf_add_format(text, "no type: %s", access_reason_name(access->reason));
		write_rule(text, access);
		strbuf_add_string(text, "\n\n");
	} else {
		strbuf_add_format(text, "%s\n\n", access_type_name(access));
	}
}
