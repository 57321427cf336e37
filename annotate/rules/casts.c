// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules about cast types, the records to which a unit only casts pointers
 * (debug_reader_cast_types()): macros name them, and no variable has them. The table in rules.c has
 * the reason and an example of each rule.
 */
#include <string.h>

#include "annotate/flow/solver.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "annotate/types/member.h"
#include "base/strbuf.h"

/* True if the access may go into a record of this type. */
typedef bool (*cast_type_fits)(const struct pointer_access *access, const struct type *type);

/* The cast types of a unit that fit an access. */
struct fitting_types {
	const struct type
		*type; /* the only one, or the one with which the others begin; NULL: none */
	size_t count;
};

/* True if the access goes to a member of the same type and path in both records: one then begins
 * with the members of the other. */
static bool casts_is_same_member(const struct pointer_access *access, const struct type *a,
				 const struct type *b)
{
	_cleanup_strbuf_ struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	int64_t offset = access->address->offset;
	const struct type *in_a = field_scalar(a, offset, access->size);
	const struct type *in_b = field_scalar(b, offset, access->size);

	return in_a && in_b && field_same_type(in_a, in_b) &&
	       member_path(a, offset, access->size, &first) &&
	       member_path(b, offset, access->size, &second) &&
	       strcmp(first.data, second.data) == 0;
}

/* Finds the unit's cast types that fit. If several have the same member there, the smallest is the
 * answer, because the others begin with it. */
static struct fitting_types find_cast_types(const struct pointer_access *access,
					    cast_type_fits fits)
{
	const struct solver *solver = access->solver;
	struct fitting_types found = { 0 };
	bool same = true;
	size_t count = 0;
	/* A kernel's units have the types of all their headers, and only cast to most of them.
	 * Reading them would take a quarter of a report's time. */
	const struct type *const *types =
		solver->options.kernel
			? NULL
			: debug_reader_cast_types(solver->reader, solver->code->insns[0].address,
						  &count);

	for (size_t i = 0; i < count; i++) {
		if (!fits(access, types[i]))
			continue;
		same = same &&
		       (!found.count || (field_size(types[i]) != field_size(found.type) &&
					 casts_is_same_member(access, found.type, types[i])));
		if (!found.count++ || field_size(types[i]) < field_size(found.type))
			found.type = types[i];
	}
	if (!same)
		found.type = NULL;
	return found;
}

/* True if the access is to a whole member of the type, which may be an element of an array, or one
 * of several that a union has there. */
static bool casts_has_member(const struct pointer_access *access, const struct type *type)
{
	const struct value *address = access->address;
	struct field_ref field;

	if (field_find(type, address->offset, address->stride, access->size, &field) != REASON_NONE)
		return false;
	const struct fit fit = fit_at(type, address->offset, access->size);

	return address->stride || fit.scalar || (type_strip(type)->kind == TYPE_UNION && fit.whole);
}

/* True if the access is to such a member that is no text or other buffer of bytes. */
static bool has_word(const struct pointer_access *access, const struct type *type)
{
	return casts_has_member(access, type) &&
	       !fit_at(type, access->address->offset, access->size).bytes.room;
}

/* True if the type begins with the pointee, and the access is to a member of the type. */
static bool begins_with_record(const struct pointer_access *access, const struct type *type)
{
	return field_contains(type, 0, access->address->type) && casts_has_member(access, type);
}

/* True if the access is to a member of the type of one byte, and to no element of a text. */
static bool casts_has_byte(const struct pointer_access *access, const struct type *type)
{
	int64_t offset = access->address->offset;

	return offset < (int64_t)field_size(type) && casts_has_member(access, type) &&
	       !fit_at(type, offset, 1).buffer;
}

/* Sets the answer to the field of `type` where the access goes. False if `type` is NULL. */
static bool set_to(struct pointer_access *access, const struct type *type)
{
	if (!type)
		return false;
	access->reason = field_find(type, access->address->offset, access->address->stride,
				    access->size, access->field);
	return true;
}

/* True for a struct that has only bytes and ends in a flexible array of bytes: a place for objects
 * of other types. */
