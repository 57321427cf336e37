// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Landing pads: see dwarf_landing.h. The form of the data is that of gcc's unwind-pe.h and unwind-c's
 * parse_lsda_header(), which LLVM writes, too ("Exception Handling in LLVM", exception tables): what landing
 * pads count from, if it is not the start of the function; the encoding of the type table and where it ends;
 * the encoding and size of the call-site table; the call sites.
 */
#include "dwarf/dwarf_landing.h"

#include "dwarf/encoded_pointer.h"
#include "profiler/base/memory.h"

#define PADS_MAX 65536

void landing_pads_read(const struct elf_image *image, const struct frame_entry *entry,
		       struct landing_pads *pads)
{
	size_t available;
	const uint8_t *bytes = entry->lsda ? elf_image_bytes(image, entry->lsda, &available) : NULL;

	if (!bytes)
		return;
	struct cursor cursor = bytes_cursor(bytes, available);
	uint64_t base = entry->low;
	uint8_t encoding = cursor_u8(&cursor);

	if (encoding != PE_OMIT)
		base = encoded_pointer(&cursor, encoding, 8, entry->lsda);
	if (cursor_u8(&cursor) != PE_OMIT)
		cursor_uleb(&cursor);
	encoding = cursor_u8(&cursor);

	uint64_t size = cursor_uleb(&cursor);

	if (cursor.failed || size > cursor_left(&cursor))
		return;
	struct cursor table = bytes_cursor(cursor.data + cursor.position, size);

	while (cursor_left(&table) && pads->count < PADS_MAX) {
		uint64_t start = encoded_value(&table, encoding & PE_FORMAT, 8);
		uint64_t length = encoded_value(&table, encoding & PE_FORMAT, 8);
		uint64_t pad = encoded_value(&table, encoding & PE_FORMAT, 8);

		cursor_uleb(&table); /* the action: what is caught */
		if (table.failed)
			return;
		uint64_t low = entry->low + start;

		if (!pad || !length || low < entry->low || length > entry->high - entry->low ||
		    low > entry->high - length)
			continue;
		array_reserve(pads->items, pads->count, pads->capacity);
		pads->items[pads->count++] = (struct landing_pad){ low, low + length, base + pad };
	}
}
