// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where an access through a pointer goes: the stages STAGE_BEFORE to STAGE_LAST, and their rules. The table
 * in rules.c says of each rule why it is likely to be right, and has an example; a function here is the exact
 * condition.
 */
#include "annotate/rules/stages.h"

#include "annotate/lost.h"
#include "annotate/place.h"

/* An access further from an object than this many of its sizes is to another object. */
#define NEIGHBOURS 16

bool solver_is_walked(const struct solver *solver, const struct type *type)
{
	for (uint32_t i = 0; i < solver->walked_count; i++)
		if (place_same_type(solver->walked[i], type))
			return true;
	return false;
}

void solver_note_walk(struct solver *solver, const struct type *type, int64_t apart)
{
	const struct type *bare = type_strip(type);

	if (!solver->gather || !type_is_record(bare) || !bare->size || !apart ||
	    apart % (int64_t)bare->size || solver_is_walked(solver, type))
		return;
	array_reserve(solver->walked, solver->walked_count, solver->walked_capacity);
	solver->walked[solver->walked_count++] = type;
}

void solver_note_use(struct solver *solver, const struct value *value, const struct type *object)
{
	/* an inferred type of one place of a record says nothing of another place in it */
	if (value->kind == VALUE_POINTER && value->how != HOW_INFERRED &&
	    place_same_type(value->type, object))
		solver_note_walk(solver, object, value->offset);
	object_uses_note(solver, value, object);
	origins_use(&solver->origins, value, object, 0);
}

static uint64_t code_address(const struct pointer_access *access)
{
	return access->solver->code->insns[access->solver->current].address;
}

/* The memory operand of the instruction; NULL if it has none, or none that is a store and `store` is set. */
static const struct operand *operand_of(const struct pointer_access *access, bool store)
{
	return insn_memory(&access->solver->code->insns[access->solver->current], store);
}

/* Puts the place at an offset of `type`, or the reason why there is none. */
static bool find(struct pointer_access *access, const struct type *type, int64_t offset)
{
	access->reason = place_find(type, offset, 0, access->size, access->place);
	return true;
}

/* The same, if there is a place. */
static bool find_if(struct pointer_access *access, const struct type *type, int64_t offset)
{
	struct place place;

	if (place_find(type, offset, 0, access->size, &place) != REASON_NONE)
		return false;
	*access->place = place;
	access->reason = REASON_NONE;
	return true;
}

/* ---- STAGE_BEFORE */

/* Programs with strict aliasing read words of text with memcpy(). A kernel does not: there, a word behind a
 * byte pointer is a member. Where no variable says what the bytes were cast to, single bytes next to such a
 * word may be members as well. */
bool rule_cast_of_bytes(struct pointer_access *access)
{
	const struct value *address = access->address;

	if (access->traits & ACCESS_UNDECLARED)
		return access->size != 1 || access->solver->casts_bytes;
	return (access->traits & ACCESS_KERNEL) && type_strip(address->type)->kind == TYPE_INTEGER &&
	       address->how != HOW_GLOBAL && access->size > 1 && access->size <= 8;
}

bool rule_link_around(struct pointer_access *access)
{
	struct place place;

	if (!link_is_followed(access->solver, access->address) ||
	    link_place(access->solver, access->address, access->size, &place) != REASON_NONE)
		return false;
	*access->place = place;
	access->reason = REASON_NONE;
	return true;
}

bool rule_link_alone(struct pointer_access *access)
{
	struct place place;

	return link_is_followed(access->solver, access->address) &&
	       link_place(access->solver, access->address, access->size, &place) == REASON_OUTSIDE;
}

/* ---- STAGE_DECLARED */

