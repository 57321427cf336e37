// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frame bases. Nearly all compilers say one thing for the whole function: the CFA, or a register. DWARF 2 has
 * no DW_OP_call_frame_cfa, and old or strict compilers spell the CFA out as a list: %rsp + 8 before the push,
 * %rbp + 16 after it. The variables of such a function have their places translated, so that nobody else has
 * to know of lists.
 */
#include "dwarf/dwarf_frame_base.h"

#include <stdlib.h>

#include "profiler/base/memory.h"

void frame_base_list_deinit(struct frame_base_list *list)
{
	free(list->items);
	*list = (struct frame_base_list){ 0 };
}

static bool is_everywhere(const struct location *location)
{
	return !location->low && location->high == UINT64_MAX;
}

/* False: the base is no such thing. */
static bool set_single(const struct location *location, struct function *function)
{
	if (location->kind == LOCATION_CFA && !location->offset)
		function->frame_base.kind = FRAME_BASE_CFA;
	else if (location->kind == LOCATION_REGISTER || location->kind == LOCATION_MEMORY)
		function->frame_base.kind = FRAME_BASE_REGISTER;
	else
		return false;
	function->frame_base.reg = location->reg;
	function->frame_base.offset = location->offset;
	return true;
}

void frame_base_read(const struct die *die, struct location_list *locations, struct function *function,
		     struct frame_base_list *list)
{
	size_t before = locations->count;
	const struct location *found;

	list->count = 0;
	function->frame_base.kind = FRAME_BASE_NONE;
	if (!die_has(die, SLOT_FRAME_BASE))
		return;
	locations_of_attribute(die, SLOT_FRAME_BASE, locations);
	size_t count = locations->count - before;

	if (!count)
		return;
	found = locations->items + before;
	locations->count = before;
	if (count == 1 && is_everywhere(found) && set_single(found, function))
		return;
	for (size_t i = 0; i < count; i++) {
		struct location base = found[i];

		if (base.kind == LOCATION_REGISTER)
			base.kind = LOCATION_MEMORY; /* the base is what the register holds */
		if (base.piece_size || (base.kind != LOCATION_MEMORY && base.kind != LOCATION_CFA))
			continue;
		array_reserve(list->items, list->count, list->capacity);
		list->items[list->count++] = base;
	}
}

/* What of `location` is in the range of `base`; false: nothing. */
static bool translate(const struct location *location, const struct location *base, struct location *result)
{
	*result = *location;
	result->low = location->low > base->low ? location->low : base->low;
	result->high = location->high < base->high ? location->high : base->high;
	result->kind = base->kind;
	result->reg = base->reg;
	return result->low < result->high &&
	       !__builtin_add_overflow(location->offset, base->offset, &result->offset);
}

void frame_base_apply(const struct frame_base_list *list, struct location_list *locations, size_t first)
{
	size_t count = locations->count, kept = first;

	for (size_t i = first; i < count; i++) {
		if (locations->items[i].kind != LOCATION_FRAME)
			continue;
		for (size_t j = 0; j < list->count && locations->count < locations->limit; j++) {
			struct location result;

			if (!translate(&locations->items[i], &list->items[j], &result))
				continue;
			array_reserve(locations->items, locations->count, locations->capacity);
			locations->items[locations->count++] = result;
		}
	}
	/* those that were translated go */
	for (size_t i = first; i < locations->count; i++)
		if (i >= count || locations->items[i].kind != LOCATION_FRAME)
			locations->items[kept++] = locations->items[i];
	locations->count = kept;
	locations_sort(locations, first);
}
