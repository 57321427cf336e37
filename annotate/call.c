// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls: what arguments must be, what comes back, what is lost (System V psABI x86-64, 3.2.1). */
#include "annotate/solver.h"

#include "annotate/argument.h"
#include "annotate/place.h"
#include "annotate/rust.h"

static void note_argument(struct solver *solver, const struct value *value, const struct type *type)
{
	const struct type *pointee = type ? place_pointee(type) : NULL;

	if (pointee)
		solver_note_use(solver, value, pointee);
}

static void note_arguments(struct solver *solver, const struct state *state,
			   const struct prototype *prototype)
{
	struct argument_walk walk;
	struct argument argument;

	/* psABI 3.2.3, "Returning of Values": the address of the room for a result in memory is a hidden
	 * first argument */
	if (arguments_return_in_memory(prototype))
		solver_note_use(solver, &state->values[REG_RDI], prototype->return_type);
	arguments_begin(&walk, prototype);
	while (arguments_next(&walk, &argument)) {
		if (argument.registers[0] != REG_NONE && place_size(argument.type) == 8)
			note_argument(solver, &state->values[argument.registers[0]], argument.type);
	}
}

/* A register that has `size` bytes of a value of this type, from `offset` on; `key` is that of its origin. */
static struct value part_of_value(struct solver *solver, const struct type *type, int64_t offset,
				  uint64_t size, uint64_t key)
{
	struct value unknown = origins_value(&solver->origins, key);
	const struct type *scalar = type_strip(type);

	if (type_is_record(scalar) || scalar->kind == TYPE_ARRAY)
		type = place_scalar(type, offset, size);
	else if (offset)
		return unknown;
	if (!type)
		return unknown;
	struct value value = value_of_type(type, HOW_TRACKED, origins_id(&solver->origins, key));

	if (rust_is_raw_memory(solver, &value))
		return unknown;
	return value.kind == VALUE_UNKNOWN && unknown.kind == VALUE_POINTER ? unknown : value;
}

static void set_result(struct solver *solver, struct state *state, const struct type *type,
		       struct value first_argument, uint32_t insn)
{
	enum argument_class classes[2];
	uint64_t size = place_size(type);

	if (type_strip(type)->kind == TYPE_VOID)
		return;
	if (!argument_classes(type, classes)) {
		/* the address that was passed in rdi comes back in rax (psABI 3.2.3, "Returning of Values")
		 */
		state->values[REG_RAX] = first_argument;
		return;
	}
	if (classes[0] == ARGUMENT_INTEGER)
		state->values[REG_RAX] =
			part_of_value(solver, type, 0, size < 8 ? size : 8, origin_key_insn(insn, REG_RAX));
	if (classes[1] == ARGUMENT_INTEGER) {
		uint8_t reg = classes[0] == ARGUMENT_INTEGER ? REG_RDX : REG_RAX;

		state->values[reg] = part_of_value(solver, type, 8, size - 8, origin_key_insn(insn, reg));
	}
}

static void escape_arguments(struct solver *solver, const struct state *state, uint64_t address)
{
	for (size_t i = 0; i < ARGUMENT_REGISTERS; i++)
		solver_escape(solver, state, &state->values[argument_registers[i]], address);
}

static void kill_escaped(struct solver *solver, struct state *state)
{
	const struct value *rsp = &state->values[REG_RSP];

	for (uint32_t i = 0; i < solver->escape_count; i++) {
		const struct escape *escape = &solver->escapes[i];
		uint64_t size = escape->high == INT64_MAX ? (uint64_t)INT64_MAX
							  : (uint64_t)(escape->high - escape->low);

		state_kill(state, escape->frame, escape->low, size);
	}
	/* what lies below the stack pointer is the callee's */
	if (rsp->kind == VALUE_FRAME && !rsp->stride && rsp->offset > INT64_MIN + INT64_MAX / 4)
		state_kill(state, rsp->frame, rsp->offset - (1 << 20), 1 << 20);
}

