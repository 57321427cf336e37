// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory without a variable that is copied to or from an object of known type: copies of objects in
 * Go, and constants in Rust.
 *
 *     movups 0x10(%rax),%xmm14       Go copies the object at 0x10(%rax) to the stack, where it is
 *     movups %xmm14,(%rsp)           an argument, or a value that the compiler keeps there
 *     movups 0x20(%rax),%xmm14
 *     movups %xmm14,0x10(%rsp)
 *
 * Neither an argument in memory nor such a value has a variable. If the other side of the copy is
 * an object of known type, both sides have the type of the part of it that is as large as the copy.
 *
 *     movups .Lanon(%rip),%xmm0      LLVM puts constants that are no scalars into memory without a
 *     movups %xmm0,0x20(%rsp)        variable. 16 bytes are a whole object, or bytes of a text.
 */

#include "annotate/code/code.h"
#include "annotate/facts/arguments.h"
#include "annotate/facts/scope_types.h"
#include "annotate/language/go.h"
#include "annotate/language/rust.h"
#include "annotate/objects/objects.h"
#include "base/memory.h"

/* ---- copies of objects in Go */

/* A vector register. */
#define VECTOR 16

/* Returns the outermost part of a type that begins at `offset` and has `size` bytes, which may be
 * the type itself; NULL: there is none. */
static const struct type *part_of_size(const struct type *type, int64_t offset, int64_t size)
{
	for (;;) {
		const struct type *bare = type_strip(type), *inner = NULL;
		size_t count = 0;
		const struct member *members;

		if (!offset && (int64_t)field_size(type) == size)
			return type;
		if (bare->kind == TYPE_ARRAY && field_element_at(bare, &offset)) {
			type = type_target(bare);
			continue;
		}
		members = type_members(bare, &count);
		for (size_t i = 0; i < count && !inner; i++)
			if (offset >= members[i].offset &&
			    offset + size <=
				    members[i].offset + (int64_t)field_size(members[i].type)) {
				inner = members[i].type;
				offset -= members[i].offset;
			}
		if (!inner)
			return NULL;
		type = inner;
	}
}

/* Finds the type of the object that `address` points into, and the offset in it. An index that
 * steps over whole objects is left out of the offset. False: it is not known. */
static bool find_object(struct solver *solver, const struct state *state, const struct insn *insn,
			const struct value *address, const struct type **type, int64_t *offset)
{
	if (address->kind == VALUE_POINTER) {
		int64_t size = (int64_t)field_size(address->type);

		*type = address->type;
		*offset = address->offset;
		if (address->stride && size && address->stride % size == 0)
			*offset = positive_remainder(address->offset, (uint64_t)size);
		return !address->stride || (size && address->stride % size == 0);
	}
	if (address->kind != VALUE_FRAME || address->stride)
		return false;
	const struct stack_fact *variable =
		solver_stack_object(solver, state, insn->address, insn->address + insn->length,
				    address->frame, address->offset, WORD, offset);

	if (variable)
		*type = variable->type;
	return variable;
}

/* Returns the copy that the instruction is a part of; NULL: it copies nothing, or the copy begins
 * and ends with a word, as those of scalars do. */
static const struct code_copy *copy_of(struct solver *solver, const struct insn *insn)
{
	const struct cfg *code = solver->code;
	struct code_copies *copies = &solver->go.copies;

	if (!copies->of_insn)
		code_copies_find(copies, code);
	uint32_t number = copies->of_insn[insn - code->insns];
	const struct code_copy *copy = number ? &copies->items[number - 1] : NULL;

	return copy && copy->load != copy->store &&
			       (code->insns[copy->load].operands[1].size == VECTOR ||
				code->insns[copy->last].operands[0].size == VECTOR)
		       ? copy
		       : NULL;
}

