// SPDX-License-Identifier: GPL-2.0-or-later
/* Where an access through a pointer goes, with the evidence that the whole function gives. */
#include "annotate/solver.h"

#include "annotate/lost.h"
#include "annotate/place.h"

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

/*
 * What a byte pointer has in front of it: the header of the one record with a flexible array of bytes that
 * has a member of this size just there. s[-1] of a text looks the same, so single bytes count only where the
 * function also reads wider members so.
 */
static bool find_header(const struct solver *solver, const struct value *address, uint64_t size,
			struct place *place)
{
	size_t count;
	const struct type *const *records;

	if (!solver->infer || !solver->reader || (size == 1 && !solver->casts_headers))
		return false;
	records = debug_reader_flexible_records(solver->reader, solver->code->insns[0].address, &count);
	return place_in_header(records, count, address->type, address->offset, size, place);
}

/* What the kernel keeps of a buffer is a pointer to its first byte: a word there is a member of what lies in
 * it (a packet's header, skb_shared_info). Where no variable says what it was cast to, bytes next to it may
 * be, too. Other programs, with strict aliasing, read words of text with memcpy(). */
static bool is_cast_of_bytes(const struct solver *solver, const struct value *address, uint64_t size)
{
	const struct type *bare = type_strip(address->type);

	if (bare->size != 1)
		return false;
	if (solver_has_no_variables(solver))
		return size != 1 || solver->casts_bytes;
	return solver->kernel && bare->kind == TYPE_INTEGER && address->kind == VALUE_POINTER &&
	       address->how != HOW_GLOBAL && size > 1 && size <= 8;
}

/* p[3] of an `unsigned long *` that is never moved: in a kernel rather a member of what has a flags word at
 * its start. Everywhere, what is in front of what was but inferred to point to a scalar, because it was used
 * so once, or is a part of p[3], is a member of what begins with that. So it is in a kernel of pointers. */
static bool is_far_scalar(const struct solver *solver, const struct value *address, uint64_t size)
{
	const struct type *bare = type_strip(address->type);
	bool inferred = address->how == HOW_INFERRED && address->origin;
	bool part = size < bare->size;

	if (address->kind != VALUE_POINTER || address->stride || address->how == HOW_GLOBAL ||
	    bare->size <= 1 || (bare->kind != TYPE_INTEGER && bare->kind != TYPE_POINTER) ||
	    (address->offset >= 0 && address->offset < (int64_t)bare->size))
		return false;
	return (solver->kernel && (bare->kind == TYPE_INTEGER || part)) ||
	       (inferred && (part || address->offset < 0));
}

/* p[6] of what a variable says is a pointer to pointers, where a pointer to a record had flowed that has a
 * member there: the variable is said to be in this register for too long, or that was cast. */
static bool is_of_other(const struct value *address, uint64_t size)
{
	const struct type *bare = type_strip(address->type);
	int64_t offset = (int64_t)((uint64_t)address->offset + (uint64_t)(int64_t)address->moved);

	return address->kind == VALUE_POINTER && bare->kind == TYPE_POINTER && !address->stride &&
	       (address->offset < 0 || address->offset >= (int64_t)bare->size) && address->other &&
	       type_is_record(type_strip(address->other)) && place_scalar(address->other, offset, size);
}

/* Half of an integer or pointer is read where no more of it is needed, but no compiler stores it: then it is
 * a member of something else that is stored. Bits of it may be set. */
static bool is_narrow_store(const struct solver *solver, const struct value *address, uint64_t size)
{
	const struct type *bare = type_strip(address->type);

	if ((bare->kind != TYPE_INTEGER && bare->kind != TYPE_POINTER) || size >= bare->size ||
	    address->kind != VALUE_POINTER || address->how == HOW_GLOBAL)
		return false;
	const struct operand *operand = insn_memory(&solver->code->insns[solver->current], true);

	return operand && operand->base != REG_RSP && operand->base != REG_RBP && operand->write &&
	       !operand->read;
}

/* Several members at once, or what is behind the end: then it is something else, if the type was but guessed.
 * Of a declared record members are copied together, and of any they are cleared so, but nothing with what
 * follows it. */
static bool is_misfit(const struct solver *solver, const struct value *address, const struct place *place,
		      uint64_t size)
{
	int64_t end = (int64_t)place_size(place->type);
	bool guessed = address->how == HOW_INFERRED && address->origin && !address->stride;
	bool past_end = place->offset < end && place->offset + (int64_t)size > end;

	if ((!guessed && !past_end) || address->kind != VALUE_POINTER || size > 8 ||
	    !type_is_record(type_strip(address->type)) || place->type != address->type ||
	    place_holds_access(place->type, place->offset, size))
		return false;
	const struct operand *operand = insn_memory(&solver->code->insns[solver->current], false);

	return past_end || !(operand && operand->write);
}

