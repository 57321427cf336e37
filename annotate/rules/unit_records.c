// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules for accesses past the end of a record (STAGE_OUTSIDE, STAGE_INDEXED) that depend on what
 * the whole unit declares: the records that have the pointee as a member, and the arrays of
 * records. If a macro casts the pointer, the function has no variable of the record that is
 * accessed.
 */
#include "annotate/facts/scope_types.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"

bool access_may_be_element(const struct pointer_access *access)
{
	const struct type *type = access->address->type;
	int64_t size = (int64_t)field_size(type), offset;
	struct field_ref field;

	if (size <= 0)
		return false;
	offset = (access->address->offset % size + size) % size;
	const struct fit fit = fit_at(type, offset, access->size);

	return field_find(type, offset, 0, access->size, &field) == REASON_NONE &&
	       (fit.scalar || (fit.in_union && fit.holds));
}

/* True if these rules apply to the access. They do not in C++, where many classes may be derived
 * from one, nor in a kernel, whose units declare thousands of records with the same members. */
static bool asks_unit(const struct pointer_access *access)
{
	return access_is_word(access) && access->solver->function->language == LANGUAGE_C &&
	       !(access->traits & ACCESS_KERNEL) && access->address->how != HOW_GLOBAL;
}

/* Sets the answer to the one type in scope, or else the one record of the unit, that has the
 * pointee and a member where the access goes. The types in scope are looked at here too, because no
 * other rule does so for an access with an index. */
static bool find_in_unit(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	struct outside_access away = access_outside(access);
	struct field_ref field;
	size_t count;

	away.parts = true;
	if (!asks_unit(access) || access_look_around(access) == SCOPE_SEVERAL ||
	    access_may_be_element(access))
		return false;
	if (access->around == SCOPE_ONE) {
		field = access->around_field;
	} else {
		const struct type *const *records = debug_reader_holders(
			solver->reader, solver->code->insns[0].address, &count);

		if (records_enclosing(records, count, &away, &field) != SCOPE_ONE)
			return false;
	}
	*access->field = field;
	access->reason = REASON_NONE;
	return true;
}

bool rule_unit_record(struct pointer_access *access)
{
	return find_in_unit(access);
}

/* True if the unit declares an array of the pointee. */
static bool is_in_arrays(const struct pointer_access *access)
{
	const struct solver *solver = access->solver;
	size_t count;
	const struct type *const *elements =
		debug_reader_elements(solver->reader, solver->code->insns[0].address, &count);

	for (size_t i = 0; i < count; i++)
		if (field_same_type(elements[i], access->address->type))
			return true;
	return false;
}

/* True if the base register points before the pointee, perhaps to a record around it. */
static bool unit_records_is_based_before(const struct pointer_access *access)
{
	const struct operand *operand =
		insn_memory(&access->solver->code->insns[access->solver->pass.current], false);

	return !operand || access->address->offset < operand->value;
}

/* Returns false if the access may be to a member of a record around the pointee. */
bool rule_further_element(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;
	struct outside_access away = access_outside(access);
	uint64_t size = field_size(address->type);
	struct field_ref field;
	size_t count;

	away.parts = true;
	if (!asks_unit(access) || size > UINT32_MAX || address->offset < (int64_t)size ||
	    unit_records_is_based_before(access) || !access_may_be_element(access) ||
	    !is_in_arrays(access) || access_look_around(access) != SCOPE_NONE)
		return false;
	const struct type *const *records =
		debug_reader_holders(solver->reader, solver->code->insns[0].address, &count);

	if (records_enclosing(records, count, &away, &field) != SCOPE_NONE)
		return false;
	return access_set_field_if(access, address->type, address->offset % (int64_t)size);
}

bool rule_indexed_record(struct pointer_access *access)
{
	return find_in_unit(access);
}

/* This rule waits until uses were gathered, because they say more. */
bool rule_repeated_head(struct pointer_access *access)
{
	const struct solver *solver = access->solver;
	const struct value *address = access->address;
	const struct type *found = NULL;
	struct field_ref field;
	size_t count;

	if (!(solver->pass.gathered || solver->pass.last_resort) || !asks_unit(access) ||
	    address->stride || address->offset < 0 ||
	    (access_may_be_element(access) && is_in_arrays(access)) ||
	    access_look_around(access) != SCOPE_NONE)
		return false;
	const struct type *const *records =
		debug_reader_records(solver->reader, solver->code->insns[0].address, &count);

	for (size_t i = 0; i < count; i++) {
		/* any record in which the access goes to a field may be meant */
		if (!field_is_head(address->type, records[i]) ||
		    field_find(records[i], address->offset, 0, access->size, &field) != REASON_NONE)
			continue;
		if (found && !field_same_type(found, records[i]))
			return false;
		found = records[i];
	}
	return found && fit_at(found, address->offset, access->size).whole &&
	       access_set_field_if(access, found, address->offset);
}
