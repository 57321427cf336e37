// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * STAGE_ANSWER: sources of candidates for one instruction, where neither the base register nor a
 * variable at the address tells the type.
 */
#include "annotate/cxx/virtual_table.h"
#include "annotate/facts/selves.h"
#include "annotate/facts/scope_types.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "base/text.h"

static void put(struct answer_query *query, const struct type *type, int64_t offset)
{
	candidates_put(query->candidates, (struct field_ref){ type_canonical(type), offset }, 0);
}

/* ---- classes of C++ */

/* True if the address is in an object whose class is known only by its name, or before the object
 * that it was derived from. The class whose table is stored there then says more. */
static bool is_in_named_only(const struct value *address)
{
	if (address->kind == VALUE_POINTER)
		return address->offset < 0 || field_is_named_only(address->type);
	return address->kind == VALUE_UNKNOWN && address->type && field_named_class(address->type);
}

void rule_stored_class(struct answer_query *query)
{
	int64_t place;
	const struct type *class =
		query->access->write && is_in_named_only(query->address)
			? virtual_table_class(query->solver, query->state, query->insn, &place)
			: NULL;

	if (class)
		put(query, class, place);
}

/* Returns the class of the member function that is inlined at an access to the virtual base of a
 * stream: these classes are mostly only declared, and their tables unknown. NULL: it is none. */
static const struct type *virtual_base_class(const struct answer_query *query)
{
	struct solver *solver = query->solver;
	const struct operand *operand = query->operand;
	const struct value *base, *index;

	if (!solver->pass.last_resort || !language_has(solver->function, FACT_VIRTUAL) ||
	    !reg_is_general(operand->base))
		return NULL;
	base = &query->state->values[operand->base];
	if (operand->index == REG_NONE) {
		if (base->kind != VALUE_UNKNOWN || base->offset || !base->origin ||
		    !solver->origins.items[base->origin].virtual_base)
			return NULL;
	} else {
		index = &query->state->values[operand->index];
		if (operand->scale != 1 || (!virtual_table_holds_base_offset(solver, base) &&
					    !virtual_table_holds_base_offset(solver, index)))
			return NULL;
	}
	const struct stack_fact *method =
		selves_method(&solver->facts.selves, query->insn->address, 0, UINT32_MAX);

	const char *name = method ? type_strip(method->type)->name : NULL;

	return name && field_is_named_only(method->type) &&
			       (strcmp(name, "std::ios_base") == 0 ||
				starts_with(name, "std::basic_ios<"))
		       ? method->type
		       : NULL;
}

void rule_named_class(struct answer_query *query)
{
	const struct value *address = query->address;
	const struct type *base = virtual_base_class(query);
	const struct type *object = address->kind == VALUE_UNKNOWN && address->type &&
						    !address->conflict &&
						    type_is_pointer(type_strip(address->type))
					    ? type_target(type_strip(address->type))
					    : NULL;

	if (base)
		candidates_add(query->candidates, base, query->operand->value, 0, 0);
	else if (object && field_is_named_only(object))
		candidates_add(query->candidates, object, address->offset, address->stride, 0);
}

/* ---- variables without a location */

/* The pointers that a type has at one place, in all alternatives of unions. */
struct pointer_search {
	const struct type *target;
	bool same;  /* one of them points to the target, or to what it begins with */
	bool other; /* one points to another record */
};

static void find_pointer(void *data, const struct type *record, int64_t within)
{
	struct pointer_search *search = data;

	members_each (member, type_members, type_strip(record)) {
		const struct type *object = member->offset == within && !member->bit_size
						    ? field_pointee(member->type)
						    : NULL;

		if (!object)
			continue;
		if (!type_is_record(type_strip(object)) ||
		    !type_is_record(type_strip(search->target)) ||
		    field_same_type(object, search->target) ||
		    field_contains(object, 0, search->target) ||
		    field_contains(search->target, 0, object))
			search->same = true;
		else
			search->other = true;
	}
}

/*
 * Adds the record of an unlocated variable to which the pointer was cast: a variable says that the
 * loaded value points to another record than the field declares, and the record has such a pointer
 * there.
 */
static void add_holder(struct answer_query *query)
{
	const struct access *access = query->access;
	const struct insn *insn = query->insn;
	uint64_t end = insn->address + insn->length;
	const struct register_fact *fact;
	struct pointer_search search = { 0 };

	if (insn->operation != OP_MOVE || query->operand->size != WORD ||
	    !operand_is_general(&insn->operands[0]) || query->address->stride ||
	    query->address->offset != query->operand->value ||
	    access->offset != query->address->offset || query->solver->facts.untracked)
		return;
	fact = facts_register(&query->solver->facts, insn->operands[0].reg, end);
	if (!fact || fact->low != end || fact->weak || fact->value.kind != VALUE_POINTER ||
	    fact->value.offset)
		return;
	search.target = fact->value.type;
	field_each_record(access->type, access->offset, find_pointer, &search);
	if (!search.other || search.same)
		return;
	query->candidates->fits = FITS_ANY;
	unlocated_holder(query->solver->function, insn->address, access->offset, fact->value.type,
			 query->candidates);
}

void rule_unlocated_variable(struct answer_query *query)
{
	const struct solver *solver = query->solver;
	const struct operand *operand = query->operand;

	if (!solver->function)
		return;
	if (query->situation == ANSWER_DECLARED)
		add_holder(query);
	else if (query->situation == ANSWER_REUSED && operand->index == REG_NONE)
		unlocated_in_block(solver->function, query->insn->address, operand->value,
				   query->candidates);
	else if (solver->pass.last_resort && reg_is_general(operand->base) &&
		 operand->base != solver->arch->stack_pointer && query->access->size <= 8 &&
		 (query->reason == REASON_SCALAR_BASE || query->reason == REASON_VOID_POINTER))
		unlocated_pointer(solver->function, query->insn->address,
				  query->reason == REASON_SCALAR_BASE ? UNLOCATED_NUMBER
								      : UNLOCATED_REGISTER,
				  operand->value, query->candidates);
}

