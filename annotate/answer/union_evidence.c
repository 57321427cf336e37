// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Evidence of a union's member: see answer.h.
 *
 * A loaded value is followed in registers, also into the blocks after its own, up to what it is
 * used as: a variable that begins there, an argument, the address of another access, a computation.
 * The state and the variable in its register tell the type of a value that is stored. Accesses
 * through the same register, before or after this one on the only way, are to the same member.
 *
 * The evidence of one access depends on the code and on the state before it alone, so it is the
 * same whatever else is asked for.
 */

#include "annotate/access.h"
#include "annotate/answer/answer.h"
#include "annotate/answer/union_arguments.h"
#include "annotate/answer/union_findings.h"
#include "annotate/code/code.h"
#include "annotate/facts/arguments.h"
#include "annotate/flow/flow.h"
#include "annotate/flow/solver.h"
#include "annotate/objects/objects.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "annotate/types/member.h"
#include "annotate/types/union_member.h"

/* True if the instruction's condition compares numbers with signs. */
static bool is_signed_condition(const struct cfg *code, uint32_t index)
{
	uint8_t condition =
		index < code->insn_count ? code->insns[index].condition : CONDITION_NONE;

	/* the lowest bit negates a condition */
	return condition != CONDITION_NONE &&
	       ((condition & ~1) == CONDITION_LESS || (condition & ~1) == CONDITION_LESS_EQUAL);
}

/* ---- uses of a loaded value */

/* At most this many instructions, and blocks, are looked at for one value. */
#define USE_INSNS_MAX  80
#define USE_BLOCKS_MAX 8

/* Registers that have the value, and those that have a sum of it and something else. */
struct held {
	uint64_t value, sum;
};

/* A load of what the value points to: what is loaded is followed, too. */
struct inner_load {
	uint32_t insn;
	uint8_t access;   /* of the evidence */
	uint64_t written; /* registers that were written since the first load */
};

struct use_walk {
	struct solver *solver;
	const struct state *state; /* before the load */
	uint32_t load;
	uint64_t size;    /* bytes of the value */
	uint64_t start;   /* the address after the load */
	uint64_t low;     /* facts of its register that begin before this address are over */
	uint64_t written; /* registers that were written since the load */
	unsigned int left;
	uint32_t blocks[USE_BLOCKS_MAX]; /* that were walked */
	struct held held[USE_BLOCKS_MAX];
	uint64_t changed[USE_BLOCKS_MAX]; /* `written` where they begin */
	/* the sides of tests of the object's tag that they are on, by the number of the side's
	 * first block from 1 on; 0: on none; and the side around each side */
	uint8_t sides[USE_BLOCKS_MAX], around[USE_BLOCKS_MAX + 1];
	uint8_t shown; /* the side on which the last use was found */
	unsigned int block_count;
	struct inner_load inner[UNION_ACCESSES_MAX];
	unsigned int inner_count;
	uint8_t scale; /* of the index to which the value is added; 0: not known */
	struct findings *findings;
};

/* True for a register that can hold a loaded value: compilers copy words through vector registers,
 * too. */
static bool can_hold(const struct operand *operand)
{
	return operand_is_general(operand) || operand_is_vector(operand);
}

static bool is_in(const struct operand *operand, uint64_t regs)
{
	return operand->kind == OPERAND_REGISTER && regs & REG_BIT(operand->reg) &&
	       !operand->high_byte;
}

/* Returns the type of a field; NULL: it is not known, or a union has several there. */
static const struct type *type_of_field(const struct field_ref *field, uint64_t size)
{
	return union_outermost(field->type, field->offset, 0).type
		       ? NULL
		       : field_scalar(field->type, field->offset, size);
}

/* Finds the field of a memory operand at an address. False: it is not known. */
static bool field_at(struct use_walk *walk, struct value address, const struct operand *operand,
		     struct field_ref *field)
{
	struct solver *solver = walk->solver;
	struct value variable;
	uint8_t how = HOW_NONE;

	if (solver_fixed_object(solver, &address, &variable))
		address = variable;
	if (address.kind == VALUE_FRAME && address.frame <= FRAME_LAST_OTHER) {
		const struct insn *insn = &solver->code->insns[walk->load];
		int64_t offset;
		const struct stack_fact *fact =
			solver_stack_object(solver, walk->state, insn->address, walk->start,
					    address.frame, address.offset, operand->size, &offset);

		if (!fact || fact->how != HOW_VARIABLE)
			return false;
		*field = (struct field_ref){ fact->type, offset };
		return true;
	}
	return address.kind == VALUE_POINTER &&
	       solver_field(solver, &address, operand->size, field, &how) == REASON_NONE;
}

/* True if the address registers of a memory operand still are what they were before the load. */
static bool keeps_address(const struct use_walk *walk, const struct operand *operand)
{
	return !(walk->written & operand_registers(operand));
}

/* Returns the memory from which a register was loaded in the block before an instruction, or NULL.
 */
static const struct operand *loaded_from(const struct cfg *code, size_t index, uint8_t reg)
{
	const struct insn *load = cfg_last_write(code, index, reg);

	return load && load->operation == OP_MOVE && load->operands[1].kind == OPERAND_MEMORY
		       ? &load->operands[1]
		       : NULL;
}

/* Finds the field of a memory operand of an instruction. Its address may have been loaded after the
 * load, as without optimization: the declared type of the pointer counts. False: it is not known.
 */
static bool field_in_memory(struct use_walk *walk, size_t index, const struct operand *operand,
			    struct field_ref *field)
{
	const struct operand *from = NULL;
	struct field_ref pointer;

	if (keeps_address(walk, operand))
		return field_at(walk, solver_address(walk->solver, walk->state, operand), operand,
				field);
	if (operand->index == REG_NONE && reg_is_general(operand->base))
		from = loaded_from(walk->solver->code, index, operand->base);
	if (!from || from->size != WORD || !keeps_address(walk, from) ||
	    !field_at(walk, solver_address(walk->solver, walk->state, from), from, &pointer))
		return false;
	const struct type *type = type_of_field(&pointer, WORD);
	const struct type *target = type ? field_pointee(type) : NULL;

