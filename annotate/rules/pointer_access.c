// SPDX-License-Identifier: GPL-2.0-or-later
/* Accesses through pointers: what their rules share. See stages.h. */
#include "annotate/rules/stages.h"

#include "annotate/types/field.h"

const struct operand *access_operand(const struct pointer_access *access)
{
	return insn_memory(&access->solver->code->insns[access->solver->pass.current], false);
}

uint64_t access_code_address(const struct pointer_access *access)
{
	return access->solver->code->insns[access->solver->pass.current].address;
}

const struct fit *access_fit(const struct pointer_access *access)
{
	return field_cache_fit(access->solver->caches.fields, access->address->type,
			       access->address->offset, access->size);
}

void access_add(struct pointer_access *access, const struct type *type, int64_t offset)
{
	candidates_add(access->candidates, type, offset, 0, 0);
}

bool access_is_cast_freely(const struct pointer_access *access)
{
	const struct solver *solver = access->solver;
	const struct operand *operand = access_operand(access);

	return (access->traits & ACCESS_ALIASED) && operand &&
	       operand->base != solver->arch->stack_pointer &&
	       !(type_strip(access->address->type)->flags & TYPE_BOOL);
}

struct outside_access access_outside(const struct pointer_access *access)
{
	const struct value *address = access->address;

	return (struct outside_access){ address->type, address->offset, address->stride };
}

bool access_is_not_followed(const struct pointer_access *access)
{
	return access->solver->facts.untracked && access->address->how == HOW_VARIABLE &&
	       access->address->origin;
}