/* True if the registers of an operand of instruction `other` have the same values at `insn`. */
static bool has_registers_of(const struct cfg *code, uint32_t insn, uint32_t other,
			     const struct operand *operand)
{
	uint64_t registers = operand_registers(operand);

	if (cfg_block_of(code, insn) != cfg_block_of(code, other))
		return false;
	return !any_of(i, insn < other ? insn : other, insn < other ? other : insn,
		       code->insns[i].written & registers);
}

/* Returns the type of the `size` bytes at an address, by the object there; NULL: not known. */
static const struct type *copies_type_at(struct solver *solver, const struct state *state,
					 const struct insn *insn, const struct value *address,
					 int64_t size)
{
	const struct type *type;
	int64_t offset;

	return find_object(solver, state, insn, address, &type, &offset)
		       ? part_of_size(type, offset, size)
		       : NULL;
}

bool go_copied(struct solver *solver, const struct state *state, const struct insn *insn,
	       struct field_ref *field)
{
	const struct code_copy *copy =
		solver->abi->goroutine_type && solver->options.infer ? copy_of(solver, insn) : NULL;

	if (!copy)
		return false;
	uint32_t number = (uint32_t)(insn - solver->code->insns);
	bool loads = insn->operands[1].kind == OPERAND_MEMORY;
	uint32_t other = loads ? copy->store : copy->load;
	const struct operand *end = &solver->code->insns[other].operands[!loads];

	if (!has_registers_of(solver->code, number, other, end))
		return false;
	int64_t within = solver->go.copies.within[number];
	struct value address = solver_address(solver, state, end);
	const struct type *type =
		copies_type_at(solver, state, insn, &address, (int64_t)copy->span);

	if (!type)
		return false;
	*field = (struct field_ref){ type_canonical(type), within };
	return true;
}

/* ---- objects of Go on the stack that have no variable */

/* Returns the number of bytes above the stack pointer in which calls of known functions pass
 * arguments and results. It is at least a word, for the other calls. */
static int64_t passed_end(struct solver *solver)
{
	struct argument_walk walk;
	struct argument argument;

	if (solver->go.passed_end)
		return solver->go.passed_end;
	solver->go.passed_end = WORD;
	for (uint32_t i = 0; i < solver->code->insn_count; i++) {
		const struct prototype *callee = solver->code->insns[i].operation == OP_CALL
							 ? solver_callee(solver, i)->prototype
							 : NULL;

		if (!callee || !callee->prototyped)
			continue;
		arguments_begin(&walk, solver->abi, callee);
		while (arguments_next(&walk, &argument))
			;
		int64_t result = arguments_flat_result(&walk),
			end = result < 0 ? walk.stack
					 : result + (int64_t)field_size(callee->return_type);

		raise_to(solver->go.passed_end, end);
	}
	return solver->go.passed_end;
}

/* True if an instruction takes the address of something in the function's frame. */
static bool takes_address(const struct solver *solver)
{
	const struct cfg *code = solver->code;
	const uint8_t sp = solver->arch->stack_pointer, fp = solver->arch->frame_pointer;

	for (size_t i = 0; i < code->insn_count; i++) {
		const struct operand *to = &code->insns[i].operands[0],
				     *from = &code->insns[i].operands[1];

		/* the prologue compares an address below the frame with the stack's limit */
		if (code->insns[i].operation == OP_LEA && from->base == sp && from->value >= 0 &&
		    to->reg != sp && to->reg != fp)
			return true;
	}
	return false;
}

bool go_may_have_unnamed(struct solver *solver)
{
	return solver->abi->goroutine_type && solver->options.infer &&
	       (takes_address(solver) || passed_end(solver) > WORD);
}

/* True if calls may pass arguments at this place. Each call may have an object of another type
 * there. */
static bool copies_is_passed(struct solver *solver, const struct state *state,
			     const struct value *place)
{
	const struct value *sp = &state->values[solver->arch->stack_pointer];

	return sp->kind != VALUE_FRAME || sp->frame != place->frame ||
	       place->offset < sp->offset + passed_end(solver);
}

