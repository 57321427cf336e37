// SPDX-License-Identifier: GPL-2.0-or-later
/* Pointers out of unions: see alternatives.h. */
#include "annotate/alternatives.h"

#include "annotate/origin.h"
#include "profiler/base/memory.h"

#define DEPTH_LIMIT 24

/* One more pointee that is not there yet; false: there is no room. */
static bool add_pointee(const struct type *type, const struct type **pointees, size_t *count, size_t limit)
{
	const struct type *pointee = place_pointee(type);

	for (size_t i = 0; pointee && i < *count; i++)
		if (place_same_type(pointees[i], pointee))
			return true;
	if (!pointee)
		return true;
	if (*count == limit)
		return false;
	pointees[(*count)++] = pointee;
	return true;
}

static bool find_pointees(const struct type *type, int64_t offset, unsigned int depth,
			  const struct type **pointees, size_t *count, size_t limit)
{
	const struct type *bare = type_strip(type);

	if (depth > DEPTH_LIMIT)
		return false;
	if (bare->kind == TYPE_ARRAY) {
		const struct type *element = type_target(bare);
		uint64_t size = element ? place_size(element) : 0;

		return !size ||
		       find_pointees(element, offset % (int64_t)size, depth + 1, pointees, count, limit);
	}
	if (!type_is_record(bare))
		return offset || add_pointee(type, pointees, count, limit);
	size_t member_count;
	const struct member *members = type_members_near(bare, offset, &member_count);

	for (size_t i = 0; i < member_count; i++)
		if (!members[i].bit_size && offset >= members[i].offset &&
		    offset < members[i].offset + (int64_t)place_size(members[i].type) &&
		    !find_pointees(members[i].type, offset - members[i].offset, depth + 1, pointees, count,
				   limit))
			return false;
	return true;
}

/* What the pointers there point to, each once, if a union has several: their number, at most `limit`; 0:
 * none, or more. */
static size_t pointees_at(const struct type *type, int64_t offset, const struct type **pointees, size_t limit)
{
	size_t count = 0;

	return offset >= 0 && find_pointees(type, offset, 0, pointees, &count, limit) ? count : 0;
}

static struct alternatives *find(struct alternative_list *list, uint32_t origin)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->items[i].origin == origin)
			return &list->items[i];
	return NULL;
}

void alternatives_note(struct alternative_list *list, uint32_t origin, const struct place *place)
{
	struct alternatives found = { .origin = origin, .possible = UINT8_MAX, .whole = UINT8_MAX };

	if (!origin || find(list, origin))
		return;
	found.count = (uint32_t)pointees_at(place->type, place->offset, found.pointees, ALTERNATIVES_MAXIMUM);
	if (found.count < 2)
		return;
	array_reserve(list->items, list->count, list->capacity);
	list->items[list->count++] = found;
}

/* Of what is not declared here, or no record, any access may be one. */
static bool is_possible(const struct type *type, int64_t offset, uint64_t size)
{
	struct place place;
	const struct type *bare = type_strip(type);

	return !type_is_record(bare) || !bare->size ||
	       (place_find(type, offset, 0, size, &place) == REASON_NONE &&
		!place_cuts_pointer(type, offset, size));
}

void alternatives_access(struct alternative_list *list, const struct value *address, uint64_t size)
{
	struct alternatives *alternatives = address->origin ? find(list, address->origin) : NULL;

	if (!alternatives)
		return;
	alternatives->accessed = true;
	if (address->stride)
		alternatives->whole = 0;
	for (uint32_t i = 0; i < alternatives->count && !address->stride; i++) {
		const struct type *type = alternatives->pointees[i];

		if (!is_possible(type, address->offset, size))
			alternatives->possible &= (uint8_t) ~(1u << i);
		if (!type_is_record(type_strip(type)) || address->offset < 0 ||
		    !place_scalar(type, address->offset, size))
			alternatives->whole &= (uint8_t) ~(1u << i);
	}
}

void alternatives_use(struct alternative_list *list, struct origins *origins)
{
	for (uint32_t i = 0; i < list->count; i++) {
		struct alternatives *alternatives = &list->items[i];
		uint32_t possible = alternatives->possible & ((1u << alternatives->count) - 1);
		const struct value pointer = value_unknown(alternatives->origin);

		if (alternatives->accessed && possible && !(possible & (possible - 1)) &&
		    (possible & alternatives->whole))
			origins_use(origins, &pointer, alternatives->pointees[__builtin_ctz(possible)], 0);
		alternatives->accessed = false;
		alternatives->possible = alternatives->whole = UINT8_MAX;
	}
}