	return target &&
	       field_at(walk, value_pointer(target, operand->value, HOW_TRACKED), operand, field);
}

/* Returns the declared type of that field; NULL: it is not known. */
static const struct type *type_in_memory(struct use_walk *walk, size_t index,
					 const struct operand *operand)
{
	struct field_ref field;

	return field_in_memory(walk, index, operand, &field) ? type_of_field(&field, operand->size)
							     : NULL;
}

/* True if the operand is in another union of the type from which the value is, at its place. */
static bool is_in_such_union(struct use_walk *walk, size_t index, const struct operand *operand)
{
	const struct union_place *place = walk->findings->place;
	struct union_place other;
	struct field_ref field;

	if (!place || !field_in_memory(walk, index, operand, &field))
		return false;
	other = union_outermost(field.type, field.offset, 0);
	return other.type && other.offset == place->offset &&
	       field_same_type(other.type, place->type);
}

/* Returns the declared type of what an instruction reads, also of what was loaded before in its
 * block; NULL: it is not known. */
static const struct type *type_of_operand(struct use_walk *walk, size_t index,
					  const struct operand *operand)
{
	const struct cfg *code = walk->solver->code;
	const struct insn *load = &code->insns[index];

	if (operand_is_general(operand)) {
		load = cfg_last_write(code, index, operand->reg);
		operand = loaded_from(code, index, operand->reg);
	}
	return operand && operand->kind == OPERAND_MEMORY
		       ? type_in_memory(walk, (size_t)(load - code->insns), operand)
		       : NULL;
}

/* The value is compared with, or stored to, another operand of an instruction. */
static void find_in_operand(struct use_walk *walk, uint32_t index, const struct operand *operand)
{
	const bool known = operand_is_general(operand) && !(walk->written & REG_BIT(operand->reg));
	const struct type *type = known ? NULL : type_of_operand(walk, index, operand);

	if (type) {
		findings_type(walk->findings, type, walk->size);
	} else if (known) {
		findings_from_state(walk->solver, &walk->state->values[operand->reg], walk->size,
				    walk->findings);
	} else if (operand_is_general(operand)) {
		const struct insn *lea = cfg_last_write(walk->solver->code, index, operand->reg);

		/* the address of a static object; it does not depend on the state */
		if (lea && lea->operation == OP_LEA && !operand_registers(&lea->operands[1])) {
			const struct value address =
				solver_address(walk->solver, walk->state, &lea->operands[1]);

			findings_from_state(walk->solver, &address, walk->size, walk->findings);
		}
	} else if (operand->kind == OPERAND_IMMEDIATE && operand->value) {
		walk->findings->computed = true;
	}
}

static void add_copied(void *data, const struct type *record, int64_t within)
{
	struct union_evidence *evidence = data;

	if (evidence->view_count < UNION_VIEWS_MAX)
		evidence->views[evidence->view_count++] = (struct field_ref){ record, within };
}

static void use_in_call(struct use_walk *walk, uint32_t index, struct held held)
{
	struct solver *solver = walk->solver;
	const struct call_cache *callee = solver_callee(solver, index);
	const struct operand *target = &solver->code->insns[index].operands[0];
	const struct union_call call = { .state = walk->state,
					 .insn = index,
					 .written = walk->written,
					 .value = held.value,
					 .sum = held.sum,
					 .size = walk->size };
	const struct prototype *prototype = callee->prototype;
	struct prototype storage;

	if (callee->by_state)
		prototype = prototype_of_type(
			operand_is_general(target) && !(walk->written & REG_BIT(target->reg))
				? walk->state->values[target->reg].type
				: type_of_operand(walk, index, target),
			&storage);
	union_arguments_find(solver, &call, prototype, walk->findings);
}

/* Adds an access to the memory that the value points to, alone or with an index. The loaded value
 * is followed later. */
static void add_dereference(struct use_walk *walk, uint32_t index, const struct operand *operand,
			    uint8_t scale)
{
	struct union_evidence *evidence = walk->findings->evidence;
	const struct insn *insn = &walk->solver->code->insns[index];
	const struct operand *first = &insn->operands[0];
	uint8_t access = evidence->access_count;

	if (!operand->size || access == UNION_ACCESSES_MAX)
		return;
	evidence->accesses[evidence->access_count++] = (struct union_dereference){
		.offset = operand->value,
		.size = operand->size,
		.scale = scale,
	};
	if (insn->operation == OP_MOVE && first != operand && operand_is_general(first)) {
		walk->inner[walk->inner_count++] =
			(struct inner_load){ index, access, walk->written };
		return;
	}
	/* a number of its own, so that the value's findings stay what they are */
	struct union_evidence moved = { .size = operand->size };
	struct findings findings = { .evidence = &moved }, *outer = walk->findings;

	walk->findings = &findings;
	if (insn->operation == OP_CALL || insn->operation == OP_JUMP)
		findings_class(&findings, VALUE_CLASS_CODE);
	else if (insn->flags & FLAG_FLOAT)
		findings_class(&findings, VALUE_CLASS_FLOAT);
	else if (insn->operation == OP_MOVE && first == operand)
		find_in_operand(walk, index, &insn->operands[1]);
	walk->findings = outer;
	findings_set_moved(&evidence->accesses[access], &findings);
}

/* True if a register has what no code has multiplied by the size of an element: a pointer, an
 * argument, or what was loaded. `written`: it may not be what it is in the state. */
static bool is_unscaled(const struct solver *solver, const struct state *state, size_t index,
			uint8_t reg, bool written)
{
	const struct insn *load = written ? cfg_last_write(solver->code, index, reg) : NULL;
	const struct value *value = &state->values[reg];

	if (written)
		return load &&
		       (load->operation == OP_MOVE || load->operation == OP_MOVE_SIGN ||
			load->operation == OP_MOVE_ZERO) &&
		       load->operands[1].kind == OPERAND_MEMORY;
	switch ((enum value_kind)value->kind) {
	case VALUE_POINTER:
	case VALUE_ADDRESS:
	case VALUE_FRAME: return true;
	case VALUE_NUMBER: return value->stride == 1;
	case VALUE_UNKNOWN: return value->origin && value->type;
	case VALUE_BOTTOM: return false;
	}
	return false;
}

