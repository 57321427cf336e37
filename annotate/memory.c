// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads and stores of the solver. */
#include "annotate/rules/stages.h"

#include <string.h>

#include "annotate/place.h"
#include "annotate/rust.h"

/* Is the variable at this address one that the kernel keeps the distance to per-cpu copies in?
 * (include/asm-generic/percpu.h, arch/x86/include/asm/percpu.h) */
static bool holds_per_cpu_offset(const struct solver *solver, const struct value *address)
{
	const struct symbol *symbol =
		solver->kernel ? elf_image_object_at(solver->image, (uint64_t)address->offset) : NULL;

	return symbol &&
	       (strcmp(symbol->name, "this_cpu_off") == 0 || strcmp(symbol->name, "__per_cpu_offset") == 0);
}

bool solver_untag(const struct solver *solver, struct value *value)
{
	const struct origin *origin = &solver->origins.items[value->origin];

	/* what a variable says is sure */
	if (value->kind != VALUE_POINTER || value->how == HOW_VARIABLE || value->offset || value->stride ||
	    !origin->object || !solver->infer || !solver->function || !rule_is_on(RULE_TAGGED_POINTER) ||
	    !place_may_be_number(origin->object, origin->offset, 8))
		return false;
	const struct type *record = vocabulary_of_private(solver->function, solver->code, NULL, 0,
							  origin->object, origin->offset);

	if (record)
		*value = value_pointer(record, 0, HOW_INFERRED);
	else if (origin->inferred.kind == VALUE_POINTER)
		*value = origin->inferred;
	else
		*value = value_unknown(value->origin);
	return true;
}

/* What a void pointer in a record was cast to in functions that are inlined here; NULL: not known. */
static const struct type *private_data(const struct solver *solver, const struct place *place,
				       const struct type *type)
{
	const struct type *bare = type_strip(type);
	const struct type *object = type_is_pointer(bare) ? type_target(bare) : NULL;
	const struct type *record;

	if (!solver->infer || !solver->function || !object || type_strip(object)->kind != TYPE_VOID)
		return NULL;
	record = place_innermost_record(place->type, place->offset);
	if (!record)
		return NULL;
	size_t count;
	const struct inline_cast *casts =
		debug_reader_inline_casts(solver->reader, solver->code->insns[0].address, &count);

	return vocabulary_of_private(solver->function, solver->code, casts, count, record, place->offset);
}

bool rule_rust_vector(struct loaded_value *load)
{
	struct solver *solver = load->solver;
	const struct type *element;

	if (load->value.kind != VALUE_POINTER || !solver->function ||
	    solver->function->language != LANGUAGE_RUST || type_strip(load->value.type)->size != 1 ||
	    !rust_vector_buffer(solver, load->place->type, load->place->offset, &element))
		return false;
	if (!element || !place_size(element))
		load->value = *load->unknown;
	else
		load->value.type = element;
	return true;
}

bool rule_inferred_load(struct loaded_value *load)
{
	if (load->value.kind != VALUE_UNKNOWN || load->unknown->kind != VALUE_POINTER)
		return false;
	load->value = *load->unknown;
	return true;
}

bool rule_private_data(struct loaded_value *load)
{
	const struct type *record = load->value.kind == VALUE_UNKNOWN
					    ? private_data(load->solver, load->place, load->type)
					    : NULL;

	if (!record)
		return false;
	load->value.kind = VALUE_POINTER;
	load->value.type = record;
	load->value.how = HOW_INFERRED;
	return true;
}

/* The first rule for what is loaded that applies changes load->value. */
static void apply_rules(struct loaded_value *load)
{
	for (unsigned int i = rules_first(STAGE_LOAD); rules[i].applies.load; i++)
		if (rule_is_on(i) && rules[i].applies.load(load)) {
			load->solver->fired |= UINT64_C(1) << i;
			return;
		}
}

/* What the declared type says of a value read from a place in memory. */
static struct value loaded(struct solver *solver, const struct value *address, uint64_t size, uint64_t key)
{
	uint8_t how = address->how;
	struct place place;
	struct value unknown = origins_value(&solver->origins, key);

	if (solver_place(solver, address, size, &place, &how) != REASON_NONE)
		return unknown;
	const struct type *type = place_memo_scalar(solver->places, place.type, place.offset, size);

	if (!type) {
		if (size == 8 && unknown.kind == VALUE_UNKNOWN && rule_is_on(RULE_UNION_POINTER))
			alternatives_note(&solver->alternatives, unknown.origin, &place);
		return unknown;
	}
	struct value value = value_of_type(type, how == HOW_INFERRED ? HOW_INFERRED : HOW_TRACKED,
					   origins_id(&solver->origins, key));

