// SPDX-License-Identifier: GPL-2.0-or-later
/* A declared value meets the tracked one. */

#include "annotate/code/code.h"
#include "annotate/flow/flow.h"
#include "annotate/language/go.h"
#include "annotate/language/rust.h"
#include "annotate/objects/objects.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"

/* Returns `winner`, which keeps the type of `loser` as its alternative, in case it proves too
 * small. */
static struct value keep_as_alternative(struct value winner, const struct value *loser,
					uint32_t origin)
{
	int64_t apart;

	if (!winner.stride && !loser->stride &&
	    !__builtin_sub_overflow(loser->offset, winner.offset, &apart) && apart >= INT32_MIN &&
	    apart <= INT32_MAX) {
		winner.alternative = loser->type;
		winner.alternative_delta = (int32_t)apart;
	}
	winner.origin = origin;
	return winner;
}

/* Gives *declared the alternative type that the tracked value has for the same address. */
static void keep_alternative(struct value *declared, const struct value *tracked)
{
	int64_t delta;

	if (!tracked->alternative ||
	    __builtin_sub_overflow(tracked->offset, declared->offset, &delta) ||
	    __builtin_add_overflow(delta, tracked->alternative_delta, &delta) ||
	    delta < INT32_MIN || delta > INT32_MAX)
		return;
	declared->alternative = tracked->alternative;
	declared->alternative_delta = (int32_t)delta;
}

/* Combines the value with a declared integer or void *, which only gives a spill its type, or with
 * a pointer to a class that is only declared. */
static void combine_scalar(struct value *tracked, const struct value *declared)
{
	if ((tracked->kind == VALUE_UNKNOWN || tracked->kind == VALUE_NUMBER) && declared->type &&
	    (!tracked->type || type_strip(tracked->type)->kind == TYPE_UNION))
		tracked->type = declared->type;
	if (tracked->kind == VALUE_UNKNOWN && declared->type && field_named_class(declared->type) &&
	    tracked->type && field_is_void_pointer(tracked->type))
		tracked->type = declared->type;
	if (tracked->kind == VALUE_BOTTOM)
		*tracked = *declared;
}

/* True if the value is the address of either of two variables, or of a record at a place in an
 * array of bytes that is known only at run time. */
static bool is_other_object(const struct value *tracked, const struct type *global,
			    const struct type *declared)
{
	const struct type *bare = type_strip(global);

	if (!tracked->stride || !field_size(global))
		return false;
	return bare->kind == TYPE_ARRAY ? field_size(type_target(bare)) == 1 &&
						  type_is_record(type_strip(declared)) &&
						  tracked->stride < field_size(declared)
					: tracked->stride >= field_size(global);
}

/* Finds the element of an array in the tracked record, at an index, that has the object that a
 * variable is declared to point to: the row in rows[i].mutex, if an inlined method has a pointer to
 * the std::mutex. An element stands for itself, not for the record with the array. */
static bool find_element(const struct value *tracked, const struct value *declared,
			 struct value *element)
{
	const struct type *type = tracked->type;
	int64_t within = tracked->offset - declared->offset;

	for (unsigned int depth = 0; tracked->stride && type && depth < TYPE_DEPTH_MAX; depth++) {
		const struct type *bare = type_strip(type);
		uint64_t size;

		if (bare->kind == TYPE_ARRAY) {
			type = field_element_at(bare, &within);
			size = type ? field_size(type) : 0;
			if (!size || tracked->stride % size || size <= field_size(declared->type) ||
			    !type_is_record(type_strip(type)) ||
			    !field_contains(type, within, declared->type))
				continue;
			*element = *declared;
			element->type = type;
			element->offset = within + declared->offset;
			element->origin = tracked->origin;
			return true;
		}
		if (bare->kind != TYPE_STRUCT && bare->kind != TYPE_CLASS)
			return false;
		type = NULL;
		members_each (member, type_members_near, bare, within)
			if (!type && field_member_has(bare, member, within)) {
				type = member->type;
				within -= member->offset;
			}
	}
	return false;
}

/* True if only the alternative type of the tracked pointer has what is declared, a number of bytes
 * after it: the key that the search in a std::map ended at is a node's, not the map's head. */