/* A variable that itself lies on the stack is what it is declared as. */
bool rule_buffer_cast(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;

	if (access->size > 8 ||
	    !place_memo_in_buffer(solver->places, address->type, address->offset, access->size))
		return false;
	const struct operand *operand = operand_of(access, false);

	if (!operand || !reg_is_general(operand->base) || operand->base == REG_RSP)
		return false;
	const struct register_fact *fact =
		facts_register_cast(&solver->facts, operand->base, code_address(access), address->type,
				    address->offset, access->size);
	const struct type *type = fact ? fact->value.type
				       : lost_cast(solver->function, code_address(access), address->type,
						   address->offset, access->size);

	return type && find_if(access, type, address->offset);
}

bool rule_head_cast(struct pointer_access *access)
{
	const struct value *address = access->address;

	return place_cuts_pointer(address->type, address->offset, access->size) &&
	       place_scalar(address->other, access->other_offset, access->size) &&
	       find(access, address->other, access->other_offset);
}

bool rule_disputed_type(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct value *used = &access->solver->origins.items[address->origin].inferred;
	struct place place;
	int64_t offset;

	return used->kind == VALUE_POINTER && type_is_record(type_strip(used->type)) &&
	       !place_same_type(used->type, address->type) &&
	       !place_contains(used->type, used->offset, address->type) &&
	       !place_contains(address->type, -used->offset, used->type) &&
	       !__builtin_add_overflow(used->offset, address->offset, &offset) &&
	       place_find(used->type, offset, 0, access->size, &place) == REASON_NONE;
}

/*
 * In a kernel this holds of integers, and of a part of anything. Elsewhere only of a pointer that was
 * inferred from one use as a scalar: an access in front of it, or to a part of p[3].
 */
bool rule_far_scalar(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct type *bare = type_strip(address->type);
	bool inferred = address->how == HOW_INFERRED && address->origin;
	bool part = access->size < bare->size;

	if (address->how == HOW_GLOBAL || bare->size <= 1 ||
	    (address->offset >= 0 && address->offset < (int64_t)bare->size))
		return false;
	return ((access->traits & ACCESS_KERNEL) && (bare->kind == TYPE_INTEGER || part)) ||
	       (inferred && (part || address->offset < 0));
}

/* Single bits may be set in a part of an integer: such an instruction reads it, too. */
bool rule_narrow_store(struct pointer_access *access)
{
	if (access->size >= place_size(access->address->type) || access->address->how == HOW_GLOBAL)
		return false;
	const struct operand *operand = operand_of(access, true);

	return operand && operand->base != REG_RSP && operand->base != REG_RBP && operand->write &&
	       !operand->read;
}

/* Members of a declared record are copied together, and members of any record are cleared together; but
 * nothing is copied together with what follows the record. */
bool rule_misfit(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct place *place = access->place;
	int64_t end = (int64_t)place_size(place->type);
	bool guessed = address->how == HOW_INFERRED && address->origin && !address->stride;
	bool past_end = place->offset < end && place->offset + (int64_t)access->size > end;

	if ((!guessed && !past_end) || access->size > 8 || place->type != address->type ||
	    place_holds_access(place->type, place->offset, access->size))
		return false;
	const struct operand *operand = operand_of(access, false);

	return past_end || !(operand && operand->write);
}

bool rule_far_pointer(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct type *bare = type_strip(address->type);

	return bare->kind == TYPE_POINTER &&
	       (address->offset < 0 || address->offset >= (int64_t)bare->size) &&
	       type_is_record(type_strip(address->other)) &&
	       place_scalar(address->other, access->other_offset, access->size);
}

/* ---- STAGE_INDEXED */

bool rule_unknown_offset(struct pointer_access *access)
{
	const struct value *address = access->address;

	return address->stride == 1 && access->size <= 8 &&
	       place_scalar(address->type, address->offset, access->size) &&
	       find(access, address->type, address->offset);
}

/* ---- STAGE_OUTSIDE */

/* s[-1] of a text looks the same as a header of one byte, so single bytes count only where the function also
 * reads wider members in front of a text. */
