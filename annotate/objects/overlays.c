// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Overlays: records that lie in the bytes, or in a union, of another record: see objects.h.
 *
 *     struct packet { long time; char control[48]; };
 *     struct text *t = (struct text *)packet->control;
 *
 *     mov 0x10(%rdi),%rax      struct packet +16: control.length
 *
 * The debug information says that `t` is %rdi + 8. If a macro has the cast, and no variable tells
 * it here, the variables in the same unit do, or the types to which the unit only casts.
 *
 * A variable is also evidence of a union's member, if one of the members has the record
 * there (union_member.h).
 */
#include "annotate/code/code.h"
#include "annotate/flow/solver.h"
#include "annotate/objects/objects.h"
#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"
#include "annotate/types/member.h"
#include "annotate/types/union_member.h"

/* The records of one access that are looked at. */
struct overlay_search {
	struct solver *solver;
	const struct access *access;
	struct union_place place; /* in the outermost union of the access; its type is NULL: none */
	struct union_evidence evidence;
	/* the array of bytes, or of other integers, that the access is in; size 0: none */
	int64_t array_offset; /* of the access in it */
	uint64_t array_size;
	bool bytes; /* it is one of bytes, and no union has something better there */
};

static void find_array(struct overlay_search *search)
{
	const struct access *access = search->access;

	const struct fit *fit = field_cache_fit(search->solver->caches.fields, access->type,
						access->offset, access->size);

	search->array_offset = fit->integers.within;
	search->array_size = fit->integers.room;
	search->bytes = fit->buffer;

	struct flexible_array arrays[FLEXIBLE_ARRAYS_MAX];

	/* behind the declared record */
	if (!search->array_size && flexible_arrays_of(access->type, arrays) == 1 &&
	    arrays->size == 1 && access->offset >= arrays->offset) {
		search->array_offset = access->offset - arrays->offset;
		search->array_size = INT64_MAX;
		search->bytes = true;
	}
}

/* Sets *offset to where the register points to in a record of this type, by its variables. False:
 * they do not tell. */
static bool offset_of_variable(const struct solver *solver, uint8_t reg, uint64_t address,
			       const struct type *type, int64_t *offset)
{
	struct field_ref records[FACTS_RECORDS_MAX];
	size_t count =
		facts_records_around(&solver->facts, reg, 0, address, records, FACTS_RECORDS_MAX);

	for (size_t i = 0; i < count; i++)
		if (field_same_type(records[i].type, type)) {
			*offset = records[i].offset;
			return true;
		}
	return false;
}

/* True if one type begins with the other, or is it: a pointer is cast up and down. */
static bool begin_alike(const struct type *a, const struct type *b)
{
	return a && (field_same_type(a, b) || field_contains(a, 0, b) || field_contains(b, 0, a));
}

/* Finds the bytes from a register's address up to `base`. False: they may be in different objects.
 */
static bool distance_between(const struct solver *solver, uint8_t reg, const struct value *value,
			     const struct value *base, uint64_t address, int64_t *distance)
{
	int64_t offset = value->offset;

	if (base->kind == VALUE_ADDRESS && value->kind == VALUE_ADDRESS && !value->stride &&
	    !base->stride)
		return !__builtin_sub_overflow(base->offset, offset, distance);
	if (base->kind != VALUE_POINTER || value->kind != VALUE_POINTER || !base->origin ||
	    value->origin != base->origin || value->stride || base->stride)
		return false;
	/* a cast keeps the first type as the alternative one, and a variable may have it, too */
	if (begin_alike(value->alternative, base->type))
		offset += value->alternative_delta;
	else if (!begin_alike(value->type, base->type) &&
		 !offset_of_variable(solver, reg, address, base->type, &offset))
		return false;
	*distance = base->offset - offset;
	return true;
}

static void add_views(const struct solver *solver, uint8_t reg, int64_t displacement,
		      uint64_t address, struct union_evidence *evidence)
{
	evidence->view_count += (uint8_t)facts_records_around(
		&solver->facts, reg, displacement, address, &evidence->views[evidence->view_count],
		UNION_VIEWS_MAX - evidence->view_count);
}