static bool is_in_alternative(const struct value *tracked, const struct value *declared)
{
	int64_t within = tracked->offset - declared->offset;

	return tracked->alternative && !tracked->stride &&
	       field_contains(tracked->alternative, within + tracked->alternative_delta,
			      declared->type) &&
	       !field_contains(tracked->type, within, declared->type);
}

struct value solver_combine(struct solver *solver, struct value tracked, struct value declared,
			    bool weak)
{
	if (declared.kind != VALUE_POINTER) {
		combine_scalar(&tracked, &declared);
		return tracked;
	}
	switch (tracked.kind) {
	case VALUE_FRAME: return tracked.stride ? declared : tracked;
	case VALUE_ADDRESS: {
		struct value global;

		if (!solver_global(solver, tracked.offset, &global))
			return declared;
		return !weak && is_other_object(&tracked, global.type, declared.type) ? declared
										      : tracked;
	}
	case VALUE_POINTER:
		if (field_same_type(tracked.type, declared.type)) {
			solver_note_walk(solver, declared.type, tracked.offset - declared.offset);
			/* The tracked value wins over a weak declaration, because it may have an
			 * index, or may be p[-1]. */
			if (tracked.offset != declared.offset && tracked.how != HOW_INFERRED &&
			    weak)
				return tracked;
			keep_alternative(&declared, &tracked);
			declared.origin = tracked.origin;
			return declared;
		}
		if (solver->pass.gather && !weak)
			origins_use(&solver->origins, &tracked, declared.type, declared.offset);
		switch (rules_apply_to_meeting(solver, &tracked, &declared)) {
		case RULE_KEEPS: return tracked;
		case RULE_TAKES: declared.origin = tracked.origin; return declared;
		default: break;
		}
		struct value element;

		if (!weak && find_element(&tracked, &declared, &element))
			return element;
		if (solver_is_behind(solver, &tracked, &declared))
			return tracked;
		if (!weak || (value_is_cast_element(&tracked) && !declared.offset &&
			      type_is_record(type_strip(declared.type)))) {
			if (is_in_alternative(&tracked, &declared)) {
				tracked.type = tracked.alternative;
				tracked.offset += tracked.alternative_delta;
			}
			return keep_as_alternative(declared, &tracked, tracked.origin);
		}
		/* a weak fact takes the place of no other alternative */
		return tracked.alternative
			       ? tracked
			       : keep_as_alternative(tracked, &declared, tracked.origin);
	case VALUE_UNKNOWN:
		if (go_is_interface_data(solver, &tracked))
			return go_name_data(solver, &tracked, declared);
		if (solver->pass.gather && !weak)
			origins_use(&solver->origins, &tracked, declared.type, declared.offset);
		if (tracked.offset == declared.offset && !tracked.stride)
			declared.origin = tracked.origin;
		return declared;
	case VALUE_NUMBER:
		/* An index is not a pointer into an object: rustc describes a reference to a
		 * member, which is base + index + offset, as index + offset. */
		return (declared.offset && tracked.stride != 1) || rust_is_index(solver, &tracked)
			       ? tracked
			       : declared;
	default: return declared;
	}
}

static void set_fact(struct state *state, uint8_t reg, struct value value)
{
	if (reg_is_vector(reg)) {
		const struct value high = state_value(state, STATE_HIGH(reg));

		state_set_vector(state, reg, &value, &high);
	} else {
		state->values[reg] = value;
	}
}

/* True if both agree: the common case, for which solver_combine() would give the same result. */
static bool is_agreed(const struct value *tracked, const struct value *declared)
{
	return tracked->kind == VALUE_POINTER && tracked->offset == declared->offset &&
	       (tracked->type == declared->type || field_same_type(tracked->type, declared->type));
}

/*
 * True if the fact is no evidence, because the compiler only names the registers that it chose, and
 * chose this one for variables of several types, whose types are then tried like those of a union.
 */
static bool is_one_of_several(struct solver *solver, const struct value *tracked, uint8_t reg,
			      const struct register_fact *fact)
{
	const struct type *pointees[ALTERNATIVES_MAX];
	size_t count;

	if (!solver->facts.untracked || !fact->everywhere || fact->weak ||
	    fact->value.kind != VALUE_POINTER)
		return false;
	count = facts_pointees(&solver->facts, reg,
			       solver->code->insns[solver->pass.current].address, pointees,
			       ALTERNATIVES_MAX);
	if (count < 2)
		return false;
	if (tracked->kind == VALUE_UNKNOWN && !tracked->offset && !tracked->stride)
		alternatives_note_variables(solver, tracked->origin, pointees, count);
	return true;
}