void solver_call(struct solver *solver, struct state *state, uint32_t index, bool tail)
{
	const struct call_memo *memo = solver_callee(solver, index);
	const struct prototype *prototype = memo->prototype;
	struct prototype storage;
	struct value first_argument = state->values[REG_RDI];
	uint64_t clobbered = memo->clobbered;

	if (memo->own_convention && !clobbered)
		return;
	if (memo->by_state)
		prototype = solver_called_through(solver, state, &solver->code->insns[index].operands[0],
						  &storage, &clobbered);
	if (solver->gather && prototype && prototype->prototyped && !memo->clone)
		note_arguments(solver, state, prototype);
	if (tail)
		return;
	escape_arguments(solver, state, solver->code->insns[index].address);
	kill_escaped(solver, state);
	for (uint64_t left = clobbered; left; left &= left - 1) {
		uint8_t reg = (uint8_t)__builtin_ctzll(left);

		state->values[reg] = value_unknown(0);
		/* a result; what the ABI leaves behind in the others is nobody's */
		if (reg == REG_RAX || memo->own_convention)
			state->values[reg] = origins_value(&solver->origins, origin_key_insn(index, reg));
	}
	if (!(clobbered & REG_BIT(REG_RAX)))
		return;
	state->vectors = 0;
	if (memo->returns_first)
		state->values[REG_RAX] = first_argument;
	else if (prototype && prototype->return_type)
		set_result(solver, state, prototype->return_type, first_argument, index);
}

struct value solver_result_place(const struct solver *solver)
{
	enum argument_class classes[2];
	const struct function *function = solver->function;
	const struct type *type = function && function->prototype ? function->prototype->return_type : NULL;

	if (!type || !type_is_record(type_strip(type)) || argument_classes(type, classes) ||
	    solver_is_clone(solver, function->ranges[0].low))
		return value_unknown(0);
	return value_pointer(type_canonical(type), 0, HOW_TRACKED);
}

/*
 * Structs that the caller passes by value in memory are at a place that the ABI gives, also where the debug
 * information has only the members that the code took out of them.
 */
void solver_stack_arguments(struct solver *solver)
{
	const struct function *function = solver->function;
	struct argument_walk walk;
	struct argument argument;
	bool added = false;

	if (!function || !function->prototype || !function->prototype->prototyped || !function->range_count ||
	    solver_is_clone(solver, function->ranges[0].low))
		return;
	arguments_begin(&walk, function->prototype);
	while (arguments_next(&walk, &argument)) {
		if (argument.stack_offset < 0 || !type_is_record(type_strip(argument.type)))
			continue;
		facts_add_stack(&solver->facts, &(struct stack_fact){ .high = UINT64_MAX,
								      .offset = argument.stack_offset,
								      .size = place_size(argument.type),
								      .base_reg = REG_NONE,
								      .variable = NO_VARIABLE,
								      .type = type_canonical(argument.type),
								      .how = HOW_TRACKED });
		added = true;
	}
	if (added)
		facts_index_stack(&solver->facts);
}

void solver_arguments(struct solver *solver, struct state *state)
{
	const struct function *function = solver->function;
	struct argument_walk walk;
	struct argument argument;

	if (!function || (!function->arguments_by_abi && !solver->facts.untracked) || !function->prototype ||
	    !function->prototype->prototyped)
		return;
	/* nothing is said of the parameters that a clone is left with */
	if (solver->facts.untracked && solver_is_clone(solver, function->ranges[0].low))
		return;
	arguments_begin(&walk, function->prototype);
	while (arguments_next(&walk, &argument)) {
		uint64_t size = place_size(argument.type);

		for (uint8_t i = 0; i < 2; i++) {
			uint8_t reg = argument.registers[i];

			if (reg != REG_NONE)
				state->values[reg] = part_of_value(solver, argument.type, 8 * i,
								   size - 8 * i < 8 ? size - 8 * i : 8,
								   origin_key_entry(reg));
		}
		if (argument.stack_offset >= 0 && size == 8)
			state_store(state, FRAME_CFA, argument.stack_offset, 8,
				    value_of_type(argument.type, HOW_TRACKED, 0));
	}
}

void solver_return(struct solver *solver, struct state *state)
{
	if (!solver->gather || !solver->function || !solver->function->prototype)
		return;
	const struct type *type = solver->function->prototype->return_type;

	if (type && place_size(type) == 8)
		note_argument(solver, &state->values[REG_RAX], type);
}