bool rule_text_header(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;
	struct place place;
	size_t count;

	if (address->offset >= 0 || !solver->infer || !solver->reader ||
	    (access->size == 1 && !solver->casts_headers))
		return false;
	const struct type *const *records =
		debug_reader_flexible_records(solver->reader, solver->code->insns[0].address, &count);

	if (!place_in_header(records, count, address->type, address->offset, access->size, &place))
		return false;
	*access->place = place;
	access->reason = REASON_NONE;
	return true;
}

/* p[i] of a scalar is the scalar at any offset: that is no sign that p is not the pointer to a record that it
 * is also said to be. */
bool rule_alternative_type(struct pointer_access *access)
{
	const struct value *address = access->address;
	int64_t offset = access->other_offset;

	return (!(access->traits & ACCESS_RECORD) || type_is_record(type_strip(address->other)) ||
		(offset >= 0 && (uint64_t)offset < place_size(address->other))) &&
	       find_if(access, address->other, offset);
}

bool rule_second_use(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct value *used = &access->solver->origins.items[address->origin].inferred;

	return used->kind == VALUE_POINTER && used->type != address->type &&
	       type_is_record(type_strip(used->type)) &&
	       find_if(access, used->type, used->offset + address->offset);
}

bool rule_walked_array(struct pointer_access *access)
{
	const struct value *address = access->address;
	uint64_t size = place_size(address->type);

	if (((access->traits & ACCESS_UNDECLARED) && link_is(address->type)) || !size || size > UINT32_MAX ||
	    address->offset < -4 * (int64_t)size || address->offset >= NEIGHBOURS * (int64_t)size ||
	    !solver_is_walked(access->solver, address->type))
		return false;
	access->reason =
		place_find(address->type, address->offset, (uint32_t)size, access->size, access->place);
	return true;
}

bool rule_around_part(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;
	const struct value *part = &solver->origins.items[address->origin].inferred;
	struct place place;
	int64_t offset;

	if (part->kind != VALUE_POINTER || part->type != address->type || part->offset >= 0 ||
	    part->offset == INT64_MIN || access->size > 8 ||
	    __builtin_sub_overflow(address->offset, part->offset, &offset))
		return false;
	vocabulary_build(solver->vocabulary, solver->function);
	if (!vocabulary_around(solver->vocabulary, address->type, -part->offset, offset, access->size,
			       &place))
		return false;
	*access->place = place;
	access->reason = REASON_NONE;
	return true;
}

/* How many of the types in scope have the pointee and a member where the access goes. */
static enum vocabulary_choice look_around(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;

	if (!access->looked_around) {
		vocabulary_build(solver->vocabulary, solver->function);
		access->around = vocabulary_enclosing(solver->vocabulary, address->type, address->offset,
						      access->size, &access->around_place);
		access->looked_around = true;
	}
	return access->around;
}

static bool is_up_to_a_word(const struct pointer_access *access)
{
	return access->size && access->size <= 8;
}

bool rule_enclosing_record(struct pointer_access *access)
{
	if (!is_up_to_a_word(access) || look_around(access) != VOCABULARY_ONE)
		return false;
	*access->place = access->around_place;
	access->reason = REASON_NONE;
	return true;
}

bool rule_enclosing_in_scope(struct pointer_access *access)
{
	const struct value *address = access->address;
	struct place place;

	if (!is_up_to_a_word(access) || look_around(access) != VOCABULARY_SEVERAL ||
	    !lost_enclosing(access->solver->function, code_address(access), address->type, address->offset,
			    access->size, &place))
		return false;
	*access->place = place;
	access->reason = REASON_NONE;
	return true;
}

bool rule_unit_cast(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;
	struct place place;
	size_t count;

	if (!is_up_to_a_word(access) || look_around(access) != VOCABULARY_NONE)
		return false;
	const struct inline_cast *casts =
		debug_reader_inline_casts(solver->reader, solver->code->insns[0].address, &count);

	if (!vocabulary_cast(casts, count, address->type, address->offset, access->size, &place))
		return false;
	*access->place = place;
	access->reason = REASON_NONE;
	return true;
}