/* True if an operand adds such a register to the value. With a constant besides, a pointer to a
 * record may have been cast, to go to the bytes behind the record. */
static bool adds_unscaled(const struct use_walk *walk, uint32_t index,
			  const struct operand *operand, uint64_t held)
{
	if (operand->base == REG_NONE || operand->index == REG_NONE || operand->scale > 1 ||
	    operand->value > 0)
		return false;
	const uint8_t other = held & REG_BIT(operand->base) ? operand->index : operand->base;

	return held & operand_registers(operand) && reg_is_general(other) &&
	       is_unscaled(walk->solver, walk->state, index, other, walk->written & REG_BIT(other));
}

/* Notes uses of the value, and of sums, as addresses. */
static void use_as_address(struct use_walk *walk, uint32_t index, struct held held)
{
	const struct insn *insn = &walk->solver->code->insns[index];

	array_each (const struct operand, operand, insn->operands, insn->operand_count) {
		uint64_t base = REG_BIT(operand->base);

		if (operand->kind != OPERAND_MEMORY)
			continue;
		walk->findings->evidence->unscaled |=
			adds_unscaled(walk, index, operand, held.value);
		if (operand->scale > 1 && held.value & REG_BIT(operand->index)) {
			findings_class(walk->findings, VALUE_CLASS_NUMBER);
		} else if (!operand->read && !operand->write) {
			continue;
		} else if (held.sum & base && operand->index == REG_NONE) {
			walk->findings->moved = true;
			if (walk->scale)
				add_dereference(walk, index, operand, walk->scale);
		} else if (held.value & base) {
			/* of two registers that are added, either may have the pointer */
			if (operand->index == REG_NONE || operand->scale > 1)
				findings_class(walk->findings, VALUE_CLASS_POINTER);
			add_dereference(walk, index, operand,
					operand->index != REG_NONE ? operand->scale : 0);
		}
	}
}

/* Notes uses of a sum in which its type shows. */
static void use_of_sum(struct use_walk *walk, const struct insn *insn, uint64_t sums)
{
	const struct solver *solver = walk->solver;
	const struct type *type = NULL;

	if (insn->operation == OP_MOVE && is_in(&insn->operands[1], sums) &&
	    insn->operands[0].kind == OPERAND_MEMORY)
		type = type_in_memory(walk, (size_t)(insn - solver->code->insns),
				      &insn->operands[0]);
	else if (insn->operation == OP_RETURN && sums & REG_BIT(solver->abi->call->results[0]))
		type = arguments_general_result(solver->abi, solver->function->prototype);
	if (type)
		findings_sum_type(walk->findings, type);
}

/* The lowest bits of a pointer to an aligned object, in which a tag may be. */
#define TAG_BITS 7

/* True for an operation on bits that may be a pointer's tag: it tests or takes such bits, or clears
 * the lowest byte. A mask that cuts a tag off is no evidence: such a word is often declared as a
 * number. */
static bool is_of_tag(const struct use_walk *walk, const struct insn *insn)
{
	const struct operand *first = &insn->operands[0], *second = &insn->operands[1];

	if (walk->size != WORD)
		return false;
	if (insn->operation == OP_XOR)
		return first->size == 1 && operand_is_reg(second, first->reg);
	return (insn->operation == OP_TEST || insn->operation == OP_AND) &&
	       second->kind == OPERAND_IMMEDIATE && second->value > 0 && second->value <= TAG_BITS;
}

/* True if an operand is known to be a pointer that is no member of a union. */
static bool has_pointer(struct use_walk *walk, uint32_t index, const struct operand *operand)
{
	const bool known = operand_is_general(operand) && !(walk->written & REG_BIT(operand->reg));
	const struct value *value = known ? &walk->state->values[operand->reg] : NULL;
	const struct type *type = known ? value->type : type_of_operand(walk, index, operand);

	return known && (value->kind == VALUE_POINTER || value->kind == VALUE_ADDRESS ||
			 value->kind == VALUE_FRAME)
		       ? !findings_is_of_union(walk->solver, value)
		       : type && type_is_pointer(type_strip(type));
}

/* The value is in a subtraction. From a pointer, only another one is subtracted (C11 6.5.6p3). */
static void use_in_difference(struct use_walk *walk, uint32_t index, bool minuend)
{
	const struct operand *subtracted = &walk->solver->code->insns[index].operands[1];

	if (minuend && has_pointer(walk, index, subtracted)) {
		findings_class(walk->findings, VALUE_CLASS_POINTER);
		walk->findings->evidence->is_memory = true;
	} else {
		walk->findings->computed |= subtracted->kind != OPERAND_IMMEDIATE;
	}
}