void go_note_named(struct solver *solver, const struct state *state, const struct value *tracked,
		   const struct value *declared)
{
	if (!solver->abi->goroutine_type || tracked->kind != VALUE_FRAME || tracked->stride ||
	    declared->kind != VALUE_POINTER || copies_is_passed(solver, state, tracked))
		return;
	struct value object = value_displace(*tracked, -declared->offset);

	object_uses_note(solver, &object, declared->type);
}

/* Notes the types of objects on the stack that a copy reads or writes, if the object at its other
 * end is known. Does nothing if `insn` is not the first load of the copy. */
static void note_copy(struct solver *solver, const struct state *state, const struct insn *insn)
{
	const struct insn *insns = solver->code->insns;
	const struct code_copy *copy = copy_of(solver, insn);

	if (!copy || &insns[copy->load] != insn ||
	    !has_registers_of(solver->code, copy->load, copy->store,
			      &insns[copy->store].operands[0]))
		return;
	struct value ends[] = { solver_address(solver, state, &insn->operands[1]),
				solver_address(solver, state, &insns[copy->store].operands[0]) };

	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		const struct value *known = &ends[1 - i];
		const struct type *type =
			ends[i].kind == VALUE_FRAME && !copies_is_passed(solver, state, &ends[i])
				? copies_type_at(solver, state, insn, known, (int64_t)copy->span)
				: NULL;

		if (type)
			object_uses_note(solver, &ends[i], type);
	}
}

/* The words of a closure are stored within this many instructions. */
#define CLOSURE_REACH_MAX 32

/* True for a store of a register or number into the frame, without an index. */
static bool stores_to_frame(const struct insn *insn, uint8_t sp)
{
	const struct operand *to = &insn->operands[0];

	return insn->operation == OP_MOVE && insn->operand_count == 2 &&
	       to->kind == OPERAND_MEMORY && to->base == sp && to->index == REG_NONE;
}

/* Returns the size of the closure whose first word instruction `at` stores. The next stores to the
 * frame put the other words right after it. The closure ends at a store to another place, at a call
 * or jump, or where its address is taken. */
static int64_t closure_size(const struct solver *solver, size_t at)
{
	const struct cfg *code = solver->code;
	const uint8_t sp = solver->arch->stack_pointer;
	int64_t begin = code->insns[at].operands[0].value, end = begin + WORD;

	for (size_t i = at + 1; i < code->insn_count && i - at <= CLOSURE_REACH_MAX; i++) {
		const struct insn *insn = &code->insns[i];
		const struct operand *to = &insn->operands[0];

		/* the closure is complete when its address is taken */
		if (insn->operation == OP_CALL || insn->operation == OP_JUMP ||
		    (insn->operation == OP_LEA && insn->operands[1].base == sp &&
		     insn->operands[1].value == begin))
			break;
		if (!stores_to_frame(insn, sp))
			continue;
		int64_t next = (end + to->size - 1) & -(int64_t)to->size;

		if (to->value != next && to->value != ((end + WORD - 1) & -WORD))
			break;
		end = to->value + to->size;
	}
	return end - begin;
}

/* Notes a closure on the stack, which begins with the address of a function. */
static void copies_note_closure(struct solver *solver, const struct state *state,
				const struct insn *insn)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	const uint8_t sp = solver->arch->stack_pointer;

	if (!stores_to_frame(insn, sp) || to->size != WORD || !operand_is_general(from) ||
	    state->values[from->reg].kind != VALUE_ADDRESS || state->values[from->reg].stride)
		return;
	uint64_t address = (uint64_t)state->values[from->reg].offset;
	const struct symbol *symbol = elf_image_function_at(solver->image, address);
	struct value place = solver_address(solver, state, to);

	if (!symbol || symbol->address != address || place.kind != VALUE_FRAME ||
	    copies_is_passed(solver, state, &place))
		return;
	const struct type *closure = solver_type_named(solver, GO_CLOSURE);

	if (closure)
		object_uses_note_sized(
			solver, &place, closure,
			(uint64_t)closure_size(solver, (size_t)(insn - solver->code->insns)));
}

