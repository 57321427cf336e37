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
#include "annotate/objects/copies.h"

#include "annotate/code/code.h"
#include "annotate/facts/arguments.h"
#include "annotate/facts/scope_types.h"
#include "annotate/language/go.h"
#include "annotate/language/rust.h"
#include "annotate/objects/objects.h"
#include "disasm/cfg.h"

/* ---- copies of objects in Go */

/* The number of bytes that one pair of moves copies: a vector, or a WORD for the rest. */
#define VECTOR 16
/* The most pairs in a row. Larger objects are copied by a loop or a call. */
#define PAIRS_MAX 32

/* The memory operands of a load, and of the store of the loaded register that follows it. */
struct copy_pair {
	const struct operand *from, *to;
};

/* True for a plain move of a vector or word between a register and operand number `memory`. */
static bool is_copy_move(const struct insn *insn, size_t memory)
{
	const struct operand *operand = &insn->operands[memory], *reg = &insn->operands[1 - memory];

	return insn->operation == OP_MOVE && insn->operand_count == 2 &&
	       operand->kind == OPERAND_MEMORY && operand->segment == SEGMENT_NONE &&
	       reg->kind == OPERAND_REGISTER && reg->reg != operand->base &&
	       (operand->size == VECTOR ? reg_is_vector(reg->reg)
					: operand->size == WORD && reg_is_general(reg->reg));
}

/* Finds the pair whose load is instruction `load`. False: it does not begin a pair. */
static bool pair_at(const struct cfg *code, int64_t load, struct copy_pair *pair)
{
	if (load < 0 || load + 1 >= (int64_t)code->insn_count)
		return false;
	const struct insn *first = &code->insns[load], *second = first + 1;

	if (!is_copy_move(first, 1) || !is_copy_move(second, 0) ||
	    first->operands[1].size != second->operands[0].size ||
	    first->operands[0].reg != second->operands[1].reg ||
	    first->address + first->length != second->address)
		return false;
	*pair = (struct copy_pair){ &first->operands[1], &second->operands[0] };
	return true;
}

static bool has_same_registers(const struct operand *a, const struct operand *b)
{
	return a->base == b->base && a->index == b->index && a->scale == b->scale &&
	       a->pc_relative == b->pc_relative;
}

/* True if the second pair continues the copy of the first one. Its first bytes may be the last ones
 * of the first pair: that is how the rest of an object is copied. */
static bool continues(const struct copy_pair *first, const struct copy_pair *second)
{
	int64_t step = second->from->value - first->from->value;

	return has_same_registers(first->from, second->from) &&
	       has_same_registers(first->to, second->to) && !first->from->pc_relative && step > 0 &&
	       step <= first->from->size && second->to->value - first->to->value == step;
}

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
			*offset = (address->offset % size + size) % size;
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

static uint64_t copies_address_registers(const struct operand *operand)
{
	return (reg_is_general(operand->base) ? REG_BIT(operand->base) : 0) |
	       (reg_is_general(operand->index) ? REG_BIT(operand->index) : 0);
}

/* A copy of an object: its first and last pair of moves. */
struct copy_run {
	struct copy_pair first, last;
	int64_t begin; /* the load of the first pair */
};

/* Finds the copy that the instruction is a part of. *load becomes the load of the instruction's own
 * pair. False: the instruction copies nothing, or the copy begins and ends with a word: words are
 * moved as scalars. */
static bool run_at(const struct cfg *code, int64_t at, struct copy_run *run, int64_t *load)
{
	struct copy_pair own, next;

	*load = at;
	if (!pair_at(code, *load, &own) && !pair_at(code, --*load, &own))
		return false;
	*run = (struct copy_run){ own, own, *load };
	for (int64_t i = *load - 2, n = 0;
	     n < PAIRS_MAX && pair_at(code, i, &next) && continues(&next, &run->first);
	     i -= 2, n++) {
		run->first = next;
		run->begin = i;
	}
	for (int64_t i = *load + 2, n = 0;
	     n < PAIRS_MAX && pair_at(code, i, &next) && continues(&run->last, &next); i += 2, n++)
		run->last = next;
	return run->first.from->size != WORD || run->last.from->size != WORD;
}

static int64_t run_size(const struct copy_run *run)
{
	return run->last.from->value - run->first.from->value + run->last.from->size;
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
	const struct cfg *code = solver->code;
	int64_t at = insn - code->insns, load;
	struct copy_run run;

	if (!solver->abi->goroutine_type || !solver->options.infer ||
	    !run_at(code, at, &run, &load))
		return false;
	const struct operand *from = load == at ? &insn->operands[1] : &insn[-1].operands[1],
			     *to = load == at ? &insn[1].operands[0] : &insn->operands[0];
	int64_t within = from->value - run.first.from->value;
	struct value address = solver_address(solver, state, load == at ? to : from);

	address = value_displace(address, -within);
	const struct type *type = copies_type_at(solver, state, insn, &address, run_size(&run));

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

		if (end > solver->go.passed_end)
			solver->go.passed_end = end;
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
	int64_t at = insn - solver->code->insns, load;
	struct copy_run run;

	if (!is_copy_move(insn, 1) || !run_at(solver->code, at, &run, &load) || run.begin != at)
		return;
	struct value ends[] = { solver_address(solver, state, run.first.from),
				solver_address(solver, state, run.first.to) };

	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		const struct value *known = &ends[1 - i];
		const struct type *type =
			ends[i].kind == VALUE_FRAME && !copies_is_passed(solver, state, &ends[i])
				? copies_type_at(solver, state, insn, known, run_size(&run))
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
	return is_copy_move(insn, memory) && insn->operands[memory].size == VECTOR &&
	       insn->operands[1 - memory].reg == reg;
}

/* Returns the operand to which the register is stored after instruction `at`, if its address can
 * already be computed there; NULL: not known. */
static const struct operand *copies_stored_to(const struct cfg *code, size_t at, uint8_t reg)
{
	uint64_t written = 0;

	for (size_t i = at + 1; i < code->insn_count && i <= at + REACH_MAX; i++) {
		const struct insn *insn = &code->insns[i];

		if (moves_vector(insn, 0, reg))
			return copies_address_registers(&insn->operands[0]) & written
				       ? NULL
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
			return copies_address_registers(&insn->operands[1]) & written
				       ? NULL
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
	    insn->operand_count != 2 || reg->kind != OPERAND_REGISTER || !reg_is_vector(reg->reg) ||
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
