// SPDX-License-Identifier: GPL-2.0-or-later
/* The addresses that memory operands compute: see code.h. */

#include "annotate/code/code.h"
#include "annotate/cxx/virtual_table.h"
#include "annotate/facts/scope_types.h"
#include "annotate/flow/solver.h"
#include "annotate/types/field.h"

bool solver_is_image_address(const struct solver *solver, int64_t number)
{
	struct elf_section section;

	/* Per-cpu variables may begin at address 0: any small number would be one. */
	return solver->options.image_is_fixed && number &&
	       elf_image_section_at(solver->image, (uint64_t)number, &section) &&
	       !section.thread_local_ && !(section.per_cpu && !section.address);
}

/* Turns a displacement from the thread pointer into an offset in the main program's TLS block,
 * which ends at the thread pointer (TLS variant II) or begins after the thread's control block
 * (variant I). Returns other values as they are. */
static struct value thread_address(const struct solver *solver, struct value value)
{
	uint64_t size, alignment, before = solver->arch->thread_control_block;

	if (value.kind != VALUE_NUMBER || (before ? value.offset < 0 : value.offset >= 0) ||
	    !elf_image_tls_segment(solver->image, &size, &alignment))
		return value;
	size = round_up(size, alignment);
	before = round_up(before, alignment);
	if (before && value.offset < (int64_t)before)
		return value;
	struct value address = value_frame(FRAME_TLS, before ? value.offset - (int64_t)before
							     : (int64_t)size + value.offset);

	value_take_strides(&address, &value);
	return address;
}

/* Uses the variable that names the base register later in the block, where the
 * register's value is not known or its type proves too small. If the instruction writes the
 * register, the variable has the next object of a list, which is evidence for the one before. */
static void add_coming(struct solver *solver, struct value *base, uint8_t reg)
{
	const struct register_fact *fact = solver->tables.schedule.coming[solver->pass.current];
	int64_t apart;

	if (!fact || base->stride)
		return;
	if (base->kind == VALUE_UNKNOWN && !base->offset && solver->options.infer &&
	    !solver->pass.gather) {
		uint32_t origin = base->origin;

		*base = fact->value;
		base->how = HOW_INFERRED;
		base->origin = origin;
	} else if (base->kind == VALUE_UNKNOWN && solver->pass.gather &&
		   solver->code->insns[solver->pass.current].written & REG_BIT(reg)) {
		origins_use(&solver->origins, base, fact->value.type, fact->value.offset);
	} else if (base->kind == VALUE_POINTER && !base->alternative &&
		   !__builtin_sub_overflow(fact->value.offset, base->offset, &apart) &&
		   apart >= INT32_MIN && apart <= INT32_MAX) {
		base->alternative = fact->value.type;
		base->alternative_delta = (int32_t)apart;
	}
}

bool solver_is_behind(struct solver *solver, const struct value *base, const struct value *variable)
{
	int64_t distance;

	if (base->stride || variable->stride || !type_is_record(type_strip(base->type)) ||
	    __builtin_sub_overflow(base->offset, variable->offset, &distance) ||
	    distance < (int64_t)field_size(base->type) || !solver->function ||
	    !language_has(solver->function, FACT_FIRST_MEMBERS))
		return false;
	scope_types_build(solver->caches.scope_types, solver->function);
	return scope_types_have_both(solver->caches.scope_types, base->type, variable->type,
				     distance);
}

/* If several variables share the base register, takes the one whose object has the accessed bytes
 * (a list's node, and the element after it). */
static void take_neighbour(struct solver *solver, struct value *base, const struct operand *operand)
{
	int64_t offset;

	if (base->kind != VALUE_POINTER || base->stride || operand->index != REG_NONE ||
	    !solver->function || !type_is_record(type_strip(base->type)) ||
	    __builtin_add_overflow(base->offset, operand->value, &offset) ||
	    (offset >= 0 && (uint64_t)offset < field_size(base->type)))
		return;
	uint64_t address = solver->code->insns[solver->pass.current].address;
	const struct register_fact *fact = facts_register_reaching(
		&solver->facts, operand->base, address, operand->value,
		operand->size == 1 ? (int64_t)field_size(base->type) - base->offset : INT64_MAX);

	if (fact && !solver_is_behind(solver, base, &fact->value))
		*base = fact->value;
}

