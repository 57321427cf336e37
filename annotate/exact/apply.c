// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Holds what the compiler said of an access against what the engine found. An instruction may have
 * several operands in memory, of which the path's size and direction choose one; if those that are
 * left go to different fields, nothing is known.
 */
#include "annotate/exact/exact.h"
#include "annotate/exact/names.h"
#include "annotate/types/field.h"
#include "annotate/types/union_member.h"
#include "base/memory.h"
#include "base/text.h"

/* The field of a path. */
struct known {
	struct exact_path path;
	const struct type *root;
	struct field_ref field;
};

/* True if the engine's answer is about what the source accesses. The compiler's own accesses to the
 * stack, tables of jumps and the like have no path, so one that is listed there belongs to another
 * instruction of the same pattern. */
static bool is_of_source(const struct access *access)
{
	return access->kind == ACCESS_UNKNOWN || access->kind == ACCESS_TYPE ||
	       access->kind == ACCESS_SPILL || access->kind == ACCESS_LITERAL ||
	       access->kind == ACCESS_BULK;
}

static bool find_field(struct exact_reader *reader, const struct exact_operand *operand,
		       const struct access *access, struct known *known)
{
	const struct exact_path *path = &known->path;

	if (!exact_path_parse(operand->path, &known->path))
		return false;
	known->root = exact_names_find(reader->names, access->address, path);
	if (!known->root)
		return false;
	const struct type *bare = type_strip(known->root);
	uint64_t size = type_size_or(bare, 0);
	bool inside = path->offset >= 0 && (uint64_t)path->offset < size;

	/* a position in a variable that the source names is that position, not an element */
	if (path->kind != EXACT_POINTED && !path->stride && bare->kind == TYPE_ARRAY && inside) {
		known->field = (struct field_ref){ type_canonical(known->root), path->offset };
		return true;
	}
	if (field_find(known->root, path->offset, path->stride, access->size, &known->field) ==
	    REASON_NONE)
		return true;
	/* parts of several members, which one instruction copies */
	known->field = (struct field_ref){ type_canonical(known->root), path->offset };
	return inside && type_is_record(bare) && access->size &&
	       path->offset + access->size <= (int64_t)size;
}

/* Finds the one field of the instruction's operands; with `strict`, of those only that agree with
 * the access in size and direction. */
static bool find_one(struct exact_reader *reader, const struct exact_operand *operands,
		     size_t count, bool strict, const struct access *access, struct known *known)
{
	struct known other;
	bool found = false;

	array_each (const struct exact_operand, operand, operands, count) {
		bool fits = operand->store ? access->write : access->read;

		if (operand->size && access->size && operand->size != access->size)
			fits = false;
		if (strict && !fits)
			continue;
		/* of an operand that is not understood, nothing tells whether it is another one */
		if (!find_field(reader, operand, access, found ? &other : known))
			return false;
		if (found && (other.field.type != known->field.type ||
			      other.field.offset != known->field.offset))
			return false;
		found = true;
	}
	return found;
}

/* True if the engine's answer and the compiler's mean the same place. */
static bool is_same(const struct access *access, const struct known *known)
{
	if (access->kind != ACCESS_TYPE)
		return false;
	if (access->type == known->field.type && access->offset == known->field.offset)
		return true;
	return access->type == type_canonical(known->root) && access->offset == known->path.offset;
}

/* True if the engine's type has the compiler's at the place of the access. */
static bool is_around(const struct access *access, const struct known *known)
{
	return access->kind == ACCESS_TYPE && type_is_record(type_strip(access->type)) &&
	       type_is_record(type_strip(known->field.type)) &&
	       access->offset >= known->field.offset &&
	       field_contains(access->type, access->offset - known->field.offset,
			      known->field.type);
}

const char *exact_apply(struct exact_reader *reader, uint64_t end, struct access *access)
{
	struct known known;
	size_t count;
	const struct exact_operand *operands =
		is_of_source(access) ? exact_operands(reader, end, &count) : NULL;

	if (!operands || !find_one(reader, operands, count, true, access, &known))
		return NULL;
	if (is_around(access, &known))
		return NULL;
	if (!is_same(access, &known)) {
		access->kind = ACCESS_TYPE;
		access->type = known.field.type;
		access->offset = known.field.offset;
		if (known.path.kind == EXACT_POINTED)
			access->memory = ACCESS_MEMORY_ANY;
	}
	access->how = HOW_EXACT;
	access->reason = REASON_NONE;
	return known.path.members;
}

void exact_narrow(const char *members, struct access *access)
{
	struct union_search search;
	static const struct union_evidence nothing;
	struct union_place place;
	uint64_t left = 0;
	const char *last = members ? strrchr(members, '.') : NULL;
	size_t length;

	if (!last || access->kind != ACCESS_TYPE || !access->union_candidates)
		return;
	length = strcspn(++last, "[");
	place = union_outermost(access->type, access->offset, access->bits);
	if (!place.type)
		return;
	union_search_begin(&search, &place, &nothing);
	for (unsigned int i = 0; i < search.count && i < UNION_CANDIDATES_MAX; i++) {
		const char *name = search.items[i].name;

		if (name && text_is(last, length, name))
			left |= UINT64_C(1) << i;
	}
	if (left && search.count <= UNION_CANDIDATES_MAX)
		access->union_candidates = left;
}
