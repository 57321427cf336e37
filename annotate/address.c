// SPDX-License-Identifier: GPL-2.0-or-later
/* The address of a memory operand, as far as it is known. */
#include "annotate/solver.h"

#include "annotate/place.h"

bool solver_is_image_address(const struct solver *solver, int64_t number)
{
	struct elf_section section;

	/* per-cpu variables that begin at address 0: any small number would be one */
	return solver->image_is_fixed && number &&
	       elf_image_section_at(solver->image, (uint64_t)number, &section) && !section.thread_local_ &&
	       !(section.per_cpu && !section.address);
}

static struct value register_value(const struct state *state, uint8_t reg)
{
	return reg < REG_COUNT ? state_value(state, reg) : value_unknown(0);
}

/* %fs:displacement counts from the end of the main program's TLS block (psABI, TLS variant II). */
static struct value thread_address(const struct solver *solver, struct value value)
{
	uint64_t size, alignment;

	if (value.kind != VALUE_NUMBER || value.offset >= 0 ||
	    !elf_image_tls_segment(solver->image, &size, &alignment))
		return value;
	if (alignment)
		size = (size + alignment - 1) / alignment * alignment;
	struct value address = value_frame(FRAME_TLS, (int64_t)size + value.offset);

	address.stride = value.stride;
	return address;
}

/* What the base register's value will be called later in the block, for where it is not known or proves too
 * small. */
static void add_coming(struct solver *solver, struct value *base)
{
	const struct register_fact *fact = solver->schedule.coming[solver->current];
	int64_t apart;

	if (!fact || base->stride || !rule_is_on(RULE_LATER_VARIABLE))
		return;
	if (base->kind == VALUE_UNKNOWN && !base->offset && solver->infer && !solver->gather) {
		uint32_t origin = base->origin;

		*base = fact->value;
		base->how = HOW_INFERRED;
		base->origin = origin;
		solver->rule = RULE_LATER_VARIABLE;
	} else if (base->kind == VALUE_POINTER && !base->other &&
		   !__builtin_sub_overflow(fact->value.offset, base->offset, &apart) && apart >= INT32_MIN &&
		   apart <= INT32_MAX) {
		base->other = fact->value.type;
		base->moved = (int32_t)apart;
	}
}

/*
 * Variables that share a register, and point to neighbours: a list's node, and the element that lies behind
 * it. The access goes into one of them, and that need not be the one that `base` was taken for.
 */
static void take_neighbour(struct solver *solver, struct value *base, const struct operand *operand)
{
	int64_t offset;

	if (base->kind != VALUE_POINTER || base->stride || operand->index != REG_NONE || !solver->function ||
	    !type_is_record(type_strip(base->type)) ||
	    __builtin_add_overflow(base->offset, operand->value, &offset) ||
	    (offset >= 0 && (uint64_t)offset < place_size(base->type)) ||
	    !rule_is_on(RULE_NEIGHBOUR_VARIABLE))
		return;
	uint64_t address = solver->code->insns[solver->current].address;
	const struct register_fact *fact =
		facts_register_reaching(&solver->facts, operand->base, address, operand->value);

	if (!fact)
		return;
	*base = fact->value;
	solver->rule = RULE_NEIGHBOUR_VARIABLE;
}

/* The fact of a memory operand's base and index at this instruction; behind it, too, if they are the same
 * there. */
const struct sum_fact *solver_sum_at(const struct solver *solver, const struct insn *insn,
				     const struct operand *operand, bool in_memory)
{
	bool changed = insn->written & (REG_BIT(operand->base) | REG_BIT(operand->index));

	return facts_of_sum(&solver->facts, operand, in_memory, insn->address,
			    changed ? insn->address : insn->address + insn->length);
}

/* Of p + i nothing is known but that a variable is just this. */
static struct value with_sum(const struct solver *solver, struct value address, const struct operand *operand)
{
	if ((address.kind != VALUE_UNKNOWN && address.kind != VALUE_NUMBER) || !solver->facts.sum_count ||
	    operand->base == REG_NONE || operand->segment != SEGMENT_NONE)
		return address;
	const struct sum_fact *fact =
		solver_sum_at(solver, &solver->code->insns[solver->current], operand, false);
	struct value said = fact ? value_of_type(fact->type, HOW_VARIABLE, 0) : address;

	return fact && said.kind == VALUE_POINTER ? value_displace(said, operand->value - fact->offset)
						  : address;
}

struct value solver_address(struct solver *solver, const struct state *state, const struct operand *operand)
{
	bool fixed = operand->segment == SEGMENT_NONE &&
		     (operand->rip_relative || solver_is_image_address(solver, operand->value));
	struct value address;

	if (operand->base != REG_NONE) {
		address = register_value(state, operand->base);
		add_coming(solver, &address);
		take_neighbour(solver, &address, operand);

		if (fixed && (address.kind == VALUE_NUMBER || address.kind == VALUE_UNKNOWN ||
			      (address.kind == VALUE_FRAME && address.frame == FRAME_PER_CPU)))
			address = value_add(address, value_address(operand->value));
		else
			address = value_displace(address, operand->value);
	} else {
		address = fixed ? value_address(operand->value) : value_number(operand->value);
	}
	if (operand->index != REG_NONE) {
		struct value index = register_value(state, operand->index);

		address =
			value_add(address, operand->scale == 1 ? index : value_scale(index, operand->scale));
		address = with_sum(solver, address, operand);
	}
	if (operand->segment == SEGMENT_FS) {
		if (address.kind == VALUE_FRAME && address.frame == FRAME_TLS)
			return address;
		return thread_address(solver, address);
	}
	if (address.kind == VALUE_FRAME && address.frame == FRAME_THREAD_POINTER) {
		struct value number = value_number(address.offset);

		number.stride = address.stride;
		return thread_address(solver, number);
	}
	return address;
}
