// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules about cast types, the records to which a unit only casts pointers
 * (UNIT_CAST_TYPES): macros name them, and no variable has them. The table in rules.c has
 * the reason and an example of each rule.
 */

#include "annotate/flow/solver.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "base/memory.h"

/* Adds the unit's cast types; with `begins`, only those that begin with the pointee. If several
 * have the same member where the access goes, the smallest is the answer, because the others begin
 * with it. Before bytes is a header, which ends where they begin. */
static void casts_add_types(struct pointer_access *access, bool begins)
{
	const struct value *address = access->address;
	const struct unit_type_list types = solver_unit_types(access->solver, UNIT_CAST_TYPES);
	bool before = !begins && address->offset < 0 && !address->stride;

	access->candidates->heads = !before;
	for (size_t i = 0; i < types.count; i++) {
		const struct type *type = types.items[i];

		if (begins ? field_contains(type, 0, address->type)
			   : !before || type_strip(type)->kind == TYPE_STRUCT)
			candidates_add(access->candidates, type,
				       address->offset + (before ? (int64_t)field_size(type) : 0),
				       address->stride, 0);
	}
}

/* True for a struct that has only bytes and ends in a flexible array of bytes: a place for objects
 * of other types. */
static bool casts_is_place(const struct type *type)
{
	const struct type *bare = type_strip(type), *last = NULL;

	if (bare->kind != TYPE_STRUCT)
		return false;

	members_each (member, type_members, bare) {
		last = type_strip(member->type);
		if (type_size_or(last->kind == TYPE_ARRAY ? type_target(last) : last, 0) != 1)
			return false;
	}
	return last && last->kind == TYPE_ARRAY && !type_size_or(last, 0);
}

/* True for an access of two to eight bytes where single bytes are declared: through a pointer to
 * bytes, or in a place for other objects. */
static bool is_word_of_bytes(const struct pointer_access *access)
{
	const struct value *address = access->address;

	if (access->size < 2 || access->size > 8)
		return false;
	if (access->traits & ACCESS_BYTE)
		return type_strip(address->type)->kind == TYPE_INTEGER;
	return !address->stride && casts_is_place(address->type);
}

/* Adds those of the unit's cast types that have nothing but a word of the access's size: a packed
 * struct makes the compiler access the word where it is not aligned. Before the bytes, there may be
 * the header of a text. */
static void add_packed_words(struct pointer_access *access)
{
	const struct unit_type_list types = solver_unit_types(access->solver, UNIT_CAST_TYPES);

	for (size_t i = 0; i < types.count; i++) {
		size_t member_count = 0;
		const struct type *bare = type_strip(types.items[i]);
		const struct member *members =
			bare->kind == TYPE_STRUCT ? type_members(bare, &member_count) : NULL;

		if (member_count == 1 && !members->bit_size &&
		    type_strip(members->type)->kind == TYPE_INTEGER &&
		    field_size(members->type) == access->size)
			access_add(access, types.items[i], 0);
	}
}

/* An index may also choose elements that are more than such a word. */
void rule_word_of_bytes(struct pointer_access *access)
{
	if (!is_word_of_bytes(access))
		return;
	bool before = access->traits & ACCESS_BYTE && access->address->offset < 0;

	if (!access_is_cast_freely(access) && !before) {
		const struct operand *operand = access_operand(access);

		/* variables on the stack are what they are declared as */
		if (access->address->offset >= 0 && !access->address->alternative && operand &&
		    operand->base != access->solver->arch->stack_pointer)
			add_packed_words(access);
		return;
	}
	if (access->address->stride)
		access->candidates->fits = FITS_ANY & ~(1U << FIT_BYTES);
	casts_add_types(access, false);
}

void rule_byte_of_place(struct pointer_access *access)
{
	if (access->size == 1 && access_is_cast_freely(access) &&
	    casts_is_place(access->address->type))
		casts_add_types(access, false);
}

/* The most instructions before and after an access that are searched for others. */
#define NEIGHBOUR_INSNS 32

/* Instructions [first, end). */
struct neighbours {
	uint32_t first, end;
};

/* Returns the instructions around the access before which these registers have the same values. */
static struct neighbours casts_neighbours(const struct pointer_access *access, uint64_t registers)
{
	const struct cfg *code = access->solver->code;
	const struct convention *call = access->solver->abi->call;
	const uint32_t at = access->solver->pass.current;
	struct neighbours found = { at, at + 1 };

