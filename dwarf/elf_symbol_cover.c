/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which symbol covers an address. Symbols may overlap and nest; here they are cut into disjoint ranges once,
 * each of the innermost symbol (the one that begins last), so that a look-up is one binary search whatever
 * the file.
 */
#include <elf.h>

#include "dwarf/elf_image_private.h"

/* Symbols that have begun and may not have ended, the innermost on top. */
struct open_symbols {
	uint32_t *indices;
	size_t count;
	size_t capacity;
};

static void add_range(struct symbol_cover *cover, uint64_t start, uint64_t end, uint32_t symbol)
{
	array_reserve(cover->ranges, cover->count, cover->capacity);
	cover->ranges[cover->count++] = (struct symbol_range){ start, end, symbol };
}

/* Cover [start, end) with the open symbols; those that end before are closed. */
static void cover_until(struct symbol_cover *cover, const struct symbol *symbols, struct open_symbols *open,
			uint64_t start, uint64_t end)
{
	while (open->count && start < end) {
		uint32_t index = open->indices[open->count - 1];
		uint64_t symbol_end = symbols[index].address + symbols[index].size;
		uint64_t stop = symbol_end < end ? symbol_end : end;

		if (stop > start) {
			add_range(cover, start, stop, index);
			start = stop;
		}
		if (symbol_end <= end)
			open->count--;
	}
}

/* A label within a function with a size of its own is a place in this function. */
static bool is_inner_label(const struct symbol *symbols, const struct open_symbols *open,
			   const struct symbol *label)
{
	const struct symbol *outer;

	if (label->type != STT_NOTYPE || !open->count)
		return false;
	outer = &symbols[open->indices[open->count - 1]];
	return outer->type == STT_FUNC && label->address - outer->address < outer->size;
}

void symbol_cover_build(struct symbol_cover *cover, const struct symbol *symbols, size_t count,
			bool (*wanted)(const struct symbol *symbol))
{
	struct open_symbols open = { 0 };
	uint64_t position = 0;
	size_t next;

	for (size_t first = 0; first < count; first = next) {
		uint64_t address = symbols[first].address;

		for (next = first; next < count && symbols[next].address == address;)
			next++;
		cover_until(cover, symbols, &open, position, address);
		position = address;
		/* the best of several comes first: put it on top */
		for (size_t i = next; i-- > first;) {
			if (!symbols[i].size || !wanted(&symbols[i]) ||
			    is_inner_label(symbols, &open, &symbols[i]))
				continue;
			array_reserve(open.indices, open.count, open.capacity);
			open.indices[open.count++] = i;
		}
	}
	cover_until(cover, symbols, &open, position, UINT64_MAX);
	array_fit(cover->ranges, cover->count, cover->capacity);
	free(open.indices);
}

const struct symbol *symbol_cover_find(const struct symbol_cover *cover, const struct symbol *symbols,
				       uint64_t address)
{
	size_t low = 0, high = cover->count;

	while (low < high) { /* the first range that ends above `address` */
		size_t middle = low + (high - low) / 2;

		if (cover->ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == cover->count || cover->ranges[low].start > address)
		return NULL;
	return &symbols[cover->ranges[low].symbol];
}