const struct sum_fact *solver_sum_at(const struct solver *solver, const struct insn *insn,
				     const struct operand *operand, bool in_memory)
{
	bool changed = insn->written & operand_registers(operand);

	return facts_of_sum(&solver->facts, operand, in_memory, insn->address,
			    changed ? insn->address : insn->address + insn->length);
}

/* Returns the address of an operand whose registers add up to a variable that is a pointer;
 * otherwise `address`, which was computed from the registers. */
static struct value with_sum(const struct solver *solver, struct value address,
			     const struct operand *operand)
{
	/* the sum of a pointer and any number of bytes */
	bool bytes = address.kind == VALUE_POINTER && address.stride == 1;

	if ((address.kind != VALUE_UNKNOWN && address.kind != VALUE_NUMBER && !bytes) ||
	    !solver->facts.sum_count || operand->base == REG_NONE ||
	    operand->segment != SEGMENT_NONE)
		return address;
	const struct sum_fact *fact =
		solver_sum_at(solver, &solver->code->insns[solver->pass.current], operand, false);
	struct value said = fact ? value_of_type(fact->type, HOW_VARIABLE, 0) : address;

	return fact && said.kind == VALUE_POINTER &&
			       (!bytes || type_is_record(type_strip(said.type)))
		       ? value_displace(said, operand->value - fact->offset)
		       : address;
}

/* Replaces *address, the operand's address without its index, by an address in a
 * virtual base, if one register has the object's address and the other one the base's offset.
 * False: the operand is something else. */
static bool at_virtual_base(struct solver *solver, const struct operand *operand,
			    const struct value *index, struct value *address)
{
	struct value base = *address;

	if (operand->scale != 1 || operand->base == REG_NONE || !solver->reader ||
	    !language_has(solver->function, FACT_VIRTUAL))
		return false;
	base.offset -= operand->value;
	if (!virtual_table_in_base(solver, &base, index, operand->value, address) &&
	    !virtual_table_in_base(solver, index, &base, operand->value, address))
		return false;
	return true;
}

/* True if an index of the address is into an array in the object, not only into one of objects. */
static bool indexes_within(const struct value *address)
{
	const uint64_t whole = field_size(address->type);
	uint64_t strides[STEPS];
	const size_t count = value_strides(address, strides);

	return whole && any_of(i, 0, count, strides[i] % whole);
}

/* Returns the index of an operand. Of a number that is extended from fewer bytes, and not known, it
 * is known only what it is a multiple of: a constant in it may have wrapped around. */
static struct value extended_index(const struct state *state, const struct operand *operand)
{
	struct value index = state_register(state, operand->index);
	unsigned int unused = 64 - 8 * operand->index_size;

	if (!operand->index_size)
		return index;
	index = value_truncate(index, operand->index_size);
	if (value_is_constant(&index) && operand->index_signed)
		index.offset = (int64_t)((uint64_t)index.offset << unused) >> unused;
	else if (!operand->index_signed && index.kind == VALUE_NUMBER && index.stride)
		index.offset %= (int64_t)index.stride;
	return index;
}

