// SPDX-License-Identifier: GPL-2.0-or-later
/* The values of an enum's discriminant: see variant_run.h. */
#include "annotate/language/variant_run.h"

#include "base/memory.h"

bool enum_values_read(const struct type *type, struct enum_values *values)
{
	size_t count, others = 0;
	uint64_t lowest = UINT64_MAX;
	const struct member *members = type_members(type, &count);
	const struct member *discriminant = NULL;

	values->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (!members[i].is_variant) {
			discriminant = members[i].is_artificial ? &members[i] : discriminant;
			continue;
		}
		if (values->count == VARIANTS_MAX)
			return false;
		values->variants[values->count++] = &members[i];
		if (members[i].has_discriminant && members[i].discriminant < lowest)
			lowest = members[i].discriminant;
		others += !members[i].has_discriminant;
	}
	if (!discriminant || others > 1 || values->count < 2)
		return false;
	values->offset = discriminant->offset;
	values->size = (uint8_t)type_size_or(discriminant->type, 0);
	values->mask = values->other_max = low_bits(8 * values->size);
	/* the capacity of a vector is at most isize::MAX (UsizeNoHighBit) */
	if (values->size == 8 && lowest == UINT64_C(1) << 63)
		values->other_max = lowest - 1;
	return values->size == 1 || values->size == 2 || values->size == 4 || values->size == 8;
}

void enum_select(const struct enum_values *values, const struct cell *discriminant,
		 struct variant_set *selected)
{
	uint64_t known = discriminant->kind == CELL_BITS ? discriminant->known : UINT64_MAX;
	uint64_t mask = values->mask & known, number = discriminant->number & mask;
	bool other = discriminant->kind == CELL_OTHER ||
		     (mask == values->mask && variant_may_be_other(values, number));

	if (discriminant->kind != CELL_CONSTANT && discriminant->kind != CELL_OTHER &&
	    discriminant->kind != CELL_BITS) {
		*selected = variant_set_below(values->count);
		return;
	}
	for (size_t i = 0; i < values->count; i++) {
		const struct member *variant = values->variants[i];

		if (variant->has_discriminant ? !other && (variant->discriminant & mask) == number
					      : other)
			variant_set_add(selected, i);
	}
}

static void add_case(struct enum_cases *cases, struct cell discriminant)
{
	if (cases->count < VARIANTS_MAX)
		cases->items[cases->count++] = discriminant;
}

/* If `type`, which begins `offset` bytes before the discriminant, is an enum that has its own
 * discriminant there (*is_enum), lists the values of its variants, and returns its variant without
 * a value. NULL: there is none. */
static const struct member *list_inner(const struct type *type, int64_t offset,
				       const struct enum_values *values, struct enum_cases *cases,
				       bool *is_enum)
{
	size_t count;
	const struct member *members = type_members(type, &count), *other = NULL;
	uint64_t mask = low_bits(8 * values->size);

	*is_enum = false;
	for (size_t i = 0; i < count; i++)
		*is_enum |= !members[i].is_variant && members[i].is_artificial &&
			    members[i].offset == offset &&
			    type_size_or(members[i].type, 0) == values->size;
	for (size_t i = 0; i < count && *is_enum; i++) {
		if (members[i].is_variant && members[i].has_discriminant)
			add_case(cases, cell_constant(members[i].discriminant & mask));
		else if (members[i].is_variant)
			other = &members[i];
	}
	return other;
}

/*
 * Lists the discriminant's values for a variant without one of its own: whatever its data have in
 * that place. They are known if its data are an enum with its own discriminant there.
 */
static void list_other(const struct enum_values *values, const struct member *variant,
		       struct enum_cases *cases)
{
	const struct type *type = variant->type;
	int64_t offset = values->offset - variant->offset;
	bool is_enum;

	for (int depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
		const struct type *record = type_strip(type);
		const struct member *part = NULL, *members;
		size_t count;

		if (!type_is_record(record))
			break;
		const struct member *other = list_inner(record, offset, values, cases, &is_enum);

		if (is_enum && !other)
			return;
		members = type_members(record, &count);
		for (size_t i = 0; i < count && !is_enum; i++)
			if ((uint64_t)(offset - members[i].offset) < field_size(members[i].type))
				part = &members[i];
		part = is_enum ? other : part;
		if (!part)
			break;
		type = part->type;
		offset -= part->offset;
	}
	add_case(cases, (struct cell){ .kind = CELL_OTHER, .width = values->size });
}

void enum_cases_list(const struct enum_values *values, struct enum_cases *cases)
{
	cases->count = 0;
	for (size_t i = 0; i < values->count; i++) {
		const struct member *variant = values->variants[i];

		if (variant->has_discriminant)
			add_case(cases,
				 cell_bits(variant->discriminant, values->mask, values->size));
		else
			list_other(values, variant, cases);
	}
}