/* True if the register has a number of fewer bytes than an address, while the compiler only names
 * it as the register that it chose for a pointer: other values are in it, too. */
static bool is_another_number(const struct solver *solver, const struct value *tracked,
			      const struct register_fact *fact)
{
	if (!solver->facts.untracked || !fact->everywhere || fact->value.kind != VALUE_POINTER)
		return false;
	if (tracked->kind == VALUE_NUMBER)
		return tracked->stride || tracked->offset;
	return tracked->kind == VALUE_UNKNOWN && tracked->type &&
	       type_size_or(tracked->type, WORD) < WORD;
}

/* True if the instruction adds a constant to the register, or an index: an array is there. */
static bool meet_moves_over(const struct insn *insn, uint8_t reg)
{
	int64_t change;

	if (insn_adds_constant(insn, reg, &change))
		return true;
	return any_of(i, 0, insn->operand_count,
		      insn->operands[i].kind == OPERAND_MEMORY && insn->operands[i].base == reg &&
			      insn->operands[i].index != REG_NONE);
}

/* True if the code moves over an array from a register that some location gives the variable. */
static bool is_moved(const struct solver *solver, const struct variable *variable)
{
	array_each (const struct location, location, variable->locations,
		    variable->location_count) {
		uint8_t reg = arch_reg_from_dwarf(solver->abi->arch, location->reg);

		if (location->kind != LOCATION_REGISTER &&
		    location->kind != LOCATION_REGISTER_VALUE)
			continue;
		for (size_t k = 0; k < solver->code->insn_count; k++)
			if (meet_moves_over(&solver->code->insns[k], reg))
				return true;
	}
	return false;
}

/*
 * Returns the fact's value for a register of which nothing else is known. In a walk by the address
 * of the link of a list or tree (`while let Some(b) = n { n = &b.next; }`), LLVM keeps the pointer
 * to the record in the register, and the variable is the register plus a number of bytes. If the
 * link's pointee has such a link at this offset, the register points to that record.
 */
static struct value declared_value(const struct solver *solver, const struct register_fact *fact)
{
	struct value value = fact->value;

	if (value.kind != VALUE_POINTER || value.offset >= 0 || fact->weak)
		return value;
	const struct type *link = field_scalar(value.type, 0, field_size(value.type));
	const struct type *record = link ? field_pointee(link) : NULL;

	if (record && type_is_record(type_strip(record)) &&
	    field_contains(record, -value.offset, value.type) &&
	    !is_moved(solver, &solver->function->variables[fact->variable])) {
		value.type = type_canonical(record);
		value.offset = 0;
	}
	return value;
}

/* True if variables put the register at two places of one type, and the code at one of them: LLVM
 * moves the start of a loop's pointer, and corrects the locations of some of the variables alone.
 */
static bool meet_is_disputed(const struct solver *solver, const struct value *tracked, uint8_t reg,
			     const struct register_fact *fact)
{
	struct field_ref records[FACTS_RECORDS_MAX];
	size_t count;

	if (tracked->kind != VALUE_POINTER || fact->value.kind != VALUE_POINTER ||
	    tracked->offset == fact->value.offset ||
	    !field_same_type(tracked->type, fact->value.type))
		return false;
	count = facts_records_around(&solver->facts, reg, 0,
				     solver->code->insns[solver->pass.current].address, records,
				     FACTS_RECORDS_MAX);
	return any_of(i, 0, count,
		      records[i].offset == tracked->offset &&
			      field_same_type(records[i].type, tracked->type));
}

/* Finds the pointer to the record of which the fact's `this` tells a member of the union that it
 * begins with: the tracked value, or what a variable says of the register. */