	if (value.kind == VALUE_POINTER) {
		solver->origins.items[value.origin].object = place.type;
		solver->origins.items[value.origin].offset = place.offset;
	}
	struct loaded_value load = {
		.solver = solver, .place = &place, .type = type, .value = value, .unknown = &unknown
	};

	apply_rules(&load);
	return load.value;
}

static struct value load_from_stack(struct solver *solver, const struct state *state, struct value address,
				    uint64_t size, uint32_t insn, uint64_t key)
{
	uint64_t at = solver->code->insns[insn].address;
	int64_t offset;
	const struct slot *slot =
		address.stride ? NULL : state_slot(state, address.frame, address.offset, (uint32_t)size);
	const struct stack_fact *variable =
		solver_stack_object(solver, state, at, at + solver->code->insns[insn].length, address.frame,
				    address.offset, &offset);
	struct value declared = value_unknown(0);

	if (variable) {
		struct value object = value_pointer(variable->type, offset, variable->how);

		object.stride = address.stride;
		declared = loaded(solver, &object, size, key);
	}
	/* what was stored is known, and so is what the variable is declared to be; but where it is not said
	 * to be there, something else may have been spilled */
	bool somewhere_in = slot && slot->value.kind == VALUE_POINTER && slot->value.stride;

	if (slot && variable && (somewhere_in || (at >= variable->low && at < variable->high)))
		return declared.kind == VALUE_POINTER ? solver_combine(solver, slot->value, declared, false)
						      : slot->value;
	if (slot)
		return slot->value;
	return variable ? declared : origins_value(&solver->origins, key);
}

static struct value load_unknown(struct solver *solver, uint64_t size, uint64_t key)
{
	struct value value = origins_value(&solver->origins, key);

	if (value.kind == VALUE_UNKNOWN && size < 8)
		return (struct value){ .kind = VALUE_NUMBER, .stride = 1, .origin = value.origin };
	return value;
}

/* From a variable at a place that is fixed, for this thread or processor. */
static struct value load_fixed(struct solver *solver, const struct value *address, uint64_t size,
			       uint64_t key)
{
	struct value value;

	if (address->kind == VALUE_ADDRESS && size == 8) {
		if (!address->stride && solver_slot(solver, address->offset, &value))
			return value;
		if (holds_per_cpu_offset(solver, address))
			return value_frame(FRAME_PER_CPU, 0);
	}
	if (solver_fixed_object(solver, address, &value))
		return loaded(solver, &value, size, key);
	return load_unknown(solver, size, key);
}

/* Through a pointer or from a global: the same address gives the same. */
static struct value load_object(struct solver *solver, const struct value *address, uint64_t size,
				uint32_t insn, uint64_t key)
{
	struct load_memo *memo = &solver->loads[insn];

	if (memo->round == solver->round && memo->size == size && value_equal(&memo->address, address))
		return memo->result;
	memo->result = address->kind == VALUE_POINTER ? loaded(solver, address, size, key)
						      : load_fixed(solver, address, size, key);
	memo->address = *address;
	memo->size = size;
	memo->round = solver->round;
	return memo->result;
}

/*
 * What was read is declared as nothing useful (void *, unsigned long), or nothing is known of where it is;
 * but a variable is said to be just there: what it was cast to.
 */
static struct value as_variable(struct solver *solver, const struct operand *operand, int64_t delta,
				uint64_t size, uint32_t insn, uint64_t key, struct value value)
{
	const struct insn *at = &solver->code->insns[insn];

	if (value.kind == VALUE_POINTER || size != 8 || operand->segment != SEGMENT_NONE ||
	    !reg_is_general(operand->base) || operand->base == REG_RSP || !solver->function ||
	    !rule_is_on(RULE_MEMORY_VARIABLE))
		return value;
	if (operand->index != REG_NONE) {
		const struct sum_fact *sum = solver_sum_at(solver, at, operand, true);

		if (!sum || sum->offset != operand->value + delta)
			return value;
		struct value cast = value_of_type(sum->type, HOW_TRACKED, origins_id(&solver->origins, key));

		return cast.kind == VALUE_POINTER ? cast : value;
	}
	const struct stack_fact *fact = facts_in_memory(&solver->facts, operand->base, operand->value + delta,
							size, at->address, at->address + at->length);
	struct value said;

	if (!fact)
		return value;
	said = value_of_type(fact->type, HOW_TRACKED, origins_id(&solver->origins, key));
	return said.kind == VALUE_POINTER ? said : value;
}

