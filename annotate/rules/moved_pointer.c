// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules stored-pointer and loaded-pointer: an answer is refused if the instruction stores or loads
 * a pointer there, and the field that the answer names cannot hold such a pointer. */
#include "annotate/objects/objects.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"
#include "disasm/cfg.h"

/* True for types that may hold anything, as bytes. */
static bool is_byte(const struct type *bare)
{
	return bare->kind == TYPE_VOID ||
	       (bare->kind == TYPE_INTEGER && type_size_or(bare, 0) <= 1);
}

/* True if a pointer to `target` may be a pointer to a function (if `function` is set) or to a
 * record. Pointers to different records are cast to one another, so any record will do. */
static bool may_point_to(const struct type *target, bool function)
{
	const struct type *bare = target ? type_strip(target) : NULL;

	if (!bare || is_byte(bare))
		return true;
	return function ? !type_is_record(bare) || !type_size_or(bare, 0)
			: bare->kind != TYPE_FUNCTION;
}

/* True if the word at `offset` may hold a pointer to a function (if `function` is set) or to a
 * record, in any alternative of a union. */
static bool may_hold(const struct type *type, int64_t offset, bool function, unsigned int depth)
{
	const struct type *bare = type_strip(type);
	size_t count;

	if (depth > TYPE_DEPTH_MAX || offset < 0)
		return false;
	if (type_is_pointer(bare))
		return !offset && may_point_to(type_target(bare), function);
	if (bare->kind == TYPE_INTEGER)
		return !offset && type_size_or(bare, 0) == WORD;
	if (bare->kind == TYPE_ARRAY) {
		const struct type *element = type_target(bare);
		uint64_t size = element ? field_size(element) : 0;

		return !size || is_byte(type_strip(element)) ||
		       may_hold(element, offset % (int64_t)size, function, depth + 1);
	}
	if (!type_is_record(bare) || !type_size_or(bare, 0))
		return bare->kind != TYPE_FLOAT && bare->kind != TYPE_ENUM;
	const struct member *members = type_members_near(bare, offset, &count);

	return any_of(
		i, 0, count,
		!members[i].bit_size && field_member_has(bare, &members[i], offset) &&
			may_hold(members[i].type, offset - members[i].offset, function, depth + 1));
}

/* True if the value is the address of a function. */
static bool is_function(const struct solver *solver, const struct value *value)
{
	const struct symbol *symbol = elf_image_function_at(solver->image, (uint64_t)value->offset);

	return symbol && symbol->address == (uint64_t)value->offset;
}

/* True if a plain store of a word stores a pointer to a function (*function becomes true) or to a
 * record. False: it stores something else, or the value is not known. */
static bool stores_pointer(const struct solver *solver, const struct state *state,
			   const struct insn *insn, bool *function)
{
	const struct operand *from = &insn->operands[1];

	if (insn->operands[0].kind != OPERAND_MEMORY || !operand_is_general(from) ||
	    from->size != WORD)
		return false;
	const struct value *value = &state->values[from->reg];

	*function = value->kind == VALUE_ADDRESS;
	if (value->stride)
		return false;
	if (*function)
		return is_function(solver, value);
	return value->kind == VALUE_POINTER && value->how != HOW_INFERRED && !value->alternative &&
	       type_is_record(type_strip(value->type));
}

/* Returns the address in the DSO to which the block sets a register before instruction `index`;
 * UNKNOWN: it sets it to something else, or not at all. */
static struct value address_before(struct solver *solver, uint32_t index, uint8_t reg)
{
	const struct cfg *code = solver->code;
	uint32_t first = code->blocks[cfg_block_of(code, index)].first;
	struct value value = value_unknown(0);

	while (index-- > first) {
		const struct insn *insn = &code->insns[index];
		const struct operand *from = &insn->operands[1];

		if (insn->operation == OP_CALL)
			break;
		if (!(insn->written & REG_BIT(reg)))
			continue;
		if (!from->pc_relative || from->base != REG_NONE || from->index != REG_NONE)
			break;
		if (insn->operation == OP_LEA)
			value = value_address(from->value);
		else if (insn->operation == OP_MOVE && from->size == WORD)
			solver_slot(solver, from->value, &value);
		break;
	}
	return value;
}

/* True if the block stores the address of a function through the base register of the store
 * `index`, where the type of `field` has no room for one. The memory then holds another object. */
