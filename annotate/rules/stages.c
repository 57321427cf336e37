// SPDX-License-Identifier: GPL-2.0-or-later
/* The stages of the table, run one after the other: see stages.h. */
#include "annotate/rules/stages.h"

#include <assert.h>
#include <string.h>

#include "annotate/types/field.h"
#include "annotate/types/member.h"

static uint32_t traits_of(const struct solver *solver, const struct value *address)
{
	const struct type *bare = type_strip(address->type);
	uint32_t traits = address->how == HOW_INFERRED ? ACCESS_INFERRED : ACCESS_DECLARED;

	if (!address->stride)
		traits |= ACCESS_CONSTANT;
	if (type_is_record(bare))
		traits |= ACCESS_RECORD;
	if (bare->kind == TYPE_INTEGER || bare->kind == TYPE_POINTER || bare->kind == TYPE_ENUM)
		traits |= ACCESS_SCALAR;
	if (type_size_or(bare, 0) == 1)
		traits |= ACCESS_BYTE;
	if (address->alternative)
		traits |= ACCESS_ALTERNATIVE;
	if (address->origin)
		traits |= ACCESS_ORIGIN;
	if (solver_has_no_variables(solver))
		traits |= ACCESS_UNDECLARED;
	if (solver->options.kernel)
		traits |= ACCESS_KERNEL;
	if (solver->options.infer && solver->function)
		traits |= ACCESS_MAY_INFER;
	if (solver->pass.last_resort)
		traits |= ACCESS_LAST_RESORT;
	return traits;
}

/* Returns the first rule of a stage that applies; NULL: none does. If the verdict is an answer, the
 * rule's function has set it; a refusal's reason is set here. */
static const struct rule *apply_stage(struct pointer_access *access, enum rule_stage stage)
{
	const struct rule *rule = &rules[rules_first(stage)], *end = &rules[rules_first(stage + 1)];

	for (; rule < end; rule++) {
		if ((access->traits & rule->needs) != rule->needs ||
		    !rule_is_on((enum rule_id)(rule - rules)) || !rule->applies.access(access))
			continue;
		if (rule->verdict == RULE_REFUSES)
			access->reason = rule->refusal;
		else if (rule->verdict == RULE_DOUBTS)
			access->reason = REASON_OUTSIDE;
		return rule;
	}
	return NULL;
}

/* Runs all stages except the last. Returns the rule that decided; NULL: the declared type did. */
static const struct rule *decide_field(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct rule *rule = apply_stage(access, STAGE_BEFORE), *doubt = NULL;

	if (rule)
		return rule;
	access->reason =
		field_cache_find(access->solver->caches.fields, address->type, address->offset,
				 address->stride, access->size, access->field);
	if (access->reason == REASON_NONE) {
		rule = apply_stage(access, STAGE_DECLARED);
		if (!rule || rule->verdict != RULE_DOUBTS)
			return rule;
		doubt = rule;
	}
	if (access->reason != REASON_OUTSIDE)
		return NULL;
	rule = apply_stage(access, address->stride ? STAGE_INDEXED : STAGE_OUTSIDE);
	return rule ? rule : doubt;
}

/* Returns the address with one stride in place of several, if the arrays of its type say which one
 * matters. */
static struct value with_one_stride(const struct value *address, uint64_t size)
{
	struct value result = *address;
	uint64_t strides[STEPS];
	size_t count = value_strides(address, strides);
	uint32_t last = address->stride;
	int64_t offset = address->offset;

	if (field_last_stride(address->type, strides, count, size, &offset, &last)) {
		result.alternative_delta += (int32_t)(address->offset - offset);
		result.offset = offset;
	}
	value_set_stride(&result, last);
	return result;
}

/* True if the index of the address, whose place in its record is `offset`, may be that of two
 * arrays. */
static bool has_two_meanings(const struct value *address, int64_t offset, uint64_t size)
{
	uint64_t strides[STEPS];
	size_t count = value_strides(address, strides);

	return address->stride && size <= 8 &&
	       field_index_fits_two(address->type, offset, strides, count, size);
}

enum access_reason solver_field(struct solver *solver, const struct value *address, uint64_t size,
				struct field_ref *field, uint8_t *how)
{
	const struct value *indexed = address;
	struct value settled;

	/* one stride may belong to an array after the one that the offset is in */
	if (address->steps[0] ||
	    (address->stride && size <= 8 && !field_scalar(address->type, address->offset, size))) {
		settled = with_one_stride(address, size);
		address = &settled;
	}
	struct pointer_access access = {
		.solver = solver,
		.address = address,
		.size = size,
		.field = field,
		.traits = traits_of(solver, address),
		.alternative_offset = (int64_t)((uint64_t)address->offset +
						(uint64_t)(int64_t)address->alternative_delta),
	};
	assert(address->kind == VALUE_POINTER && value_is_sound(address));

	const struct rule *rule = decide_field(&access);

	if (rule && rule->verdict == RULE_INFERS)
		*how = HOW_INFERRED;
	if (access.reason == REASON_NONE && (access.traits & ACCESS_UNDECLARED) && size &&
	    size <= 8) {
		const struct rule *last = apply_stage(&access, STAGE_LAST);

		rule = last ? last : rule;
	}
	if (access.reason == REASON_NONE && !rule &&
	    has_two_meanings(indexed, address->offset, size))
		access.reason = REASON_INDEX;
	if (rule)
		solver->result.rule = (uint8_t)(rule - rules);
	return access.reason;
}

enum rule_verdict rules_apply_to_meeting(struct solver *solver, const struct value *tracked,
					 const struct value *declared)
{
	for (unsigned int i = rules_first(STAGE_MEET); i < rules_first(STAGE_MEET + 1); i++)
		if (rules[i].applies.meet && rule_is_on(i) &&
		    rules[i].applies.meet(tracked, declared)) {
			solver->result.fired |= UINT64_C(1) << i;
			return rules[i].verdict;
		}
	return RULE_GUARD;
}

void rules_apply_to_load(struct loaded_value *load)
{
	for (unsigned int i = rules_first(STAGE_LOAD); rules[i].applies.load; i++)
		if (rule_is_on(i) && rules[i].applies.load(load)) {
			load->solver->result.fired |= UINT64_C(1) << i;
			return;
		}
}
