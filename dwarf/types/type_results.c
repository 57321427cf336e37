// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Results of walks over a type with all records in it, which are kept with the type, and the bounds
 * of walks that keep nothing. See enum type_result.
 */
#include "dwarf/types/type.h"

#include "base/memory.h"
#include "dwarf/types/type_table.h"

#define ALIGNMENT_DEPTH_MAX 8 /* how deep records within records are looked at */

bool type_result(const struct type *type, enum type_result which, uint32_t *value)
{
	uint32_t kept = __atomic_load_n(&type_node_of(type)->results[which], __ATOMIC_RELAXED);

	*value = kept - 1;
	return kept;
}

void type_keep_result(const struct type *type, enum type_result which, uint32_t value)
{
	__atomic_store_n(&type_node_of(type)->results[which], value + 1, __ATOMIC_RELAXED);
}

#define PARTS_MAX       ((uint32_t)1 << 16)
#define PARTS_DEPTH_MAX 64 /* deeper types are hostile, or hold themselves */

/* Returns the steps of a walk over the type, at most PARTS_MAX + 1. */
static uint32_t parts_of(const struct type *type, int depth)
{
	const struct member *members;
	uint32_t parts = 1;
	size_t count;

	type = type_strip(type);
	if (depth == PARTS_DEPTH_MAX)
		return PARTS_MAX + 1;
	if (type->kind == TYPE_ARRAY)
		return parts_of(type_target(type), depth + 1);
	if (!type_is_record(type) || type_result(type, TYPE_RESULT_PARTS, &parts))
		return parts;
	parts = 1;
	members = type_members(type, &count);
	for (size_t i = 0; i < count && parts <= PARTS_MAX; i++)
		parts += parts_of(members[i].type, depth + 1);
	parts = parts > PARTS_MAX ? PARTS_MAX + 1 : parts;
	type_keep_result(type, TYPE_RESULT_PARTS, parts);
	return parts;
}

bool type_is_vast(const struct type *type)
{
	return parts_of(type, 0) > PARTS_MAX;
}

static uint64_t alignment_of(const struct type *type, int depth)
{
	uint64_t alignment = type->alignment;
	const struct member *members;
	const struct type *record;
	uint32_t kept;
	size_t count;

	/* a typedef may ask for an alignment of its own */
	for (int i = 0;
	     i < ALIGNMENT_DEPTH_MAX && (type->kind == TYPE_TYPEDEF ||
					 type->kind == TYPE_QUALIFIED || type->kind == TYPE_ARRAY);
	     i++) {
		type = type_target(type);
		alignment = type->alignment > alignment ? type->alignment : alignment;
	}
	if (!type_is_record(type) || depth == ALIGNMENT_DEPTH_MAX)
		return alignment;
	record = type;
	if (type_result(record, TYPE_RESULT_ALIGNMENT, &kept))
		return kept > alignment ? kept : alignment;
	uint64_t own = record->alignment;

	members = type_members(record, &count);
	for (size_t i = 0; i < count; i++) {
		uint64_t inner = alignment_of(members[i].type, depth + 1);

		/* it is not kept, or is none (Crystal) */
		if (inner && members[i].offset % (int64_t)inner)
			inner = 0;
		inner = members[i].alignment > inner ? members[i].alignment : inner;
		own = inner > own ? inner : own;
	}
	/* such a number is damage; without it, each record is walked once */
	own = own < UINT32_MAX ? own : 0;
	type_keep_result(record, TYPE_RESULT_ALIGNMENT, (uint32_t)own);
	return own > alignment ? own : alignment;
}

uint64_t type_alignment(const struct type *type)
{
	return alignment_of(type, 0);
}

/* ---- alternatives at one place ---- */

#define ALTERNATIVES_MAX 4096 /* of all members of unions in unions, at one offset */

/* A place where members begin (more alternatives from here on) or end (fewer). */
struct bound {
	int64_t offset, change;
};

COMPARISON(compare_bounds, struct bound, ASCENDING(offset) ASCENDING(change))

bool type_members_overlap(const struct type *record, const struct member *members, size_t count)
{
	int64_t end = INT64_MIN;
	bool found = record->kind == TYPE_UNION && count > 1;

	for (size_t i = 0; i < count && !found; i++) {
		found = !members[i].bit_size && members[i].offset < end;
		end = (int64_t)((uint64_t)members[i].offset + members[i].size);
	}
	return found;
}

/* Returns how many nested members share a byte; at most ALTERNATIVES_MAX + 1. */
static uint32_t alternatives_of(const struct type *type, int depth)
{
	int64_t here = 0, most = 1;
	uint32_t kept;
	size_t count;

	type = type_strip(type);
	if (depth == PARTS_DEPTH_MAX)
		return ALTERNATIVES_MAX + 1;
	if (type->kind == TYPE_ARRAY)
		return alternatives_of(type_target(type), depth + 1);
	if (!type_is_record(type))
		return 1;
	if (type_result(type, TYPE_RESULT_ALTERNATIVES, &kept))
		return kept;

	const struct member *members = type_members(type, &count);
	_cleanup_free_ struct bound *bounds = xcalloc(2 * count + 1, sizeof(*bounds));

	for (size_t i = 0; i < count; i++) {
		int64_t inner = alternatives_of(members[i].type, depth + 1);
		uint64_t end = (uint64_t)members[i].offset + members[i].size + !members[i].size;

		bounds[2 * i] = (struct bound){ members[i].offset, inner };
		bounds[2 * i + 1] = (struct bound){ (int64_t)end, -inner };
	}
	array_sort(bounds, 2 * count, compare_bounds);
	for (size_t i = 0; i < 2 * count; i++) {
		here += bounds[i].change;
		most = here > most ? here : most;
	}
	kept = most > ALTERNATIVES_MAX ? ALTERNATIVES_MAX + 1 : (uint32_t)most;
	type_keep_result(type, TYPE_RESULT_ALTERNATIVES, kept);
	return kept;
}

bool type_is_tangled(const struct type *type)
{
	uint32_t tangled;

	type = type_strip(type);
	if (!type_is_record(type))
		return false;
	if (!type_result(type, TYPE_RESULT_TANGLED, &tangled)) {
		size_t count;
		const struct member *members = type_members(type, &count);

		tangled = type_members_overlap(type, members, count) &&
			  alternatives_of(type, 0) > ALTERNATIVES_MAX;
		type_keep_result(type, TYPE_RESULT_TANGLED, tangled);
	}
	return tangled;
}