static struct value load_part(struct solver *solver, const struct state *state, const struct operand *operand,
			      int64_t delta, uint64_t size, uint32_t insn, uint64_t key)
{
	struct value address = solver_address(solver, state, operand);

	if (operand->segment == SEGMENT_FS && operand->base == REG_NONE && operand->index == REG_NONE &&
	    operand->value + delta == 0)
		return value_frame(FRAME_THREAD_POINTER, 0);
	address = value_displace(address, delta);
	if (operand->segment == SEGMENT_GS && address.kind == VALUE_NUMBER)
		address.kind = VALUE_ADDRESS;
	switch (address.kind) {
	case VALUE_FRAME:
		if (address.frame <= FRAME_LAST_OTHER)
			return load_from_stack(solver, state, address, size, insn, key);
		return load_object(solver, &address, size, insn, key);
	case VALUE_POINTER:
	case VALUE_ADDRESS: return load_object(solver, &address, size, insn, key);
	default: break;
	}
	return load_unknown(solver, size, key);
}

struct value solver_load_part(struct solver *solver, const struct state *state, const struct operand *operand,
			      int64_t delta, uint64_t size, uint32_t insn, unsigned int value_index)
{
	uint64_t key = origin_key_insn(insn, value_index);
	struct value value = load_part(solver, state, operand, delta, size, insn, key);

	return as_variable(solver, operand, delta, size, insn, key, value);
}

struct value solver_load(struct solver *solver, const struct state *state, const struct operand *operand,
			 uint32_t insn, unsigned int value_index)
{
	return solver_load_part(solver, state, operand, 0, operand->size, insn, value_index);
}

/* What an unknown value must be, because it is stored where a pointer is declared to be. */
static void note_store(struct solver *solver, const struct value *address, uint64_t size,
		       const struct value *value)
{
	uint8_t how = HOW_NONE;
	struct place place;

	if ((value->kind != VALUE_UNKNOWN && value->kind != VALUE_POINTER) ||
	    solver_place(solver, address, size, &place, &how) != REASON_NONE)
		return;
	const struct type *type = place_scalar(place.type, place.offset, size);
	const struct type *pointee = type ? place_pointee(type) : NULL;

	/* a union that has a number there, too, may be given that: without variables nothing says which */
	if (pointee &&
	    !(solver_has_no_variables(solver) && place_may_be_number(place.type, place.offset, size)))
		solver_note_use(solver, value, pointee);
}

static void store_to_stack(struct solver *solver, struct state *state, const struct value *address,
			   uint64_t at, uint64_t size, const struct value *value)
{
	if (address->stride) {
		/* somewhere in a variable: all of it is lost */
		int64_t offset;
		const struct stack_fact *variable = solver_stack_variable(
			solver, state, at, at, address->frame, address->offset, &offset);

		if (variable)
			state_kill(state, address->frame, address->offset - offset, variable->size);
		else
			state_kill(state, address->frame, address->offset, INT64_MAX);
		return;
	}
	if (size && size <= UINT32_MAX)
		state_store(state, address->frame, address->offset, (uint32_t)size, *value);
	else
		state_kill(state, address->frame, address->offset, INT64_MAX);
}

void solver_store(struct solver *solver, struct state *state, const struct operand *operand, uint64_t at,
		  int64_t delta, uint64_t size, const struct value *value)
{
	struct value address = value_displace(solver_address(solver, state, operand), delta);
	struct value pointer;

	solver_escape(solver, state, value, at);
	if (address.kind == VALUE_FRAME && address.frame <= FRAME_LAST_OTHER) {
		if (solver->gather && (value->kind == VALUE_UNKNOWN || value->kind == VALUE_POINTER)) {
			int64_t offset;
			const struct stack_fact *variable = solver_stack_variable(
				solver, state, at, at, address.frame, address.offset, &offset);

			if (variable) {
				struct value object = value_pointer(variable->type, offset, HOW_VARIABLE);

				object.stride = address.stride;
				note_store(solver, &object, size, value);
			}
		}
		store_to_stack(solver, state, &address, at, size, value);
		return;
	}
	if (!solver->gather)
		return;
	if (operand->segment == SEGMENT_GS && address.kind == VALUE_NUMBER)
		address.kind = VALUE_ADDRESS;
	if (address.kind == VALUE_POINTER)
		note_store(solver, &address, size, value);
	else if (solver_fixed_object(solver, &address, &pointer))
		note_store(solver, &pointer, size, value);
}