/* ---- fixed addresses */

void rule_offset_table(struct answer_query *query)
{
	const struct solver *solver = query->solver;
	const struct access *access = query->access;
	const struct function *function = solver->function;
	uint64_t address = (uint64_t)query->address->offset, target;
	struct elf_section section;
	const char *name;

	if (access->size != solver->arch->pointer_size || access->write || query->address->stride ||
	    !function || !function->prototype || !function->prototype->return_type ||
	    !elf_image_section_at(solver->image, address, &section) || !section.name ||
	    !starts_with(section.name, ".got") ||
	    !elf_image_slot(solver->image, address, &name, &target))
		return;
	put(query, type_target(type_address_table(function->prototype->return_type, 1)), 0);
}

/* Returns the only floating-point type of `size` bytes that the function's variables have or point
 * to; NULL if there is none, or another one. */
static const struct type *only_float(const struct function *function, uint64_t size)
{
	const struct type *only = NULL;

	for (size_t i = 0; i < function->variable_count; i++) {
		const struct type *type = type_strip(function->variables[i].type);

		if (type_is_pointer(type))
			type = type_strip(type_target(type));
		if (type->kind != TYPE_FLOAT || type_size_or(type, 0) != size)
			continue;
		type = type_canonical(type);
		if (only && only != type)
			return NULL;
		only = type;
	}
	return only;
}

/* For a constant that an instruction loads into a vector register. */
void rule_float_constant(struct answer_query *query)
{
	const struct solver *solver = query->solver;
	const struct access *access = query->access;
	const struct insn *insn = query->insn;
	struct elf_section section;

	if (!solver->options.infer || !solver->function || query->address->stride ||
	    !access->read || access->write || (access->size != 4 && access->size != 8) ||
	    insn->operand_count < 2 || !operand_is_vector(&insn->operands[0]) ||
	    !elf_image_section_at(solver->image, (uint64_t)query->address->offset, &section) ||
	    section.writable || section.executable)
		return;
	const struct type *type = only_float(solver->function, access->size);

	if (type)
		put(query, type, 0);
}

/* ---- pointers where a record has none ---- */

/* True if the word at an offset of a record may hold the address of a function. */
static bool may_hold_function(const struct type *record, int64_t offset)
{
	const struct fit fit = fit_at(record, offset, WORD);
	const struct type *target = fit.scalar ? field_pointee(fit.scalar) : NULL;

	return fit.whole ? !target || !type_is_record(type_strip(target)) || !field_size(target)
			 : fit.bytes.room;
}

/* True if an instruction stores the address of a function, to which its block sets the register. */
static bool stores_function(const struct solver *solver, uint32_t index)
{
	const struct insn *insns = solver->code->insns;
	const struct operand *from = &insns[index].operands[1];
	uint32_t first = solver->code->blocks[cfg_block_of(solver->code, index)].first;

	if (operand_is_general(from)) {
		uint64_t reg = REG_BIT(from->reg);

		do
			if (index-- == first || insns[index].operation == OP_CALL)
				return false;
		while (!(insns[index].written & reg));
		from = &insns[index].operands[1];
		if (insns[index].operation != (from->pc_relative ? OP_LEA : OP_MOVE))
			return false;
	}
	if (!from->pc_relative && from->kind != OPERAND_IMMEDIATE)
		return false;
	const struct symbol *symbol = elf_image_function_at(solver->image, (uint64_t)from->value);

	return symbol && symbol->address == (uint64_t)from->value;
}

/* Asks about all stores of the block through the register of this one. */
bool rule_stored_function(const struct answer_query *query)
{
	const struct cfg *code = query->solver->code;
	const struct operand *place = query->operand;
	uint32_t index = (uint32_t)(query->insn - code->insns), at = index;
	const struct basic_block *block = &code->blocks[cfg_block_of(code, index)];

	if (!place->write || place->read || !reg_is_general(place->base) ||
	    place->index != REG_NONE || !type_is_record(type_strip(query->access->type)))
		return false;
	while (at > block->first && !(code->insns[at - 1].written & REG_BIT(place->base)))
		at--;
	for (; at < block->first + block->count; at++) {
		const struct insn *insn = &code->insns[at];
		const struct operand *to = &insn->operands[0];
		int64_t offset = query->access->offset + to->value - place->value;

		/* beyond the record's end another element may be meant */
		if (insn->operation == OP_MOVE && to->kind == OPERAND_MEMORY && to->size == WORD &&
		    to->base == place->base && to->index == REG_NONE && offset >= 0 &&
		    (uint64_t)offset < field_size(query->access->type) &&
		    stores_function(query->solver, at) &&
		    !may_hold_function(query->access->type, offset))
			return true;
		if (at >= index && insn->written & REG_BIT(place->base))
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

static bool answers_is_number(const struct field_ref *field)
{
	const struct type *scalar = field_scalar(field->type, field->offset, WORD);

	return scalar && type_strip(scalar)->kind == TYPE_INTEGER;
}

bool rule_loaded_pointer(const struct answer_query *query)
{
	const struct field_ref field = { query->access->type, query->access->offset };

	return query->insn->operation == OP_MOVE && query->access->how == HOW_INFERRED &&
	       answers_is_number(&field) && loads_record(query->solver, query->insn);
}