static bool casts_is_place(const struct type *type)
{
	const struct type *bare = type_strip(type), *last = NULL;
	size_t count;

	if (bare->kind != TYPE_STRUCT)
		return false;
	const struct member *members = type_members(bare, &count);

	for (size_t i = 0; i < count; i++) {
		const struct type *element;

		last = type_strip(members[i].type);
		element = last->kind == TYPE_ARRAY ? type_target(last) : last;
		if (!element || type_size_or(element, 0) != 1)
			return false;
	}
	return last && last->kind == TYPE_ARRAY && !type_size_or(last, 0);
}

/* True for an access of two to eight bytes where single bytes are declared: through a pointer to
 * bytes, or in a place for other objects. */
static bool is_word_of_bytes(const struct pointer_access *access)
{
	const struct value *address = access->address;

	if (access->size < 2 || access->size > 8 || address->how == HOW_GLOBAL)
		return false;
	if (access->traits & ACCESS_BYTE)
		return type_strip(address->type)->kind == TYPE_INTEGER;
	return !address->stride && casts_is_place(address->type);
}

bool rule_word_of_bytes(struct pointer_access *access)
{
	return access_is_cast_freely(access) && is_word_of_bytes(access) &&
	       set_to(access, find_cast_types(access, has_word).type);
}

bool rule_byte_of_place(struct pointer_access *access)
{
	if (access->size != 1 || access->address->how == HOW_GLOBAL ||
	    !access_is_cast_freely(access) || !casts_is_place(access->address->type))
		return false;
	const struct fitting_types found = find_cast_types(access, casts_has_byte);

	if (!set_to(access, found.type))
		access->reason = REASON_VOID_POINTER;
	return found.count;
}

bool rule_scaled_bytes(struct pointer_access *access)
{
	const struct solver *solver = access->solver;
	const struct insn *insn = &solver->code->insns[solver->pass.current];
	const struct operand *operand = insn_memory(insn, false);

	if (!operand)
		operand = insn_memory(insn, true);
	return operand && operand->index != REG_NONE && access->size > 1 &&
	       operand->scale > access->size &&
	       type_strip(access->address->type)->kind == TYPE_INTEGER &&
	       access->address->how != HOW_GLOBAL;
}

bool rule_cast_down(struct pointer_access *access)
{
	return access_is_word(access) && access_look_around(access) == SCOPE_NONE &&
	       !access_may_be_element(access) &&
	       set_to(access, find_cast_types(access, begins_with_record).type);
}

/* Returns the integer to which, or to an array of which, the pointer is; NULL: to neither. */
static const struct type *integer_of(const struct value *address)
{
	const struct type *bare = type_strip(address->type);

	if (bare->kind == TYPE_ARRAY)
		bare = type_target(bare) ? type_strip(type_target(bare)) : bare;
	return bare->kind == TYPE_INTEGER && type_size_or(bare, 0) ? bare : NULL;
}

/* True if the access does not suit such an integer: it is to a part of one or to several bytes,
 * extends the sign of an unsigned one, or has an index that does not count integers. */
static bool misses_integer(const struct pointer_access *access, const struct type *integer)
{
	const struct insn *insn = &access->solver->code->insns[access->solver->pass.current];
	uint64_t size = type_size_or(integer, 0);

	/* elsewhere programs read words of texts */
	if (size == 1)
		return access->solver->facts.untracked && access_is_word(access) &&
		       access->size > 1;
	return access->size < size || access->address->stride % size ||
	       access->address->stride > size ||
	       (insn->operation == OP_MOVE_SIGN && !(integer->flags & TYPE_SIGNED));
}

/* A variable to which the pointer was cast mostly has a location, which is then a fact. It has
 * none, or only its value at the function's entry, where the compiler did not follow it. */
bool rule_lost_cast(struct pointer_access *access)
{
	const struct solver *solver = access->solver;
	const struct insn *insn = &solver->code->insns[solver->pass.current];
	const struct operand *operand = insn_memory(insn, false);
	const struct value *address = access->address;
	const struct type *integer =
		solver->function && address->how != HOW_GLOBAL ? integer_of(address) : NULL;

	if (!operand)
		operand = insn_memory(insn, true);
	if (!integer || !operand || !misses_integer(access, integer))
		return false;
	switch (unlocated_record(solver->function, insn->address, address, operand->value,
				 access->size, access->field)) {
	case SCOPE_ONE: access->reason = REASON_NONE; return true;
	case SCOPE_SEVERAL: access->reason = REASON_CAST; return true;
	default: return false;
	}
}
