// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/struct_layout.h"

#include <stdlib.h>

#include "profiler/base/memory.h"

#define BYTE 8

static uint64_t first_bit(const struct annotated_line *line, int64_t base)
{
	return (uint64_t)(line->offset - base) * BYTE + line->bit_offset;
}

uint64_t layout_unit_start(const struct annotated_line *line, int64_t base)
{
	uint64_t first = first_bit(line, base), unit = line->unit * BYTE;

	return unit ? first / unit * unit : first;
}

/* The bits of the storage unit that a bitfield takes up. */
static void bit_unit(const struct annotated_line *line, int64_t base, uint64_t *start, uint64_t *end)
{
	uint64_t first = first_bit(line, base), unit = line->unit * BYTE;

	*start = layout_unit_start(line, base);
	*end = *start + unit;
	/* packed: it lies across units */
	if (first + line->bit_size > *end) {
		*start = first / BYTE * BYTE;
		*end = (first + line->bit_size + BYTE - 1) / BYTE * BYTE;
	}
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct layout_gap layout_gap(const struct layout_fill *fill, const struct annotated_line *line, int64_t base,
			     uint64_t size)
{
	uint64_t start = line ? first_bit(line, base) : size * BYTE, unit_start = start, unit_end;
	uint64_t position = fill->end;
	struct layout_gap gap = { 0 };

	if (start <= position)
		return gap;
	if (fill->unit_end > position) {
		uint64_t rest = smaller(fill->unit_end, start);

		gap.bits = rest - position;
		position = rest;
	}
	if (line && line->bit_size) {
		bit_unit(line, base, &unit_start, &unit_end);
		if (unit_start < position)
			unit_start = position;
	}
	gap.bytes = (unit_start - position) / BYTE;
	gap.bits += (unit_start - position) % BYTE + (start - unit_start);
	return gap;
}

void layout_take(struct layout_fill *fill, const struct annotated_line *line, int64_t base)
{
	uint64_t start, unit_end = 0,
			end = first_bit(line, base) + (line->bit_size ? line->bit_size : line->size * BYTE);

	if (end <= fill->end)
		return;
	if (line->bit_size)
		bit_unit(line, base, &start, &unit_end);
	/* bool flag:1 in the unit that unsigned int mode:2 has opened */
	if (line->bit_size && fill->unit_end > unit_end)
		unit_end = fill->unit_end;
	*fill = (struct layout_fill){ .end = end, .unit_end = unit_end };
}

bool layout_is_empty(const struct annotated_type *type, size_t index)
{
	for (size_t i = index, end = annotated_line_end(type, index); i < end; i++)
		if (!type->lines[i].opens)
			return false;
	return true;
}

static int by_offset(const void *left, const void *right, void *data)
{
	const struct annotated_line *lines = data;
	const struct annotated_line *a = &lines[*(const size_t *)left], *b = &lines[*(const size_t *)right];

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (a->bit_offset != b->bit_offset)
		return a->bit_offset < b->bit_offset ? -1 : 1;
	return a < b ? -1 : a > b;
}

size_t *layout_members(const struct annotated_type *type, size_t record, size_t *count)
{
	size_t end = annotated_line_end(type, record);
	size_t *members = xcalloc(end - record, sizeof(*members));

	*count = 0;
	for (size_t i = record + 1; i < end; i = annotated_line_end(type, i))
		members[(*count)++] = i;
	if (*count && !type->lines[record].is_union)
		qsort_r(members, *count, sizeof(*members), by_offset, (void *)type->lines);
	return members;
}