void solver_skip_array(const struct solver *solver, const struct state *state,
		       const struct operand *operand, struct value *address)
{
	if (address->kind != VALUE_POINTER || !address->stride ||
	    !(operand->read || operand->write))
		return;
	const int64_t offset = address->offset;
	const bool indexed = operand->index != REG_NONE;
	struct array_pair pair;
	const bool two = indexes_within(address) &&
			 field_array_pair(address->type, offset, address->stride, &pair);

	if (!two && (!indexed || address->steps[0]))
		return;
	const struct value base = state_register(state, operand->base),
			   index = extended_index(state, operand);
	/* the index has all that is variable, and without it the address is at `start` */
	const bool alone = indexed && (operand->base == REG_NONE || !base.stride) &&
			   (index.kind == VALUE_NUMBER || index.kind == VALUE_UNKNOWN);
	const int64_t start = offset - (alone ? index.offset * operand->scale : 0);

	if (two) {
		/* an index may go down from where the base is by another one (clang's vectors) */
		const bool from_base = indexed && base.stride;
		const int64_t from = start - pair.first, length = pair.second - pair.first,
			      within = (offset - pair.first) % pair.size;

		/* without its index, the address may be in the first element of either; the sum of
		 * two indexes may be a constant */
		if ((alone && from >= 0 && from < pair.size && !pair.alone) ||
		    (within && within + operand->size > pair.size))
			return;
		if ((from >= length && from < length + pair.size && !from_base) ||
		    next_array_is_meant(solver, operand, offset, &pair, from_base))
			address->offset = pair.second + within;
	} else if (start > offset && (start - offset) % address->stride == 0 &&
		   field_is_first_element(address->type, start, address->stride, operand->size)) {
		address->offset = start;
	}
}

/* A loop may count from a negative number up to 0, and add the address where its array ends (clang,
 * for programs at fixed addresses). That is the address of what comes after the array, so that the
 * array is told by the first number. */
static void count_to_end(struct solver *solver, const struct state *state,
			 const struct operand *operand, struct value *address)
{
	struct value counter = { 0 };
	struct global array;

	if (operand->base != REG_NONE)
		counter = state_register(state, operand->base);
	if (operand->index != REG_NONE && counter.offset >= 0)
		counter = extended_index(state, operand);
	if (operand->pc_relative || counter.kind != VALUE_NUMBER || !counter.stride ||
	    !origin_is_join(&solver->origins.items[counter.origin]) || !solver->reader ||
	    !debug_reader_global_at(solver->reader, (uint64_t)address->offset,
				    solver->code->insns[0].address, &array))
		return;
	if (operand->value - (int64_t)(array.address + array.size) < (int64_t)address->stride)
		address->displaced = 0;
}

struct value solver_address(struct solver *solver, const struct state *state,
			    const struct operand *operand)
{
	bool fixed = operand->segment == SEGMENT_NONE &&
		     (operand->pc_relative || solver_is_image_address(solver, operand->value));
	struct value address;

	if (operand->base != REG_NONE) {
		address = state_register(state, operand->base);
		add_coming(solver, &address, operand->base);
		take_neighbour(solver, &address, operand);

		if (fixed && (address.kind == VALUE_NUMBER || address.kind == VALUE_UNKNOWN ||
			      (address.kind == VALUE_FRAME && address.frame == FRAME_PER_CPU)))
			address = value_add(address, value_address(operand->value));
		else
			value_move(&address, operand->value);
	} else {
		address = fixed ? value_address(operand->value) : value_number(operand->value);
	}
	if (operand->index != REG_NONE) {
		struct value index = extended_index(state, operand);

		if (!at_virtual_base(solver, operand, &index, &address))
			address = value_add(address, operand->scale == 1
							     ? index
							     : value_scale(index, operand->scale));
		address = with_sum(solver, address, operand);
	}
	if (fixed && address.kind == VALUE_ADDRESS && address.displaced < 0)
		count_to_end(solver, state, operand, &address);
	/* nearly all addresses have no index: the call takes as long as the answer */
	if (address.stride)
		solver_skip_array(solver, state, operand, &address);
	/* one object is returned on all ways: it is made where the caller wants it */
	if (operand->segment == solver->arch->thread_segment) {
		if (address.kind != VALUE_FRAME || address.frame != FRAME_TLS)
			address = thread_address(solver, address);
	} else if (address.kind == VALUE_FRAME && address.frame == FRAME_THREAD_POINTER) {
		struct value number = value_number(address.offset);

		value_take_strides(&number, &address);
		address = thread_address(solver, number);
	} else if (address.kind == VALUE_UNKNOWN && address.origin && operand->size <= 8) {
		address = origins_far(&solver->origins, address, operand->size);
	}
	return address;
}