bool rule_behind_record(struct pointer_access *access)
{
	const struct value *address = access->address;
	struct place place;

	if (!is_up_to_a_word(access) || look_around(access) != VOCABULARY_NONE ||
	    !lost_behind(access->solver->function, code_address(access), address->type, address->offset,
			 access->size, &place))
		return false;
	*access->place = place;
	access->reason = REASON_NONE;
	return true;
}

/* In a kernel, and in C++, what is behind a record belongs rather to a larger one around it. */
bool rule_old_flexible_array(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;
	struct place place;

	if ((access->traits & ACCESS_KERNEL) || !solver->function ||
	    solver->function->language == LANGUAGE_CXX || address->how == HOW_GLOBAL ||
	    place_size(address->type) > UINT32_MAX ||
	    address->offset >= NEIGHBOURS * (int64_t)place_size(address->type) ||
	    !place_old_element(address->type, address->offset, access->size, &place))
		return false;
	*access->place = place;
	access->reason = REASON_NONE;
	return true;
}

/* ---- the stages in turn */

static uint32_t traits_of(const struct solver *solver, const struct value *address)
{
	const struct type *bare = type_strip(address->type);
	uint32_t traits = address->how == HOW_INFERRED ? ACCESS_INFERRED : ACCESS_DECLARED;

	if (!address->stride)
		traits |= ACCESS_CONSTANT;
	if (type_is_record(bare))
		traits |= ACCESS_RECORD;
	if (bare->kind == TYPE_INTEGER || bare->kind == TYPE_POINTER)
		traits |= ACCESS_SCALAR;
	if (bare->size == 1)
		traits |= ACCESS_BYTE;
	if (address->other)
		traits |= ACCESS_ALTERNATIVE;
	if (address->origin)
		traits |= ACCESS_ORIGIN;
	if (solver_has_no_variables(solver))
		traits |= ACCESS_UNDECLARED;
	if (solver->kernel)
		traits |= ACCESS_KERNEL;
	if (solver->infer && solver->function)
		traits |= ACCESS_MAY_INFER;
	if (solver->last_resort)
		traits |= ACCESS_LAST_RESORT;
	return traits;
}

/* The first rule of a stage that applies; NULL: none does. Its function has changed access->reason and
 * *access->place where its verdict is an answer; a refusal's reason is put here. */
static const struct rule *decide(struct pointer_access *access, enum rule_stage stage)
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

/* All stages but the last. Returns the rule that decided; NULL: the declared type did. */
static const struct rule *decide_place(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct rule *rule = decide(access, STAGE_BEFORE), *doubt = NULL;

	if (rule)
		return rule;
	access->reason = place_memo_find(access->solver->places, address->type, address->offset,
					 address->stride, access->size, access->place);
	if (access->reason == REASON_NONE) {
		rule = decide(access, STAGE_DECLARED);
		if (!rule || rule->verdict != RULE_DOUBTS)
			return rule;
		doubt = rule;
	}
	if (access->reason != REASON_OUTSIDE)
		return NULL;
	rule = decide(access, address->stride ? STAGE_INDEXED : STAGE_OUTSIDE);
	return rule ? rule : doubt;
}

enum access_reason solver_place(struct solver *solver, const struct value *address, uint64_t size,
				struct place *place, uint8_t *how)
{
	struct pointer_access access = {
		.solver = solver,
		.address = address,
		.size = size,
		.place = place,
		.traits = traits_of(solver, address),
		.other_offset = (int64_t)((uint64_t)address->offset + (uint64_t)(int64_t)address->moved),
	};
	const struct rule *rule = decide_place(&access);

	if (rule && rule->verdict == RULE_INFERS)
		*how = HOW_INFERRED;
	if (access.reason == REASON_NONE && (access.traits & ACCESS_UNDECLARED) && size && size <= 8) {
		const struct rule *last = decide(&access, STAGE_LAST);

		rule = last ? last : rule;
	}
	if (rule)
		solver->rule = (uint8_t)(rule - rules);
	return access.reason;
}