static void use_in_operation(struct use_walk *walk, uint32_t index, uint64_t regs)
{
	const struct insn *insn = &walk->solver->code->insns[index];
	const struct operand *first = &insn->operands[0], *second = &insn->operands[1];

	switch (insn->operation) {
	case OP_MOVE:
		if (is_in(second, regs) && first->kind == OPERAND_MEMORY) {
			find_in_operand(walk, index, first);
			if (is_in_such_union(walk, index, first)) {
				walk->findings->copied = true;
				walk->findings->evidence->copy = (struct union_sibling){
					.size = first->size, .insn = index, .written = walk->written
				};
			}
		}
		return;
	case OP_COMPARE:
		if (is_in(first, regs))
			find_in_operand(walk, index, second);
		else if (is_in(second, regs))
			find_in_operand(walk, index, first);
		return;
	case OP_ADD:
		/* the sum stays in memory, as without optimization */
		if (is_in(second, regs) && first->kind == OPERAND_MEMORY) {
			const struct type *type = type_in_memory(walk, index, first);

			walk->findings->summed = true;
			if (type)
				findings_sum_type(walk->findings, type);
		}
		return;
	case OP_SUB: use_in_difference(walk, index, is_in(first, regs)); return;
	case OP_CALL:
	case OP_JUMP:
		if (is_in(first, regs))
			findings_class(walk->findings, VALUE_CLASS_CODE);
		return;
	case OP_AND ... OP_BINARY_LAST:
	case OP_ADD_CARRY:
	case OP_SUB_BORROW:
	case OP_MULTIPLY:
	case OP_NEGATE:
	case OP_COMPLEMENT:
	case OP_MOVE_SIGN:
	case OP_OTHER:
		walk->findings->computed |=
			is_in(first, regs) || (insn->operand_count > 1 && is_in(second, regs));
		walk->findings->tagged |= is_in(first, regs) && is_of_tag(walk, insn);
		return;
	case OP_TEST:
		walk->findings->computed |=
			is_in(first, regs) &&
			(second->kind == OPERAND_IMMEDIATE || insn->flags & FLAG_BIT_NUMBER);
		walk->findings->tagged |= is_in(first, regs) && is_of_tag(walk, insn);
		return;
	case OP_RETURN: {
		const struct solver *solver = walk->solver;
		const struct type *type =
			regs & REG_BIT(solver->abi->call->results[0])
				? arguments_general_result(solver->abi, solver->function->prototype)
				: NULL;

		if (type)
			findings_type(walk->findings, type, walk->size);
		return;
	}
	default: return;
	}
}

/* Returns the register in which an instruction leaves a sum of the value, as a REG_BIT; 0: it is no
 * such instruction. */
static uint64_t sum_of(const struct insn *insn, struct held held)
{
	const struct operand *first = &insn->operands[0], *second = &insn->operands[1];
	uint64_t any = held.value | held.sum;

	if (insn->operand_count < 2 || !operand_is_general(first))
		return 0;
	if (insn->operation == OP_LEA)
		return any & REG_BIT(second->base) ||
				       (second->scale == 1 && any & REG_BIT(second->index))
			       ? REG_BIT(first->reg)
			       : 0;
	if (insn->operation == OP_MOVE && is_in(second, held.sum))
		return REG_BIT(first->reg);
	return (insn->operation == OP_ADD && (is_in(first, any) || is_in(second, any))) ||
			       (insn->operation == OP_SUB && is_in(first, any))
		       ? REG_BIT(first->reg)
		       : 0;
}

/* True if the value of a register in a state was loaded from a place that has only pointers. */
static bool is_of_pointers(const struct solver *solver, const struct value *value)
{
	const struct origin *origin = value->origin ? &solver->origins.items[value->origin] : NULL;

	if (!origin)
		return false;
	if (origin->object)
		return union_has_only_pointers(
			&(struct field_ref){ origin->object, origin->offset });
	return origin->holder && union_has_only_pointers(&(struct field_ref){
					 origin->holder, origin->holder_offset });
}

/* Returns the register that an instruction adds to the value's; REG_NONE: there is none. */
static uint8_t other_addend(const struct insn *insn, uint64_t any)
{
	const struct operand *first = &insn->operands[0], *second = &insn->operands[1];
	uint8_t base = first->reg, index = second->reg;

	if (insn->operation == OP_LEA) {
		base = second->base;
		index = second->scale == 1 ? second->index : REG_NONE;
	} else if (insn->operation != OP_ADD || !operand_is_general(second)) {
		return REG_NONE;
	}
	return base == REG_NONE || index == REG_NONE ? REG_NONE
	       : any & REG_BIT(base)                 ? index
						     : base;
}

/* True if the register that an instruction adds to the value has a pointer of a union, so that the
 * value is a number. */
static bool adds_to_pointer(struct use_walk *walk, const struct insn *insn, struct held held)
{
	const struct cfg *code = walk->solver->code;
	const uint8_t reg = other_addend(insn, held.value | held.sum);
	const struct operand *from;
	struct field_ref field;

	if (reg == REG_NONE || (held.value | held.sum) & REG_BIT(reg))
		return false;
	if (!(walk->written & REG_BIT(reg)))
		return is_of_pointers(walk->solver, &walk->state->values[reg]);
	const size_t index = (size_t)(insn - code->insns);

	from = loaded_from(code, index, reg);
	return from && field_in_memory(walk, index, from, &field) &&
	       union_has_only_pointers(&field);
}

/* Returns the registers that have the value after an instruction. */
static struct held held_after(struct use_walk *walk, const struct insn *insn, struct held held)
{
	uint64_t written = schedule_written(walk->solver->abi->call, insn);
	uint64_t copies = 0, sum = sum_of(insn, held);
	const struct operand *first = &insn->operands[0], *second = &insn->operands[1];
	const bool memory = sum && insn->operation == OP_ADD && second->kind == OPERAND_MEMORY;
	const size_t index = (size_t)(insn - walk->solver->code->insns);
	struct field_ref other = { 0 };
	const bool known = memory && field_in_memory(walk, index, second, &other);

	if (insn->operation == OP_MOVE && insn->operand_count == 2 && can_hold(first) &&
	    is_in(second, held.value) && second->size == walk->size)
		copies = REG_BIT(first->reg);
	if (sum && (known ? union_has_only_pointers(&other) : adds_to_pointer(walk, insn, held))) {
		walk->findings->computed = true;
		sum = 0;
	} else if (memory && (!known || !type_of_field(&other, WORD))) {
		sum = 0; /* either addend may be the pointer */
	}
	const uint8_t added = sum ? other_addend(insn, held.value) : REG_NONE;

	walk->findings->evidence->unscaled |= (memory && held.value & REG_BIT(first->reg)) ||
					      (added != REG_NONE && reg_is_general(added) &&
					       !(insn->operation == OP_LEA && second->value > 0) &&
					       is_unscaled(walk->solver, walk->state, index, added,
							   walk->written & REG_BIT(added)));
	/* a constant may be added to a pointer as well: it is a member's address */
	walk->findings->summed |= sum && insn->operation != OP_MOVE &&
				  (insn->operation == OP_LEA ? second->index != REG_NONE
							     : second->kind != OPERAND_IMMEDIATE);
	return (struct held){ (held.value & ~written) | copies, (held.sum & ~written) | sum };
}