void overlay_views(const struct solver *solver, const struct state *state,
		   const struct operand *operand, uint64_t address, struct union_evidence *evidence)
{
	const bool in_register = reg_is_general(operand->base);
	const struct value base = in_register ? state->values[operand->base] : value_address(0);
	int64_t distance;

	if (operand->index != REG_NONE || operand->segment != SEGMENT_NONE ||
	    solver->facts.untracked)
		return;
	if (base.kind == VALUE_ADDRESS && !base.stride)
		evidence->view_count += (uint8_t)facts_records_at(
			&solver->facts, (int64_t)((uint64_t)base.offset + (uint64_t)operand->value),
			address, &evidence->views[evidence->view_count],
			UNION_VIEWS_MAX - evidence->view_count);
	if (in_register)
		add_views(solver, operand->base, operand->value, address, evidence);
	for (uint8_t reg = 0; reg < state->general_count; reg++)
		if (reg != operand->base &&
		    distance_between(solver, reg, &state->values[reg], &base, address, &distance))
			add_views(solver, reg, operand->value + distance, address, evidence);
}

/* True if an access goes to a member of a record, or to a part of one that is no pointer. */
static bool is_to_member(const struct field_ref *view, uint64_t size)
{
	const struct fit fit = fit_at(view->type, view->offset, size);

	return view->offset < (int64_t)field_size(view->type) && (fit.holds || fit.bits) &&
	       fit.kind != FIT_PART_OF_POINTER;
}

/* True if an access begins with a member, and goes to it or to several: compilers merge stores to
 * neighbours. */
static bool is_at_member(const struct field_ref *view)
{
	bool begins = fit_at(view->type, view->offset, 1).bits;

	for (uint64_t size = 1; size <= WORD && !begins; size *= 2)
		begins = fit_at(view->type, view->offset, size).whole;
	return begins;
}

static bool is_inside(const struct overlay_search *search, const struct field_ref *view)
{
	const struct access *access = search->access;
	int64_t start = access->offset - view->offset;

	return start >= 0 &&
	       (start + (int64_t)field_size(view->type) <= (int64_t)field_size(access->type) ||
		member_has_flexible_end(access->type));
}

/* True if the object has such a record there by its declaration, or is it. */
static bool is_declared(const struct overlay_search *search, const struct field_ref *view)
{
	const struct access *access = search->access;
	int64_t start = access->offset - view->offset;

	return (!start && field_same_type(view->type, access->type)) ||
	       field_contains(access->type, start, view->type);
}

/* True if a view that the object has by its declaration is in the union. */
static bool overlays_is_of_union(const struct overlay_search *search, const struct field_ref *view)
{
	const struct union_place *place = &search->place;

	return place->type && view->offset <= place->offset &&
	       field_contains(place->type, place->offset - view->offset, view->type);
}

/* True if the access may as well be through a pointer to the object itself, to a member of it. */
static bool is_of_object(const struct overlay_search *search, const struct field_ref *view)
{
	const struct union_evidence *evidence = &search->evidence;

	return any_of(i, 0, evidence->view_count,
		      view->offset == search->access->offset && !search->bytes &&
			      field_same_type(evidence->views[i].type, search->access->type));
}

/* True if the access goes beyond a record that only describes the object's bytes a second time, and
 * for the code around it, the object is such a record: it goes to the next one. */
static bool is_next(const struct overlay_search *search, const struct field_ref *view)
{
	const struct access *access = search->access;

	return view == search->evidence.views && view->offset == access->offset &&
	       (uint64_t)view->offset >= field_size(view->type) &&
	       field_is_view(access->type, 0, view->type);
}

/* Finds the largest view that the object does not have by its declaration. NULL: there is none, or
 * several are as large. */
static const struct field_ref *find_viewed(const struct overlay_search *search)
{
	const struct field_ref *found = NULL;
	bool several = false;

	array_each (const struct field_ref, view, search->evidence.views,
		    search->evidence.view_count) {
		if (overlays_is_of_union(search, view))
			return NULL;
		if (is_next(search, view))
			return view;
		if (!is_inside(search, view) || is_declared(search, view) ||
		    field_is_piece(view->type) || is_of_object(search, view) ||
		    !is_to_member(view, search->access->size) ||
		    (found && field_size(view->type) < field_size(found->type)))
			continue;
		several = found && field_size(view->type) == field_size(found->type) &&
			  !(view->offset == found->offset &&
			    field_same_type(view->type, found->type));
		found = view;
	}
	return several ? NULL : found;
}

/* A record that may be in an array of bytes. */
struct guess {
	struct field_ref view;
	size_t count; /* of those that have members for all accesses to the array */
	bool scoped;  /* only those count to which the code around has a pointer */
};

/* True if an inlined function or a block around the access has a variable that points to a record
 * of this type, wherever that is: gcc often describes it by the memory that has the pointer. */
static bool is_pointed_to_around(const struct overlay_search *search, const struct type *type)
{
	const struct function *function = search->solver->function;

	return any_of(i, 0, function->variable_count,
		      function->variables[i].scope && field_pointee(function->variables[i].type) &&
			      field_same_type(field_pointee(function->variables[i].type), type) &&
			      facts_in_scope(&search->solver->facts, (uint32_t)i,
					     search->access->address));
}

