// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Overlays: records that lie in the bytes, or in a union, of another record: see solver.h.
 *
 *     struct packet { long time; char control[48]; };
 *     struct text *t = (struct text *)packet->control;
 *
 *     mov 0x10(%rdi),%rax      struct packet +16: control.length
 *
 * The debug information says that `t` is %rdi + 8.
 *
 * A variable is also evidence of a union's member, if one of the members has the record
 * there (union_member.h).
 */
#include "annotate/field.h"
#include "annotate/member.h"
#include "annotate/solver.h"
#include "annotate/union_member.h"

/* The records of one access that are looked at. */
struct overlay_search {
	const struct solver *solver;
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

	if (!field_in_integers(access->type, access->offset, access->size, WORD,
			       &search->array_offset, &search->array_size))
		search->array_size = 0;
	else
		search->bytes = field_in_buffer(access->type, access->offset, access->size);
}

/* Finds the bytes from the address `value` up to `base`. False: they may be in different objects.
 */
static bool distance_between(const struct value *value, const struct value *base, int64_t *distance)
{
	int64_t offset = value->offset;

	if (base->kind != VALUE_POINTER || value->kind != VALUE_POINTER || !base->origin ||
	    value->origin != base->origin || value->stride || base->stride)
		return false;
	/* a cast keeps the first type as the alternative one */
	if (value->alternative == base->type)
		offset += value->alternative_delta;
	else if (value->type != base->type)
		return false;
	*distance = base->offset - offset;
	return true;
}

void overlay_views(const struct solver *solver, const struct state *state,
		   const struct operand *operand, uint64_t address, struct union_evidence *evidence)
{
	if (!reg_is_general(operand->base) || operand->index != REG_NONE ||
	    operand->segment != SEGMENT_NONE || solver->facts.untracked)
		return;
	for (uint8_t reg = 0; reg < REG_GENERAL_COUNT; reg++) {
		int64_t distance = 0;

		if (reg == operand->base ||
		    distance_between(&state->values[reg], &state->values[operand->base], &distance))
			evidence->view_count += (uint8_t)facts_records_around(
				&solver->facts, reg, operand->value + distance, address,
				&evidence->views[evidence->view_count],
				UNION_VIEWS_MAX - evidence->view_count);
	}
}

/* True if an access goes to a member of a record, or to a part of one that is no pointer. */
static bool is_to_member(const struct field_ref *view, uint64_t size)
{
	return view->offset >= 0 && view->offset < (int64_t)field_size(view->type) &&
	       field_holds_access(view->type, view->offset, size) &&
	       !field_cuts_pointer(view->type, view->offset, size);
}

/* True if all of a view is in the object. */
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
static bool is_of_union(const struct overlay_search *search, const struct field_ref *view)
{
	const struct union_place *place = &search->place;

	return place->type && view->offset <= place->offset &&
	       field_contains(place->type, place->offset - view->offset, view->type);
}

/* True if the access may as well be through a pointer to the object itself, to a member of it. */
static bool is_of_object(const struct overlay_search *search, const struct field_ref *view)
{
	const struct union_evidence *evidence = &search->evidence;

	for (size_t i = 0; i < evidence->view_count; i++)
		if (view->offset == search->access->offset && !search->bytes &&
		    field_same_type(evidence->views[i].type, search->access->type))
			return true;
	return false;
}

/* Finds the largest view that the object does not have by its declaration. NULL: there is none, or
 * several are as large. */
static const struct field_ref *find_viewed(const struct overlay_search *search)
{
	const struct field_ref *found = NULL;
	bool several = false;

	for (size_t i = 0; i < search->evidence.view_count; i++) {
		const struct field_ref *view = &search->evidence.views[i];

		if (is_of_union(search, view))
			return NULL;
		if (!is_inside(search, view) || is_declared(search, view) ||
		    is_of_object(search, view) || !is_to_member(view, search->access->size) ||
		    (found && field_size(view->type) < field_size(found->type)))
			continue;
		several = found && field_size(view->type) == field_size(found->type) &&
			  !(view->offset == found->offset &&
			    field_same_type(view->type, found->type));
		found = view;
	}
	return several ? NULL : found;
}

static void set_overlay(const struct overlay_search *search, const struct field_ref *found,
			struct access *access)
{
	if (!found)
		return;
	access->overlay = (struct access_overlay){ .type = type_canonical(found->type),
						   .offset = found->offset };
	/* the union of the object does not name its member */
	access->union_candidates = search->place.type ? UINT64_MAX : 0;
}

void overlay_judge(struct solver *solver, const struct state *state, uint32_t insn, bool store,
		   struct access *access)
{
	const struct operand *operand = insn_memory(&solver->code->insns[insn], store);
	struct overlay_search search = { .solver = solver, .access = access };

	if (access->kind != ACCESS_TYPE || !operand || !solver->function ||
	    !type_is_record(type_strip(access->type)))
		return;
	search.place = union_outermost(access->type, access->offset, access->bits);
	find_array(&search);
	if (!search.place.type && !search.array_size &&
	    access->offset < (int64_t)field_size(access->type))
		return;
	overlay_views(solver, state, operand, access->address, &search.evidence);
	set_overlay(&search, find_viewed(&search), access);
}
