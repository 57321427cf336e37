// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements sharing_parts.h: the loops of one instruction are compared with each other. */
#include "profiler/resolve/sharing_parts.h"

#include "base/memory.h"

/* Parts of a loop have one length, in one array, if these three conditions hold. */
/* At least this many different ends are known, and all are a multiple of the length apart. */
#define PART_ENDS_MIN 16
/* At least this many samples are at the first element of a part. */
#define PART_FIRSTS_MIN 8
/* At least one sample is at the first element for this many at the last. Every part has a last
 * element, but if lengths differ, only the longest parts have one at the greatest distance. */
#define PART_FIRST_PART 3

static const struct sharing_use *sharing_parts_use_of(const struct sharing_parts *parts,
						      size_t part)
{
	return &parts->uses->input.uses[parts->items[part].use];
}

void sharing_parts_note(struct sharing_parts *parts, const struct sharing_uses *uses,
			const struct sharing_use *use, uint64_t last)
{
	if (!use->type || use->field || use->base != SHARING_NO_BASE || last < use->address ||
	    last - use->address >= SHARING_WALK_MAX)
		return;
	array_add(parts->items, parts->count, parts->capacity) =
		(struct sharing_part){ .use = uses->input.count, .last = last };
}

void sharing_parts_deinit(struct sharing_parts *parts)
{
	free(parts->items);
	*parts = (struct sharing_parts){ 0 };
}

static int compare_by_end(const void *left, const void *right, void *data)
{
	const struct sharing_part *a = left, *b = right;
	const struct sharing_parts *parts = data;
	const struct sharing_use *x = &parts->uses->input.uses[a->use],
				 *y = &parts->uses->input.uses[b->use];

	COMPARE(x->pid, y->pid);
	COMPARE(x->ip, y->ip);
	COMPARE(a->last, b->last);
	COMPARE(a->use, b->use);
	return 0;
}

/* Returns the length of all parts, by uses [first, end) of an instruction; 0: none. */
static uint64_t part_length(const struct sharing_parts *parts, size_t first, size_t end)
{
	const struct sharing_part *items = parts->items;
	uint64_t size = parts->uses->input.uses[items[first].use].size, length = 0;
	size_t ends = 1, firsts = 0, lasts = 0;

	for (size_t i = first; i < end; i++) {
		uint64_t left =
			items[i].last - parts->uses->input.uses[items[i].use].address + size;

		firsts = left > length ? 1 : firsts + (left == length);
		length = left > length ? left : length;
		lasts += left == size;
	}
	if (!length)
		return 0;
	for (size_t i = first + 1; i < end; i++) {
		ends += items[i].last != items[i - 1].last;
		if ((items[i].last - items[i - 1].last) % length)
			return 0;
	}
	return ends >= PART_ENDS_MIN && firsts >= PART_FIRSTS_MIN &&
			       firsts * PART_FIRST_PART >= lasts && length > size
		       ? length
		       : 0;
}

/* Adds the part's first elements as an implied use, if not in the sampled line. */
static void add_begin(struct sharing_uses *uses, const struct sharing_part *part, uint64_t length,
		      uint64_t cacheline)
{
	struct sharing_use begin = uses->input.uses[part->use];
	uint64_t end = part->last + begin.size, address = end - length,
		 next = address - address % cacheline + cacheline;

	if (address / cacheline == begin.address / cacheline)
		return;
	begin.size = (uint16_t)((end < next ? end : next) - address);
	begin.variable_offset -= begin.address - address;
	begin.address = address;
	begin.source = NULL;
	begin.cost = 0;
	begin.hitm = false;
	begin.implied = true;
	array_add(uses->input.uses, uses->input.count, uses->capacity) = begin;
}

void sharing_parts_add(struct sharing_parts *parts, struct sharing_uses *uses, uint64_t cacheline)
{
	size_t end;

	parts->uses = uses;
	if (parts->count)
		qsort_r(parts->items, parts->count, sizeof(*parts->items), compare_by_end, parts);
	for (size_t first = 0; first < parts->count; first = end) {
		int32_t pid = sharing_parts_use_of(parts, first)->pid;
		uint64_t ip = sharing_parts_use_of(parts, first)->ip, length;

		for (end = first; end < parts->count &&
				  sharing_parts_use_of(parts, end)->pid == pid &&
				  sharing_parts_use_of(parts, end)->ip == ip;)
			end++;
		length = part_length(parts, first, end);
		for (size_t i = first; i < end && length; i++)
			add_begin(uses, &parts->items[i], length, cacheline);
	}
}