static bool find_whole(const struct solver *solver, const struct value *tracked, uint8_t reg,
		       const struct register_fact *fact, struct value *whole)
{
	struct field_ref records[FACTS_RECORDS_MAX];
	size_t count = 0;

	*whole = *tracked;
	if (tracked->kind == VALUE_POINTER)
		return !tracked->stride && tracked->offset == fact->value.offset &&
		       field_tells_member(tracked->type, fact->value.type);
	if (tracked->kind == VALUE_UNKNOWN && fact->value.kind == VALUE_POINTER)
		count = facts_records_around(&solver->facts, reg, 0,
					     solver->code->insns[solver->pass.current].address,
					     records, FACTS_RECORDS_MAX);
	while (count-- > 0)
		if (records[count].offset == fact->value.offset &&
		    field_tells_member(records[count].type, fact->value.type)) {
			*whole = value_pointer(records[count].type, fact->value.offset,
					       fact->value.how);
			return true;
		}
	return false;
}

/* True if the value is what the caller has passed in the register, and the fact says so: a variable
 * of another type had the same address for a while. */
static bool meet_is_argument(const struct solver *solver, const struct value *tracked, uint8_t reg,
			     const struct register_fact *fact)
{
	const struct variable *variable = &solver->function->variables[fact->variable];

	return tracked->kind == VALUE_POINTER && tracked->origin && !tracked->offset &&
	       !tracked->stride && !solver->facts.untracked && !variable->scope &&
	       variable->flags & VARIABLE_PARAMETER &&
	       solver->origins.items[tracked->origin].key == origin_key_entry(reg);
}

/* Applies a fact that differs from the tracked value. */
static __attribute__((noinline)) void apply_different(struct solver *solver, struct state *state,
						      uint8_t reg, const struct register_fact *fact)
{
	const struct value tracked = state_value(state, reg);

	/* the register still has its value at the function's entry, which the fact does not
	 * describe */
	if (fact->not_at_entry && tracked.origin &&
	    solver->origins.items[tracked.origin].key == origin_key_entry(reg))
		return;
	if (is_one_of_several(solver, &tracked, reg, fact) ||
	    is_another_number(solver, &tracked, fact))
		return;
	/* A table of words that a variable reads as records is a cast, not a stale register. */
	bool cast = tracked.kind == VALUE_POINTER && fact->value.kind == VALUE_POINTER &&
		    !type_is_record(type_strip(tracked.type)) &&
		    type_is_record(type_strip(fact->value.type));
	bool weak = fact->weak ||
		    (fact->everywhere && !cast && !meet_is_argument(solver, &tracked, reg, fact)) ||
		    facts_agree_with_twin(&solver->facts, reg, fact, &tracked) ||
		    meet_is_disputed(solver, &tracked, reg, fact);

	if (solver->tags.casting && !fact->weak && !solver->facts.untracked &&
	    fact->value.kind == VALUE_POINTER && !fact->value.offset)
		tags_note_cast(solver, &tracked, fact->value.type);
	if (solver->pass.gather && !weak)
		go_note_named(solver, state, &tracked, &fact->value);
	struct value whole;

	if (fact->is_this && find_whole(solver, &tracked, reg, fact, &whole)) {
		set_fact(state, reg, keep_as_alternative(whole, &fact->value, tracked.origin));
		return;
	}
	set_fact(state, reg,
		 solver_combine(solver, tracked,
				tracked.kind == VALUE_UNKNOWN ? declared_value(solver, fact)
							      : fact->value,
				weak));
}

void solver_apply_fact(struct solver *solver, struct state *state, uint8_t reg,
		       const struct register_fact *fact)
{
	if (!reg_is_general(reg)) {
		apply_different(solver, state, reg, fact);
		return;
	}
	struct value *value = &state->values[reg];

	if (fact->value.kind != VALUE_POINTER) {
		combine_scalar(value, &fact->value);
		if (fact->word && value->kind == VALUE_UNKNOWN && value->origin && !value->offset &&
		    !value->stride)
			alternatives_note_word(solver, value->origin,
					       solver->function->variables[fact->variable].type);
	} else if (is_agreed(value, &fact->value)) {
		/* the tracked value keeps its alternative type and its origin */
		value->type = fact->value.type;
		value_take_strides(value, &fact->value);
		value->how = fact->value.how;
		if (!value->alternative) {
			value->alternative = fact->value.alternative;
			value->alternative_delta = fact->value.alternative_delta;
		}
	} else {
		apply_different(solver, state, reg, fact);
	}
}