/* Adds the variables that are in registers with the value or a sum before an instruction. */
static void use_in_variables(struct use_walk *walk, uint64_t address, struct held held)
{
	const struct register_fact *fact;

	bits_each (reg, held.value)
		findings_from_facts(walk->solver, (uint8_t)reg, address, walk->low, walk->size,
				    walk->findings);
	bits_each (reg, held.sum) {
		fact = facts_register(&walk->solver->facts, (uint8_t)reg, address);
		walk->findings->moved |= fact && fact->low >= walk->start &&
					 fact->value.kind == VALUE_POINTER && !fact->weak;
	}
}

/* Follows the value through [index, end). Returns the registers that have it at the end. */
static struct held walk_insns(struct use_walk *walk, uint32_t index, uint32_t end, struct held held)
{
	for (; index < end && held.value | held.sum && walk->left; index++, walk->left--) {
		const struct insn *insn = &walk->solver->code->insns[index];

		use_in_variables(walk, insn->address, held);
		if (insn->operation == OP_CALL ||
		    (insn->operation == OP_JUMP &&
		     !cfg_covers(walk->solver->code, (uint64_t)insn->operands[0].value)))
			use_in_call(walk, index, held);
		if (insn->read & (held.value | held.sum) || insn->operation == OP_RETURN) {
			use_as_address(walk, index, held);
			use_in_operation(walk, index,
					 insn->operation == OP_MOVE ? held.value
								    : held.value & GENERAL_MASK);
			use_of_sum(walk, insn, held.sum);
		}
		held = held_after(walk, insn, held);
		walk->written |= schedule_written(walk->solver->abi->call, insn);
	}
	return walk->left ? held : (struct held){ 0 };
}

static void add_successors(struct use_walk *walk, uint32_t block, uint8_t side, struct held held)
{
	const struct cfg *code = walk->solver->code;
	const bool tested =
		held.value | held.sum &&
		union_evidence_tests_tag(walk->solver, walk->load, walk->written, block);

	each_successor (next, code, &code->blocks[block]) {
		if (walk->block_count == USE_BLOCKS_MAX || !(held.value | held.sum) ||
		    any_of(k, 0, walk->block_count, walk->blocks[k] == next))
			continue;
		walk->blocks[walk->block_count] = next;
		walk->changed[walk->block_count] = walk->written;
		walk->held[walk->block_count++] = held;
		walk->sides[walk->block_count - 1] = tested ? (uint8_t)walk->block_count : side;
		if (tested)
			walk->around[walk->block_count] = side;
	}
}

/* Notes that the value is used, or has a type, on a side of a test of the tag. On another side, the
 * object has another member: one load serves both. */
static void note_side(struct use_walk *walk, uint8_t side, bool typed)
{
	uint8_t outer = side, inner = walk->shown;

	while (outer && outer != walk->shown)
		outer = walk->around[outer];
	while (inner && inner != side)
		inner = walk->around[inner];
	walk->findings->sided |= outer != walk->shown && inner != side;
	walk->findings->untyped |= side && !typed;
	walk->shown = side;
}

/* True if the value is the result of the innermost inlined function around the load, a pointer
 * whose type is then the one that counts: the value is first used in code that may have cast it. */
static bool is_inlined_result(const struct use_walk *walk, const struct insn *load)
{
	const struct function *function = walk->solver->function;
	const struct cfg *code = walk->solver->code;
	const struct basic_block *block = &code->blocks[cfg_block_of(code, walk->load)];
	const struct insn *end = &code->insns[block->first + block->count], *use = load + 1;
	const struct scope *innermost = NULL;

	inlined_each (scope, function, load->address)
		innermost = innermost ? innermost : scope;
	const struct prototype *prototype = innermost ? innermost->prototype : NULL;

	if (!prototype || !prototype->return_type || walk->size != WORD ||
	    !type_is_pointer(type_strip(prototype->return_type)))
		return false;
	while (use < end && !((use->read | use->written) & REG_BIT(load->operands[0].reg)))
		use++;
	if (use == end || scope_is_inlined_at(innermost, use->address))
		return false;
	if (field_is_void_pointer(prototype->return_type))
		walk->findings->evidence->type = prototype->return_type;
	else
		findings_type(walk->findings, prototype->return_type, walk->size);
	return walk->findings->evidence->type;
}

/* Adds the type of the result that the value is first, or the variable to which the code gives it
 * first. */
static void find_receiver(struct use_walk *walk, const struct insn *load)
{
	walk->findings->received = is_inlined_result(walk, load);
	if (walk->findings->received)
		return;
	const struct variable *variable =
		facts_receiver(&walk->solver->facts, load->operands[0].reg, walk->start);

	if (!variable)
		return;
	findings_variable(walk->findings, variable, walk->size);
	walk->findings->received = walk->findings->evidence->type;
}

/* Finds what the value that an instruction loads into a register is used as. `written`: registers
 * that may not be what they are in the state. */
static void walk_uses(struct use_walk *walk, uint32_t load, uint64_t written)
{
	const struct cfg *code = walk->solver->code;
	const struct insn *insn = &code->insns[load];
	uint32_t block = cfg_block_of(code, load);
	bool adds = insn->operation == OP_ADD;
	uint64_t reg = REG_BIT(insn->operands[0].reg);
	struct held held = { .value = adds ? 0 : reg, .sum = adds ? reg : 0 };

	walk->load = load;
	walk->start = walk->low = insn->address + insn->length;
	if (!adds)
		find_receiver(walk, insn);
	walk->written = written | insn->written;
	walk->left = USE_INSNS_MAX;
	held = walk_insns(walk, load + 1, code->blocks[block].first + code->blocks[block].count,
			  held);
	struct union_evidence *evidence = walk->findings->evidence;

	walk->findings->own_accesses = evidence->access_count;
	walk->findings->own_type = evidence->type;
	add_successors(walk, block, 0, held);
	walk->low = 0;
	for (unsigned int i = 0; i < walk->block_count; i++) {
		const struct basic_block *next = &code->blocks[walk->blocks[i]];

		const unsigned int accesses = evidence->access_count;
		const unsigned int said = walk->findings->said;

		walk->written = walk->changed[i];
		held = walk_insns(walk, next->first, next->first + next->count, walk->held[i]);
		if (evidence->access_count != accesses || walk->findings->said != said)
			note_side(walk, walk->sides[i], walk->findings->said != said);
		add_successors(walk, walk->blocks[i], walk->sides[i], held);
	}
}

