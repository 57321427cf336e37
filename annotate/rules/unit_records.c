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

/* Adds the records of the unit that have the pointee. One in which the access is to a part of a
 * member contests the others. */
static void add_holders(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct outside_access away = access_outside(access);
	size_t count;
	const struct type *const *records =
		debug_reader_holders(solver->reader, solver->code->insns[0].address, &count);

	for (size_t i = 0; i < count; i++)
		candidates_around(access->candidates, records[i], &away, 2);
}

void rule_unit_record(struct pointer_access *access)
{
	access->candidates->contests = FITS_PARTS;
	if (!access_may_be_element(access))
		add_holders(access);
}

/* True if the unit declares an array of the pointee. */
static bool is_in_arrays(const struct pointer_access *access)
{
	const struct solver *solver = access->solver;
	size_t count;
	const struct type *const *elements =
		debug_reader_elements(solver->reader, solver->code->insns[0].address, &count);

	return any_of(i, 0, count, field_same_type(elements[i], access->address->type));
}

/* True if the base register points before the pointee, perhaps to a record around it. */
static bool unit_records_is_based_before(const struct pointer_access *access)
{
	const struct operand *operand =
		insn_memory(&access->solver->code->insns[access->solver->pass.current], false);

	return !operand || access->address->offset < operand->value;
}

/* A record around the pointee that has a member there contests the element. */
void rule_further_element(struct pointer_access *access)
{
	const struct value *address = access->address;
	uint64_t size = field_size(address->type);
	struct candidates *candidates = access->candidates;

	if (size > UINT32_MAX || address->offset < (int64_t)size ||
	    unit_records_is_based_before(access) || !access_may_be_element(access) ||
	    !is_in_arrays(access))
		return;
	candidates->contests = FITS_WHOLE | FITS_PARTS;
	candidates->fits = 0;
	add_holders(access);
	candidates->fits = FITS_ANY;
	candidates_add(candidates, address->type, address->offset % (int64_t)size, 0, UINT8_MAX);
}

/* The types in scope come first: no other rule looks at them for an access with an index. */
void rule_indexed_record(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct outside_access away = access_outside(access);

	if (access_may_be_element(access))
		return;
	scope_types_build(solver->caches.scope_types, solver->function);
	scope_types_enclosing(solver->caches.scope_types, &away, access->candidates);
	access->candidates->contests = FITS_PARTS;
	if (!access->candidates->count)
		add_holders(access);
}

/* This rule waits until uses were gathered, because they say more. */
void rule_repeated_head(struct pointer_access *access)
{
	const struct solver *solver = access->solver;
	const struct value *address = access->address;
	size_t count;

	if (!(solver->pass.gathered || solver->pass.last_resort) || address->offset < 0 ||
	    (access_may_be_element(access) && is_in_arrays(access)))
		return;
	const struct type *named =
		solver->facts.untracked
			? unlocated_after_head(solver->function, access_code_address(access),
					       address->type, address->offset, access->size)
			: NULL;

	if (named)
		access_add(access, named, address->offset);
	if (named || access_is_not_followed(access))
		return;
	const struct type *const *records =
		debug_reader_records(solver->reader, solver->code->insns[0].address, &count);

	/* any record in which the access goes to a field may be meant */
	access->candidates->contests = FITS_ANY;
	for (size_t i = 0; i < count; i++)
		if (field_is_head(address->type, records[i]))
			access_add(access, records[i], address->offset);
}