/* Of a pointer that is only known to have a lock, say, so many bytes in: what the function speaks of and has
 * that, and a member where the access goes. */
static bool find_around(const struct solver *solver, const struct value *address, uint64_t size,
			struct place *place)
{
	const struct value *inferred = &solver->origins.items[address->origin].inferred;
	int64_t offset;

	if (!solver->infer || !solver->function || !address->origin || inferred->kind != VALUE_POINTER ||
	    inferred->type != address->type || inferred->offset >= 0 || inferred->offset == INT64_MIN ||
	    size > 8 || __builtin_sub_overflow(address->offset, inferred->offset, &offset))
		return false;
	vocabulary_build(solver->vocabulary, solver->function);
	return vocabulary_around(solver->vocabulary, address->type, -inferred->offset, offset, size, place);
}

/* container_of(), or a header cast down, to what the function or its unit speaks of; of several that would
 * do, to what the innermost scope does. Or, in a kernel, what was allocated together with it. */
static bool find_enclosing(const struct solver *solver, const struct value *address, uint64_t size,
			   struct place *place)
{
	uint64_t at = solver->code->insns[solver->current].address;

	if (!solver->infer || !solver->function || !type_is_record(type_strip(address->type)) || !size ||
	    size > 8)
		return false;
	vocabulary_build(solver->vocabulary, solver->function);
	switch (vocabulary_enclosing(solver->vocabulary, address->type, address->offset, size, place)) {
	case VOCABULARY_ONE: return true;
	case VOCABULARY_SEVERAL:
		return solver->last_resort &&
		       lost_enclosing(solver->function, at, address->type, address->offset, size, place);
	case VOCABULARY_NONE: break;
	}
	size_t count;
	const struct inline_cast *casts =
		debug_reader_inline_casts(solver->reader, solver->code->insns[0].address, &count);

	return vocabulary_cast(casts, count, address->type, address->offset, size, place) ||
	       (solver->last_resort && solver->kernel &&
		lost_behind(solver->function, at, address->type, address->offset, size, place));
}

/* What is further away from an object than so many of its size is another's. */
#define NEIGHBOURS 16

/*
 * list->items[2] of a list that ends in items[1]: so flexible arrays were written before there were any. But
 * in a kernel, and in C++, what is behind a record is rather that of a larger one around it.
 */
static bool find_old_element(const struct solver *solver, const struct value *address, uint64_t size,
			     struct place *place)
{
	return solver->last_resort && !solver->kernel && solver->function &&
	       solver->function->language != LANGUAGE_CXX && address->kind == VALUE_POINTER &&
	       address->how != HOW_INFERRED && address->how != HOW_GLOBAL &&
	       place_size(address->type) <= UINT32_MAX &&
	       address->offset < NEIGHBOURS * (int64_t)place_size(address->type) &&
	       place_old_element(address->type, address->offset, size, place);
}

/* p[i] of a scalar goes wherever it likes: no evidence that p is not the pointer to a record that it is said
 * to be, too. */
static bool is_within(const struct type *type, int64_t offset)
{
	return type_is_record(type_strip(type)) || (offset >= 0 && (uint64_t)offset < place_size(type));
}

/* Bytes of a buffer that lies behind a record's first members: what variables in the base register, or others
 * around, say that it was cast to. A variable on the stack is what it is. */
static bool find_cast(const struct solver *solver, const struct value *address, uint64_t size,
		      struct place *place)
{
	const struct insn *insn = &solver->code->insns[solver->current];
	const struct register_fact *fact;
	const struct type *type;

	if (!solver->infer || !solver->function || size > 8 || address->stride ||
	    !type_is_record(type_strip(address->type)) ||
	    !place_memo_in_buffer(solver->places, address->type, address->offset, size))
		return false;
	const struct operand *operand = insn_memory(insn, false);

	if (!operand || !reg_is_general(operand->base) || operand->base == REG_RSP)
		return false;
	fact = facts_register_cast(&solver->facts, operand->base, insn->address, address->type,
				   address->offset, size);
	type = fact ? fact->value.type
		    : lost_cast(solver->function, insn->address, address->type, address->offset, size);
	return type && place_find(type, address->offset, 0, size, place) == REASON_NONE;
}

/*
 * Where no variable says what a pointer was cast to: is it declared as one record, used as another that is no
 * part of it nor it of that, and the access could go to either? (What alloc_pages() gives becomes a struct
 * slab.)
 */
