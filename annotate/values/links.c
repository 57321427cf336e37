// SPDX-License-Identifier: GPL-2.0-or-later
/* Nodes of lists and trees, and the records around them: see links.h. */
#include "annotate/values/links.h"

#include "annotate/flow/solver.h"
#include "annotate/types/field.h"

bool link_is(const struct type *type)
{
	const struct type *bare = type_strip(type);
	size_t words = 0;
	bool to_own = false;

	if (bare->kind != TYPE_STRUCT || type_size_or(bare, 0) % WORD ||
	    type_size_or(bare, 0) > 3 * WORD)
		return false;

	members_each (part, type_members, bare) {
		const struct type *member = type_strip(part->type), *object = NULL;

		if (type_is_pointer(member))
			object = field_pointee(member);
		else if (member->kind != TYPE_INTEGER || type_size_or(member, 0) != WORD || words++)
			return false;
		to_own |= object && field_same_type(object, bare);
	}
	return to_own;
}

bool link_is_followed(const struct solver *solver, const struct value *address)
{
	return solver_has_no_variables(solver) && solver->options.infer &&
	       address->kind == VALUE_POINTER && address->origin && !address->stride &&
	       link_is(address->type);
}

bool link_holds(const struct value *address, uint64_t size)
{
	return address->offset >= 0 &&
	       address->offset + (int64_t)size <= (int64_t)field_size(address->type);
}

bool link_is_from_around(const struct solver *solver, const struct value *address)
{
	const struct insn *insn = &solver->code->insns[solver->pass.current];
	const struct operand *operand = insn_memory(insn, false);

	if (!operand)
		operand = insn_memory(insn, true);
	return operand && operand->index == REG_NONE && operand->value != address->offset;
}