/* The same for the values that are loaded through that value. */
static void find_uses(struct solver *solver, const struct state *state, uint32_t load,
		      uint64_t size, uint64_t written, uint8_t scale, struct findings *findings)
{
	struct use_walk walk = {
		.solver = solver, .state = state, .size = size, .scale = scale, .findings = findings
	};

	walk_uses(&walk, load, written);
	for (unsigned int i = 0; i < walk.inner_count; i++) {
		struct union_dereference *access =
			&findings->evidence->accesses[walk.inner[i].access];
		struct union_evidence moved = { .size = access->size };
		struct findings inner_findings = { .evidence = &moved };
		struct use_walk inner = { .solver = solver,
					  .state = state,
					  .size = access->size,
					  .findings = &inner_findings };

		walk_uses(&inner, walk.inner[i].insn, walk.inner[i].written);
		findings_set_moved(access, &inner_findings);
	}
}

/* ---- the instruction of the access itself */

/* Notes that what is stored was loaded from another union of the type, before in the block. */
static void note_source(struct solver *solver, const struct state *state, uint32_t store,
			uint8_t reg, uint64_t written, struct findings *findings)
{
	const struct cfg *code = solver->code;
	const struct operand *from = loaded_from(code, store, reg);
	const uint32_t load =
		from ? (uint32_t)(cfg_last_write(code, store, reg) - code->insns) : store;
	struct use_walk walk = { .solver = solver,
				 .state = state,
				 .load = store,
				 .start = code->insns[store].address,
				 .written = written,
				 .findings = findings };

	for (uint32_t i = load; i < store; i++)
		walk.written |= schedule_written(solver->abi->call, &code->insns[i]);
	if (from && is_in_such_union(&walk, load, from))
		findings->evidence->copy = (struct union_sibling){
			.size = from->size, .insn = load, .operand = 1, .written = walk.written
		};
}

static void union_evidence_find_stored(struct solver *solver, const struct state *state,
				       uint32_t index, const struct operand *value,
				       uint64_t written, struct findings *findings)
{
	const struct insn *insn = &solver->code->insns[index];

	if (value->kind == OPERAND_IMMEDIATE) {
		if (value->size == WORD && solver->options.image_is_fixed &&
		    findings_is_code(solver, (uint64_t)value->value))
			findings_class(findings, VALUE_CLASS_CODE);
		else
			findings->computed |= value->value != 0;
	} else if (operand_is_general(value)) {
		findings_from_facts(solver, value->reg, insn->address, 0, value->size, findings);
		if (!findings->evidence->type && !(written & REG_BIT(value->reg)))
			findings_from_state(solver, &state->values[value->reg], value->size,
					    findings);
		if (!findings->evidence->type)
			note_source(solver, state, index, value->reg, written, findings);
	}
}

/* Adds what the code shows about a value that is added to a register. If the sum is a pointer, one
 * of the two is a pointer. */
static void find_addend(struct solver *solver, const struct state *state, uint32_t index,
			uint64_t written, struct findings *findings)
{
	const struct insn *insn = &solver->code->insns[index];
	uint8_t reg = insn->operands[0].reg;
	const struct value *other = written & REG_BIT(reg) ? NULL : &state->values[reg];
	bool number = other && other->kind == VALUE_NUMBER;
	bool pointer = other && (((other->kind == VALUE_POINTER || other->kind == VALUE_ADDRESS ||
				   other->kind == VALUE_FRAME) &&
				  !findings_is_of_union(solver, other)) ||
				 is_of_pointers(solver, other));

	if (!pointer)
		find_uses(solver, state, index, WORD, written,
			  number && other->stride <= UINT8_MAX ? (uint8_t)other->stride : 0,
			  findings);
	findings->computed |= pointer || !findings->moved;
	findings->moved &= number;
	findings->evidence->unscaled |=
		is_unscaled(solver, state, index, reg, written & REG_BIT(reg));
}

/* Adds what the variable shows that is said to be in the accessed memory: gcc describes a variable
 * with a member's value by the member's place until a register has it. */
static void find_in_place(struct solver *solver, const struct insn *insn,
			  const struct operand *operand, struct findings *findings)
{
	const uint64_t next = insn->address + insn->length;
	const bool moves = insn->written & REG_BIT(operand->base);
	const struct stack_fact *fact =
		!reg_is_general(operand->base) || operand->index != REG_NONE
			? NULL
			: facts_in_memory(&solver->facts, operand->base, operand->value,
					  operand->size, operand->read ? insn->address : next,
					  moves ? insn->address : next);

	if (!fact || fact->variable >= solver->function->variable_count || solver->facts.untracked)
		return;
	const struct variable *variable = &solver->function->variables[fact->variable];

	/* the place may have the variable's address */
	if (field_same_type(fact->type, variable->type))
		findings_variable(findings, variable, operand->size);
	else
		findings_type(findings, fact->type, operand->size);
}

/* True if a value is known to be a number. */
static bool union_evidence_is_number(const struct value *value)
{
	return value->kind == VALUE_NUMBER || (value->kind == VALUE_UNKNOWN && value->type &&
					       type_strip(value->type)->kind == TYPE_INTEGER);
}

/* Adds what an instruction with an access shows by itself. `written`: registers that may not be
 * what they are in the state. */