static bool is_disputed(const struct solver *solver, const struct value *address, uint64_t size)
{
	const struct value *used = &solver->origins.items[address->origin].inferred;
	struct place place;
	int64_t offset;

	return solver_has_no_variables(solver) && address->kind == VALUE_POINTER && address->origin &&
	       !address->stride && address->how != HOW_INFERRED && used->kind == VALUE_POINTER &&
	       type_is_record(type_strip(address->type)) && type_is_record(type_strip(used->type)) &&
	       !place_same_type(used->type, address->type) &&
	       !place_contains(used->type, used->offset, address->type) &&
	       !place_contains(address->type, -used->offset, used->type) &&
	       !__builtin_add_overflow(used->offset, address->offset, &offset) &&
	       place_find(used->type, offset, 0, size, &place) == REASON_NONE;
}

static enum access_reason find_place(const struct solver *solver, const struct value *address, uint64_t size,
				     struct place *place, uint8_t *how)
{
	if (is_cast_of_bytes(solver, address, size))
		return REASON_VOID_POINTER;
	enum access_reason reason;

	if (link_is_followed(solver, address)) {
		reason = link_place(solver, address, size, place);
		if (reason == REASON_NONE)
			*how = HOW_INFERRED;
		if (reason != REASON_NO_VALUE)
			return reason;
	}
	reason =
		place_memo_find(solver->places, address->type, address->offset, address->stride, size, place);

	uint64_t type_size = place_size(address->type);
	int64_t other_offset = (int64_t)((uint64_t)address->offset + (uint64_t)(int64_t)address->moved);

	if (reason == REASON_NONE && find_cast(solver, address, size, place)) {
		*how = HOW_INFERRED;
		return REASON_NONE;
	}
	/* a queue's head, cast to what is in the queue, whose first members are the same: its others are its
	 * own */
	if (reason == REASON_NONE && address->other && !address->stride &&
	    place_cuts_pointer(address->type, address->offset, size) &&
	    place_scalar(address->other, other_offset, size))
		return place_find(address->other, other_offset, 0, size, place);
	if (reason == REASON_NONE && is_disputed(solver, address, size))
		return REASON_CAST;
	if (reason == REASON_NONE &&
	    (is_far_scalar(solver, address, size) || is_narrow_store(solver, address, size) ||
	     is_misfit(solver, address, place, size) || is_of_other(address, size)))
		reason = REASON_OUTSIDE;
	/* cred->security + lbs_cred: what a void pointer leads to lies so many bytes on */
	if (reason == REASON_OUTSIDE && address->how == HOW_INFERRED && address->stride == 1 && size <= 8 &&
	    type_is_record(type_strip(address->type)) && place_scalar(address->type, address->offset, size))
		return place_find(address->type, address->offset, 0, size, place);
	if (reason != REASON_OUTSIDE || address->stride)
		return reason;
	if (type_size == 1 && address->offset < 0 && find_header(solver, address, size, place)) {
		*how = HOW_INFERRED;
		return REASON_NONE;
	}
	if (address->other &&
	    (!type_is_record(type_strip(address->type)) || is_within(address->other, other_offset)) &&
	    place_find(address->other, other_offset, 0, size, place) == REASON_NONE)
		return REASON_NONE;
	if (address->origin) {
		const struct value *second = &solver->origins.items[address->origin].inferred;

		if (second->kind == VALUE_POINTER && second->type != address->type &&
		    type_is_record(type_strip(second->type)) &&
		    place_find(second->type, second->offset + address->offset, 0, size, place) ==
			    REASON_NONE) {
			*how = HOW_INFERRED;
			return REASON_NONE;
		}
	}
	/* neighbours: what is far away is another object */
	if (!(solver_has_no_variables(solver) && link_is(address->type)) && type_size &&
	    type_size <= UINT32_MAX && address->offset >= -4 * (int64_t)type_size &&
	    address->offset < NEIGHBOURS * (int64_t)type_size && solver_is_walked(solver, address->type))
		return place_find(address->type, address->offset, (uint32_t)type_size, size, place);
	if (address->how == HOW_INFERRED ? find_around(solver, address, size, place)
					 : find_enclosing(solver, address, size, place)) {
		*how = HOW_INFERRED;
		return REASON_NONE;
	}
	return find_old_element(solver, address, size, place) ? REASON_NONE : reason;
}

enum access_reason solver_place(const struct solver *solver, const struct value *address, uint64_t size,
				struct place *place, uint8_t *how)
{
	enum access_reason reason = find_place(solver, address, size, place, how);

	return reason == REASON_NONE && cast_shows(solver, place, size) ? REASON_CAST : reason;
}

void solver_note_use(struct solver *solver, const struct value *value, const struct type *object)
{
	/* what was inferred of one place of a record says nothing of another place in it */
	if (value->kind == VALUE_POINTER && value->how != HOW_INFERRED &&
	    place_same_type(value->type, object))
		solver_note_walk(solver, object, value->offset);
	object_uses_note(solver, value, object);
	origins_use(&solver->origins, value, object, 0);
}