void go_gather(struct solver *solver, const struct state *state, const struct insn *insn)
{
	if (!solver->abi->goroutine_type || insn->operation != OP_MOVE || !solver->options.infer)
		return;
	note_copy(solver, state, insn);
	copies_note_closure(solver, state, insn);
}

/* ---- constants in Rust */

/* The use of a constant is looked for in this many instructions after its load, and the reverse. */
#define REACH_MAX 6

/* True if the instruction moves 16 bytes between operand `memory` and the vector register. */
static bool moves_vector(const struct insn *insn, size_t memory, uint8_t reg)
{
	const struct operand *operand = &insn->operands[memory];

	return insn->operation == OP_MOVE && operand->kind == OPERAND_MEMORY &&
	       operand->size == VECTOR && operand->segment == SEGMENT_NONE &&
	       operand_is_reg(&insn->operands[1 - memory], reg);
}

/* Returns the operand to which the register is stored after instruction `at`, if its address can
 * already be computed there; NULL: not known. */
static const struct operand *copies_stored_to(const struct cfg *code, size_t at, uint8_t reg)
{
	uint64_t written = 0;

	for (size_t i = at + 1; i < code->insn_count && i <= at + REACH_MAX; i++) {
		const struct insn *insn = &code->insns[i];

		if (moves_vector(insn, 0, reg))
			return operand_registers(&insn->operands[0]) & written ? NULL
									       : &insn->operands[0];
		written |= insn->written;
		if (insn->operation == OP_CALL || insn->operation == OP_JUMP ||
		    (reg_is_vector(reg) && operand_is_reg(&insn->operands[0], reg)))
			return NULL;
	}
	return NULL;
}

/* Returns the operand from which the register was loaded before instruction `at`, if its address
 * can still be computed there; NULL: not known. */
static const struct operand *copies_loaded_from(const struct cfg *code, size_t at, uint8_t reg)
{
	uint64_t written = 0;

	for (size_t i = at; i-- > 0 && at - i <= REACH_MAX;) {
		const struct insn *insn = &code->insns[i];

		if (insn->operation == OP_CALL || insn->operation == OP_JUMP)
			return NULL;
		written |= insn->written;
		if (moves_vector(insn, 1, reg))
			return operand_registers(&insn->operands[1]) & written ? NULL
									       : &insn->operands[1];
		if (operand_is_reg(&insn->operands[0], reg))
			return NULL;
	}
	return NULL;
}

bool constant_object(struct solver *solver, const struct state *state, const struct insn *insn,
		     struct field_ref *field)
{
	const struct cfg *code = solver->code;
	const struct operand *reg = &insn->operands[0];
	size_t at = (size_t)(insn - code->insns);
	const struct type *type;
	int64_t offset;

	if (!language_has(solver->function, FACT_CONSTANT_OBJECTS) || !solver->options.infer ||
	    insn->operand_count != 2 || !operand_is_vector(reg) ||
	    insn->operands[1].kind != OPERAND_MEMORY || insn->operands[1].size != VECTOR)
		return false;
	const struct type *compared =
		insn->operation == OP_MOVE ? NULL : rust_compared(solver, insn->address, VECTOR);

	if (compared) {
		*field = (struct field_ref){ type_canonical(compared), 0 };
		return true;
	}
	const struct operand *other = insn->operation == OP_MOVE
					      ? copies_stored_to(code, at, reg->reg)
					      : copies_loaded_from(code, at, reg->reg);

	if (!other)
		return false;
	struct value address = solver_address(solver, state, other);

	if (!find_object(solver, state, insn, &address, &type, &offset))
		return false;
	const struct type *bare = type_strip(type),
			  *part = bare->kind == TYPE_INTEGER && type_size_or(bare, 0) == 1
					  ? type
					  : part_of_size(type, offset, VECTOR);

	if (!part)
		return false;
	*field = (struct field_ref){ type_canonical(part), 0 };
	return true;
}