static void find_in_insn(struct solver *solver, const struct state *state, uint32_t index,
			 const struct operand *operand, uint64_t written, struct findings *findings)
{
	const struct insn *insn = &solver->code->insns[index];
	const struct operand *first = &insn->operands[0], *second = &insn->operands[1];
	bool into_register =
		insn->operand_count >= 2 && operand == second &&
		(operand_is_general(first) || (operand->size <= WORD && can_hold(first)));

	if (insn->flags & FLAG_FLOAT) {
		findings_class(findings, union_evidence_is_converted(solver, index)
						 ? VALUE_CLASS_NUMBER
						 : VALUE_CLASS_FLOAT);
		return;
	}
	find_in_place(solver, insn, operand, findings);
	switch (insn->operation) {
	case OP_MOVE:
	case OP_MOVE_ZERO:
	case OP_CONDITIONAL:
		if (into_register)
			find_uses(solver, state, index, operand->size, written, 0, findings);
		else if (operand == first)
			union_evidence_find_stored(solver, state, index, second, written, findings);
		return;
	case OP_MOVE_SIGN:
		findings_class(findings, VALUE_CLASS_NUMBER);
		findings->has_sign = true;
		if (into_register)
			find_uses(solver, state, index, operand->size, written, 0, findings);
		return;
	case OP_CALL:
	case OP_JUMP: findings_class(findings, VALUE_CLASS_CODE); return;
	case OP_COMPARE:
		union_evidence_find_stored(solver, state, index, operand == first ? second : first,
					   written, findings);
		findings->has_sign =
			operand->size >= 4 && is_signed_condition(solver->code, index + 1);
		return;
	case OP_TEST: findings->computed = second->kind == OPERAND_IMMEDIATE; return;
	case OP_ADD:
	case OP_SUB:
		if (second->kind == OPERAND_IMMEDIATE)
			findings->evidence->step = second->value;
		/* the difference of two pointers is a number, too */
		else if (into_register && insn->operation == OP_SUB && operand->size == WORD &&
			 (written & REG_BIT(first->reg) ||
			  !union_evidence_is_number(&state->values[first->reg])))
			return;
		else if (into_register && insn->operation == OP_ADD && operand->size == WORD)
			find_addend(solver, state, index, written, findings);
		else
			findings->computed = true;
		return;
	case OP_AND ... OP_BINARY_LAST:
	case OP_ADD_CARRY:
	case OP_SUB_BORROW:
	case OP_MULTIPLY:
	case OP_NEGATE:
	case OP_COMPLEMENT:
	case OP_EXCHANGE_ADD:
	case OP_OTHER: findings->computed = true; return;
	default: return;
	}
}

void union_evidence_value(struct solver *solver, const struct state *state, uint32_t insn,
			  const struct operand *operand, uint64_t written,
			  struct union_evidence *evidence)
{
	struct findings findings = { .evidence = evidence };

	find_in_insn(solver, state, insn, operand, written, &findings);
	findings_conclude(&findings);
}

/* Adds the evidence of one kind. */
static void gather(struct solver *solver, const struct state *state, uint32_t insn,
		   const struct operand *operand, const struct union_place *place,
		   enum union_stage stage, struct union_evidence *evidence)
{
	struct findings findings = { .evidence = evidence, .place = place };

	switch (stage) {
	case UNION_BY_VALUE:
		find_in_insn(solver, state, insn, operand, 0, &findings);
		findings_conclude(&findings);
		return;
	case UNION_BY_OTHERS: union_evidence_siblings(solver, insn, operand, evidence); return;
	case UNION_BY_CODE: union_evidence_functions(solver, insn, evidence); return;
	case UNION_BY_PLACE:
	case UNION_BY_HINTS:
	case UNION_STAGES: return;
	}
}

/* Adds what the address shows: an index that no array around the union has, or an offset after the
 * end of the object as it is declared. */
static void find_in_address(struct solver *solver, const struct state *state,
			    const struct operand *operand, const struct access *access,
			    const struct union_place *place, struct union_evidence *evidence)
{
	const struct type *type = access->overlay.type ? access->overlay.type : access->type;
	bool open = member_has_flexible_end(type);
	uint64_t size = field_size(type);

	if (access->indexed) {
		/* C11 6.7.2.1: a type with a flexible array is no element of an array */
		bool around = (place->element && access->stride % place->element == 0) ||
			      (!open && size && access->stride % size == 0);

		const struct value *base =
			reg_is_general(operand->base) ? &state->values[operand->base] : NULL;
		struct value address = solver_address(solver, state, operand);

		evidence->stride = around ? 0 : access->stride;
		evidence->scale = operand->index != REG_NONE ? operand->scale : 0;
		evidence->from_start = operand->index != REG_NONE && base &&
				       base->kind == VALUE_POINTER && !base->stride &&
				       address.kind == VALUE_POINTER && base->type == address.type;
		if (evidence->from_start)
			evidence->counted = address.offset - base->offset - operand->value;
	} else if (open && !access->overlay.type) {
		struct value address = solver_address(solver, state, operand);

		evidence->beyond = address.kind == VALUE_POINTER &&
				   field_same_type(address.type, type) &&
				   address.offset >= (int64_t)size;
	}
}

/* ---- records that are copied */

/* Adds the records whose bytes a vector register has that the instruction stores: they are copied
 * to a member of their type. The load is looked for in the block. */
static void find_copied(struct solver *solver, const struct state *state, uint32_t index,
			const struct operand *operand, struct union_evidence *evidence)
{
	const struct cfg *code = solver->code;
	const struct insn *store = &code->insns[index];
	const struct operand *from = &store->operands[1];
	struct use_walk walk = { .solver = solver, .state = state, .start = store->address };
	struct field_ref field;

	if (store->operation != OP_MOVE || operand != &store->operands[0] ||
	    operand->size <= WORD || !operand_is_vector(from))
		return;
	for (uint32_t i = index, first = code->blocks[cfg_block_of(code, index)].first;
	     i-- > first && !(walk.written & REG_BIT(from->reg));) {
		const struct insn *load = &code->insns[i];
		const struct operand *source = &load->operands[1];

		walk.load = i;
		walk.written |= load->written;
		if (load->operation == OP_MOVE && operand_is_reg(&load->operands[0], from->reg) &&
		    source->kind == OPERAND_MEMORY && source->size == operand->size &&
		    field_in_memory(&walk, i, source, &field))
			field_each_record(field.type, field.offset, add_copied, evidence);
	}
}