static bool stores_function_beside(struct solver *solver, const struct state *state, uint32_t index,
				   const struct field_ref *field)
{
	const struct cfg *code = solver->code;
	const struct basic_block *block = &code->blocks[cfg_block_of(code, index)];
	const struct operand *place = &code->insns[index].operands[0];
	uint32_t start = index, end = block->first + block->count;

	if (place->kind != OPERAND_MEMORY || !reg_is_general(place->base) ||
	    place->index != REG_NONE || state->values[place->base].kind != VALUE_POINTER ||
	    state->values[place->base].stride || !type_is_record(type_strip(field->type)))
		return false;
	while (start > block->first && !(code->insns[start - 1].written & REG_BIT(place->base)))
		start--;
	for (; start < end; start++) {
		const struct insn *insn = &code->insns[start];
		const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
		int64_t offset = field->offset + to->value - place->value;

		/* beyond its end another element may be meant */
		if (offset >= 0 && (uint64_t)offset < field_size(field->type) &&
		    insn->operation == OP_MOVE && to->kind == OPERAND_MEMORY &&
		    to->base == place->base && to->index == REG_NONE && to->size == WORD &&
		    operand_is_general(from)) {
			struct value value = address_before(solver, start, from->reg);

			if (value.kind == VALUE_ADDRESS && is_function(solver, &value) &&
			    !may_hold(field->type, offset, true, 0))
				return true;
		}
		if (start >= index && (insn->written & REG_BIT(place->base)))
			return false;
	}
	return false;
}

/* Returns the register into which a move loads a word of memory; REG_NONE: it does something
 * else. */
static uint8_t loaded_register(const struct insn *insn)
{
	const struct operand *to = &insn->operands[0];

	return insn->operands[1].kind == OPERAND_MEMORY && operand_is_general(to) &&
			       to->size == WORD
		       ? to->reg
		       : REG_NONE;
}

/* True if the instruction loads a word, and a later one of its block accesses the memory at that
 * address. */
static bool loads_pointer(const struct solver *solver, const struct insn *insn)
{
	const struct cfg *code = solver->code;
	uint8_t reg = loaded_register(insn);
	uint32_t index = (uint32_t)(insn - code->insns);
	const struct basic_block *block = &code->blocks[cfg_block_of(code, index)];

	if (reg == REG_NONE)
		return false;
	while (++index < block->first + block->count) {
		const struct insn *next = &code->insns[index];

		for (unsigned int i = 0; i < next->operand_count; i++)
			if (next->operands[i].kind == OPERAND_MEMORY &&
			    next->operands[i].base == reg && next->operands[i].index == REG_NONE &&
			    next->operation != OP_LEA)
				return true;
		if (next->operation == OP_CALL)
			return false;
		for (unsigned int i = 0; i < next->operand_count; i++)
			if (operand_is_reg(&next->operands[i], reg) && next->operands[i].write)
				return false;
	}
	return false;
}

/* True if the instruction loads a word that is used as a pointer to a record. */
static bool loads_record(struct solver *solver, const struct insn *insn)
{
	uint8_t reg = loaded_register(insn);
	uint32_t index = (uint32_t)(insn - solver->code->insns);

	if (reg == REG_NONE)
		return false;
	const struct value value = origins_value(&solver->origins, origin_key_insn(index, reg));

	return value.kind == VALUE_POINTER && type_is_record(type_strip(value.type));
}

static bool moved_pointer_is_number(const struct field_ref *field)
{
	const struct type *scalar = field_scalar(field->type, field->offset, WORD);

	return scalar && type_strip(scalar)->kind == TYPE_INTEGER;
}

/* True if a pointer to a function or record is stored where the type has none. */
bool rule_stored_pointer(const struct answer_query *query)
{
	const struct field_ref field = { query->access->type, query->access->offset };
	const struct insn *insn = query->insn;
	bool function;

	if (insn->operation != OP_MOVE)
		return false;
	return (stores_pointer(query->solver, query->state, insn, &function) &&
		(is_byte(type_strip(field.type)) ||
		 !may_hold(field.type, field.offset, function, 0))) ||
	       stores_function_beside(query->solver, query->state,
				      (uint32_t)(insn - query->solver->code->insns), &field);
}

/* True if a word is used as a pointer that is loaded from bytes, or from a number in a record that
 * was inferred. */
bool rule_loaded_pointer(const struct answer_query *query)
{
	const struct field_ref field = { query->access->type, query->access->offset };
	const struct insn *insn = query->insn;

	if (insn->operation != OP_MOVE)
		return false;
	return (query->access->how == HOW_INFERRED && moved_pointer_is_number(&field) &&
		loads_record(query->solver, insn)) ||
	       (is_byte(type_strip(field.type)) && loads_pointer(query->solver, insn));
}