/* Counts a record that has room in the array, if all accesses to the array begin with members of
 * it, and this one goes to one, which is no array of bytes. */
static void guess_record(const struct overlay_search *search, const struct type *type,
			 struct guess *guess)
{
	const struct union_evidence *evidence = &search->evidence;
	const struct access *access = search->access;
	const struct field_ref view = { type, search->array_offset };

	/* a single byte is more likely one of a text, unless the array is there for the record */
	if (field_size(type) > search->array_size ||
	    (guess->scoped ? !is_pointed_to_around(search, type)
			   : access->size == 1 && 2 * field_size(type) < search->array_size) ||
	    !is_to_member(&view, access->size) || !is_at_member(&view) ||
	    fit_at(type, view.offset, access->size).bytes.room)
		return;
	array_each (const struct union_sibling, sibling, evidence->siblings,
		    evidence->sibling_count) {
		const struct field_ref place = { type, view.offset + sibling->offset };
		int64_t in_array = search->array_offset + sibling->offset;

		if (in_array >= 0 && (uint64_t)in_array < search->array_size &&
		    !is_at_member(&place))
			return;
	}
	guess->count++;
	guess->view = view;
}

/* Finds the record to which a macro casts an array of bytes, if only one would do; NULL: there is
 * none. Records to which the code around the access has a pointer come first. Among these, and then
 * among all, those that variables of the unit have there precede those that the unit only casts to.
 * An array that is meant for other records is aligned as they are, larger than a word, and in no
 * union, which would declare them. */
static const struct field_ref *find_cast(struct overlay_search *search, uint32_t insn,
					 const struct operand *operand, struct guess *guess)
{
	struct solver *solver = search->solver;
	uint64_t address = solver->code->insns[0].address;
	int64_t start = search->access->offset - search->array_offset;
	size_t count;

	if (search->place.type || !search->bytes || !solver->reader || start % WORD ||
	    search->array_size <= WORD)
		return NULL;
	const struct inner_record *inner =
		debug_reader_inner_records(solver->reader, address, &count);

	union_evidence_siblings(solver, insn, operand, &search->evidence);
	const struct unit_type_list types = solver_unit_types(solver, UNIT_CAST_TYPES);

	for (int scoped = 1; scoped >= 0 && !guess->count; scoped--) {
		guess->scoped = scoped;
		for (size_t i = 0; i < count; i++)
			if (inner[i].offset == start)
				guess_record(search, inner[i].type, guess);
		for (size_t i = 0, known = guess->count; i < types.count && !known; i++)
			guess_record(search, types.items[i], guess);
	}
	return guess->count == 1 ? &guess->view : NULL;
}

static void set_overlay(const struct overlay_search *search, const struct field_ref *found,
			struct access *access)
{
	int64_t size = found ? (int64_t)field_size(found->type) : 0;

	/* a record whose size is only known at run time has no place in another one */
	if (!size)
		return;
	access->overlay = (struct access_overlay){
		.type = type_canonical(found->type),
		.offset = found->offset % size,
	};
	/* the union of the object does not name its member */
	access->union_candidates = search->place.type ? UINT64_MAX : 0;
}

/* True if the access is behind a nameless union at the start of a record: it may have another
 * record that describes these bytes a second time. */
static bool is_behind_union(const struct access *access)
{
	size_t count;
	const struct member *members = type_members(type_strip(access->type), &count);

	return count && !members[0].name && type_strip(members[0].type)->kind == TYPE_UNION &&
	       (uint64_t)access->offset >= members[0].size;
}

void overlay_judge(struct solver *solver, const struct state *state, uint32_t insn, bool store,
		   struct access *access)
{
	const struct operand *operand = insn_memory(&solver->code->insns[insn], store);

	struct access_records records;

	if (access->kind != ACCESS_TYPE || !operand || !solver->function ||
	    !access_records_begin(access, &records))
		return;
	struct overlay_search search = { .solver = solver, .access = access };

	search.place = union_outermost(access->type, access->offset, access->bits);
	if (!search.place.type) {
		find_array(&search);
		if (!search.array_size && access->offset < (int64_t)field_size(access->type) &&
		    !is_behind_union(access))
			return;
	}
	overlay_views(solver, state, operand, access->address, &search.evidence);
	if (search.place.type && search.evidence.view_count)
		find_array(&search);
	struct guess guess = { 0 };
	const struct field_ref *found = find_viewed(&search);

	set_overlay(&search, found ? found : find_cast(&search, insn, operand, &guess), access);
}
