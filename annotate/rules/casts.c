// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules about cast types, the records to which a unit only casts pointers
 * (UNIT_CAST_TYPES): macros name them, and no variable has them. The table in rules.c has
 * the reason and an example of each rule.
 */

#include "annotate/flow/solver.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "annotate/types/member.h"

/* Adds the unit's cast types; with `begins`, only those that begin with the pointee. If several
 * have the same member where the access goes, the smallest is the answer, because the others begin
 * with it. Before bytes is a header, which ends where they begin. */
static void casts_add_types(struct pointer_access *access, bool begins)
{
	const struct solver *solver = access->solver;
	const struct value *address = access->address;
	size_t count;
	const struct type *const *types = debug_reader_unit_list(
		solver->reader, UNIT_CAST_TYPES, solver->code->insns[0].address, &count);

	bool before = !begins && address->offset < 0 && !address->stride;

	access->candidates->heads = !before;
	for (size_t i = 0; i < count; i++)
		if (!begins || field_contains(types[i], 0, address->type))
			candidates_add(access->candidates, types[i],
				       address->offset +
					       (before ? (int64_t)field_size(types[i]) : 0),
				       address->stride, 0);
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
	const struct solver *solver = access->solver;
	size_t count;
	const struct type *const *types = debug_reader_unit_list(
		solver->reader, UNIT_CAST_TYPES, solver->code->insns[0].address, &count);

	for (size_t i = 0; i < count; i++) {
		size_t member_count = 0;
		const struct type *bare = type_strip(types[i]);
		const struct member *members =
			bare->kind == TYPE_STRUCT ? type_members(bare, &member_count) : NULL;

		if (member_count == 1 && !members->bit_size &&
		    type_strip(members->type)->kind == TYPE_INTEGER &&
		    field_size(members->type) == access->size)
			access_add(access, types[i], 0);
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