/* Leaves the candidates in members of the union that have one for what another access to the object
 * moves, if any does; of an access to the same bytes, these candidates themselves. */
static void narrow_by_sibling(struct solver *solver, const struct state *state,
			      struct union_search *search, const struct union_sibling *sibling)
{
	struct union_place place = *search->place;
	struct union_evidence evidence = { .size = sibling->size };
	struct findings findings = { .evidence = &evidence };
	struct union_search other;
	uint64_t left;

	place.offset += sibling->offset;
	place.bits = 0;
	if (place.offset < 0 || place.offset >= (int64_t)field_size(place.type) ||
	    (sibling->several && union_has_several(&place, sibling->size)))
		return;
	find_in_insn(solver, state, sibling->insn,
		     &solver->code->insns[sibling->insn].operands[sibling->operand],
		     sibling->written, &findings);
	/* either addend may be the pointer */
	if (findings.moved)
		findings.moved = findings.summed = false;
	findings_conclude(&findings);
	union_search_begin(&other, &place, &evidence);
	/* which bits it is to is not known */
	for (unsigned int i = 0; i < other.count && i < UNION_CANDIDATES_MAX; i++)
		if (other.items[i].named && other.items[i].named->bit_size)
			return;
	union_search_narrow(&other, UNION_BY_PLACE);
	union_search_narrow(&other, UNION_BY_VALUE);
	left = search->left & other.left;
	if (sibling->offset || sibling->size != search->evidence->size) {
		struct union_ranges own, others;

		union_ranges_find(search->place, &own);
		union_ranges_find(&place, &others);
		left = union_keep(&own, search->left, union_members(&others, other.left));
	}
	if (left)
		search->left = left;
}

/* The same for all of them that the code surely makes, and those that it makes after a load on a
 * way that no test of the tag decides. A store after the access may be to another member, and
 * members that share a name and a place need not be told apart. */
static void narrow_by_siblings(struct solver *solver, const struct state *state, uint32_t insn,
			       const struct union_evidence *evidence, struct union_search *search)
{
	const struct cfg *code = solver->code;
	const struct insn *access = &code->insns[insn];
	bool constant =
		access->operation == OP_MOVE && access->operands[1].kind == OPERAND_IMMEDIATE;
	const bool loads = insn_memory(access, false) != NULL;
	const char *outer;

	if (union_common_name(search->place, search->left, &outer))
		return;
	for (size_t i = 0; i < evidence->sibling_count && has_several_bits(search->left); i++) {
		const struct union_sibling *sibling = &evidence->siblings[i];

		/* a constant may make the object another one: a value before it is gone */
		if (constant && !sibling->after && !sibling->offset)
			continue;
		if (!sibling->after ||
		    (!code->insns[sibling->insn].operands[sibling->operand].write &&
		     (cfg_block_of(code, sibling->insn) == cfg_block_of(code, insn) ||
		      (loads && !sibling->tested))))
			narrow_by_sibling(solver, state, search, sibling);
	}
}

/* The same by the candidates of the place that the value is copied from or to: a copy has the same
 * member in both places. */
static void narrow_by_copy(struct solver *solver, const struct state *state,
			   const struct union_sibling *copy, struct union_search *search)
{
	struct union_evidence other = { .size = copy->size };

	if (!copy->size)
		return;
	union_evidence_siblings(solver, copy->insn,
				&solver->code->insns[copy->insn].operands[copy->operand], &other);
	for (size_t i = 0; i < other.sibling_count; i++)
		other.siblings[i].written |= copy->written;
	narrow_by_siblings(solver, state, copy->insn, &other, search);
}

void union_evidence_judge(struct solver *solver, const struct state *state, uint32_t insn,
			  bool store, struct access *access, uint64_t *also)
{
	const struct insn *at = &solver->code->insns[insn];
	const struct operand *operand = insn_memory(at, store);
	struct union_search search;
	struct union_place place;

	if (access->kind != ACCESS_TYPE || !operand || !solver->function)
		return;
	place = access->overlay.type ? union_outermost(access->overlay.type, access->overlay.offset,
						       access->bits)
				     : union_outermost(access->type, access->offset, access->bits);
	if (!place.type)
		return;
	struct union_evidence evidence = { .size = access->size };

	const bool constant = at->operands[1].kind == OPERAND_IMMEDIATE;

	evidence.lanes = insn_moves_vector(at, operand);
	if (at->flags & FLAG_EXTENDED_STATE)
		evidence.least = EXTENDED_STATE_MIN;
	if (at->operation == OP_TEST && constant)
		evidence.tested = (uint64_t)at->operands[1].value;
	overlay_views(solver, state, operand, access->address, &evidence);
	find_copied(solver, state, insn, operand, &evidence);
	union_words_find(solver, state, insn, operand, &place, &evidence);
	find_in_address(solver, state, operand, access, &place, &evidence);
	union_search_begin(&search, &place, &evidence);
	union_search_narrow(&search, UNION_BY_PLACE);
	for (int stage = UNION_BY_VALUE; stage < UNION_BY_HINTS && has_several_bits(search.left);
	     stage++) {
		gather(solver, state, insn, operand, &place, stage, &evidence);
		union_search_narrow(&search, stage);
	}
	if (has_several_bits(search.left)) {
		uint64_t fit = search.left;

		narrow_by_siblings(solver, state, insn, &evidence, &search);
		narrow_by_copy(solver, state, &evidence.copy, &search);
		search.left = union_plain(&place, fit, search.left);
	}
	if (!access->overlay.type) {
		access->union_unhinted = search.left;
		access->union_possible = union_search_possible(&search);
	}
	if (also)
		*also = union_search_also(&search, at->operation == OP_MOVE && !store,
					  (at->operation == OP_MOVE && constant) || evidence.lanes);
	union_search_narrow(&search, UNION_BY_HINTS);
	*(access->overlay.type ? &access->overlay.candidates : &access->union_candidates) =
		search.left;
}
