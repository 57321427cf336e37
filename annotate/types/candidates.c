// SPDX-License-Identifier: GPL-2.0-or-later
/* Candidates, and the choice among them: see candidates.h. */
#include "annotate/types/candidates.h"

#include "annotate/types/member.h"
#include "base/memory.h"

#define DEPTH_MAX 8
/* A record with more places of a part does not tell which is meant (list_head in task_struct). */
#define PLACES_MAX 32

static void append(struct candidates *list, struct type_candidate candidate)
{
	list->more |= list->count == CANDIDATES_MAX;
	if (list->count < CANDIDATES_MAX)
		list->items[list->count++] = candidate;
}

static void add_field(struct candidates *list, struct field_ref field, uint8_t rank, bool contests)
{
	uint8_t fit =
		list->fields
			? field_cache_fit(list->fields, field.type, field.offset, list->size)->kind
			: fit_at(field.type, field.offset, list->size).kind;

	if (!((list->fits | list->contests) & 1U << fit))
		return;
	contests |= !(list->fits & 1U << fit);
	for (uint32_t i = 0; i < list->count; i++)
		if (list->items[i].field.type == field.type &&
		    list->items[i].field.offset == field.offset && list->items[i].rank == rank &&
		    list->items[i].contests == contests)
			return;
	append(list, (struct type_candidate){ field, rank, fit, contests });
}

void candidates_add(struct candidates *list, const struct type *type, int64_t offset,
		    uint32_t stride, uint8_t rank)
{
	struct field_ref field;

	if (field_cache_find(list->fields, type, offset, stride, list->size, &field) == REASON_NONE)
		add_field(list, field, rank, false);
}

void candidates_put(struct candidates *list, struct field_ref field, uint8_t rank)
{
	add_field(list, field, rank, false);
}

void candidates_contest(struct candidates *list, const struct type *type, int64_t offset,
			uint8_t rank)
{
	struct field_ref field;

	if (field_find(type, offset, 0, list->size, &field) == REASON_NONE)
		add_field(list, field, rank, true);
}

/* The search for the places of a part in a record. */
struct around {
	struct candidates *list;
	const struct type *record;
	const struct outside_access *access;
	uint8_t rank;
	struct field_ref last; /* the last place; its type is NULL: there is none */
	bool several;          /* there are others */
	unsigned int count;    /* places of the part, whether the access goes to a field or not */
};

/* Adds the places in a `part` of the record, which begins at `start`. `bases`: it is the record
 * itself, or a base class. */
static void add_around(struct around *around, const struct type *part, int64_t start,
		       unsigned int depth, bool bases)
{
	const struct outside_access *access = around->access;
	size_t count;
	const struct member *members = type_members(type_strip(part), &count);

	if (!count || depth == DEPTH_MAX || type_is_vast(part))
		return;
	for (size_t i = 0; i < count; i++) {
		const struct type *type = members[i].type;
		int64_t at = start + members[i].offset;
		struct field_ref field;
		bool base = bases && members[i].is_base;

		if (!type_is_record(type_strip(type)) ||
		    field_size(type) < field_size(access->inner))
			continue;
		if (!field_same_type(type, access->inner)) {
			add_around(around, type, at, depth + 1, base);
			continue;
		}
		around->several |= ++around->count > PLACES_MAX;
		if (at + access->offset >= 0 &&
		    field_find(around->record, at + access->offset, access->stride,
			       around->list->size, &field) == REASON_NONE) {
			around->several |= around->last.type && around->last.offset != field.offset;
			around->last = field;
			add_field(around->list, field, (uint8_t)(around->rank + !base), false);
		}
	}
}

void candidates_around(struct candidates *list, const struct type *record,
		       const struct outside_access *access, uint8_t rank)
{
	struct around around = { .list = list, .record = record, .access = access, .rank = rank };
	uint32_t before = list->count;

	if (field_size(record) > field_size(access->inner))
		add_around(&around, record, 0, 0, true);
	/* the record does not tell which of its parts is meant */
	if (around.several && list->count == before)
		append(list, (struct type_candidate){ around.last, rank + 1, FIT_CUT, true });
	for (uint32_t i = before; i < list->count && around.several; i++)
		list->items[i].contests = true;
}

/* True if the access goes to a member of the same type and path in both records: one then begins
 * with the members of the other. */
static bool is_same_member(const struct candidates *list, const struct field_ref *a,
			   const struct field_ref *b)
{
	_cleanup_strbuf_ struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	const struct type *in_a = field_scalar(a->type, a->offset, list->size);
	const struct type *in_b = field_scalar(b->type, b->offset, list->size);

	return a->offset == b->offset && field_size(a->type) != field_size(b->type) && in_a &&
	       in_b && field_same_type(in_a, in_b) &&
	       member_path(a->type, a->offset, list->size, &first) &&
	       member_path(b->type, b->offset, list->size, &second) &&
	       strcmp(first.data, second.data) == 0;
}

/* True if one of the two is a part of the other at that offset; *smaller becomes the part. */
static bool fields_agree(const struct candidates *list, struct field_ref a, struct field_ref b,
			 struct field_ref *smaller)
{
	bool same = list->heads && is_same_member(list, &a, &b);

	if (same ? field_size(a.type) < field_size(b.type)
	    : field_same_type(a.type, b.type)
		    ? a.offset == b.offset
		    : field_contains(b.type, b.offset - a.offset, a.type)) {
		*smaller = a;
		return true;
	}
	*smaller = b;
	return same || field_contains(a.type, a.offset - b.offset, b.type);
}

enum candidate_choice candidates_choose(const struct candidates *list, struct field_ref *field)
{
	uint8_t rank = UINT8_MAX;
	bool any = false;

	for (uint32_t i = 0; i < list->count; i++)
		lower_to(rank, list->items[i].rank);
	array_each (const struct type_candidate, candidate, list->items, list->count) {
		struct field_ref here = candidate->field;

		if (candidate->rank != rank)
			continue;
		if (candidate->contests || (any && !fields_agree(list, *field, here, &here)))
			return CHOICE_SEVERAL;
		*field = here;
		any = true;
	}
	return list->more ? CHOICE_SEVERAL : any ? CHOICE_ONE : CHOICE_NONE;
}