	while (found.first && at - found.first < NEIGHBOUR_INSNS &&
	       !(schedule_written(call, &code->insns[found.first - 1]) & registers))
		found.first--;
	while (found.end < code->insn_count && found.end - at < NEIGHBOUR_INSNS &&
	       !(schedule_written(call, &code->insns[found.end - 1]) & registers))
		found.end++;
	return found;
}

/* True if an access that is `offset` bytes before an array's element cuts the element there. */
static bool casts_cuts_element(const struct type *type, int64_t offset, uint64_t size)
{
	const struct fit fit = fit_at(type, positive_remainder(offset, field_size(type)), size);

	return !fit.whole && !fit.bits && !fit.in_union && size <= WORD;
}

/* True if an access of the instruction through the register of `own`, which is at `offset`, cuts
 * the element before the object. */
static bool casts_has_cut(const struct insn *insn, const struct operand *own, int64_t offset,
			  const struct type *type)
{
	array_each (const struct operand, other, insn->operands, insn->operand_count) {
		const int64_t at = offset + other->value - own->value;

		if (other->kind == OPERAND_MEMORY && (other->read || other->write) &&
		    other->base == own->base && other->index == REG_NONE && at < 0 &&
		    at + (int64_t)other->size <= 0 && casts_cuts_element(type, at, other->size))
			return true;
	}
	return false;
}

/* True if the access, or one beside it through the same register, cuts the element of an array that
 * would be before the object: no array is there. */
static bool casts_is_no_array(const struct pointer_access *access)
{
	const struct cfg *code = access->solver->code;
	const struct value *address = access->address;
	const struct operand *own = access_operand(access);

	if (casts_cuts_element(address->type, address->offset, access->size))
		return true;
	if (!own || !reg_is_general(own->base))
		return false;
	const struct neighbours around = casts_neighbours(access, REG_BIT(own->base));

	return any_of(i, around.first, around.end,
		      casts_has_cut(&code->insns[i], own, address->offset, address->type));
}

void rule_header_before(struct pointer_access *access)
{
	const struct value *address = access->address;

	if (address->offset + (int64_t)access->size <= 0 && field_size(address->type) &&
	    casts_is_no_array(access))
		casts_add_types(access, false);
}

bool rule_scaled_bytes(struct pointer_access *access)
{
	const struct operand *operand = access_operand(access);

	return operand && operand->index != REG_NONE && access->size > 1 &&
	       operand->scale > access->size &&
	       type_strip(access->address->type)->kind == TYPE_INTEGER;
}

void rule_cast_down(struct pointer_access *access)
{
	if (!access_may_be_element(access))
		casts_add_types(access, true);
}

/* True if the instruction accesses a word by the same registers as `operand`, so that it is at or
 * after `end`, counted from the address of `operand`. */
static bool accesses_word_past(const struct insn *insn, const struct operand *operand, int64_t end)
{
	array_each (const struct operand, other, insn->operands, insn->operand_count) {
		if (other->kind == OPERAND_MEMORY && (other->read || other->write) &&
		    other->base == operand->base && other->index == operand->index &&
		    other->scale == operand->scale && other->segment == operand->segment &&
		    other->size > 1 && other->size <= WORD && !insn_moves_vector(insn, other) &&
		    other->value - operand->value >= end)
			return true;
	}
	return false;
}

bool rule_sum_past_bytes(struct pointer_access *access)
{
	const struct operand *operand = access_operand(access);
	const struct fit_array *bytes = &access_fit(access)->bytes;
	const struct insn *insns = access->solver->code->insns;
	struct candidates others;

	if (!bytes->room || !operand || !reg_is_general(operand->base))
		return false;
	const int64_t end = (int64_t)bytes->room - bytes->within;
	const struct neighbours around = casts_neighbours(access, operand_registers(operand));

	if (any_of(i, around.first, around.end, accesses_word_past(&insns[i], operand, end)))
		return true;
	if (access->size == 1 || access->size > WORD || bytes->within != access->address->offset)
		return false;
	candidates_start(&others, access->size, FITS_WHOLE);
	unlocated_pointer(access->solver->function, access_code_address(access), UNLOCATED_REGISTER,
			  access->address->offset, &others);
	return any_of(i, 0, others.count, others.items[i].field.type != access->address->type);
}
