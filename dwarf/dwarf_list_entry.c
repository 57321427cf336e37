// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_list_entry.h"

#include <dwarf.h>

struct list_reader list_reader_at(const struct unit *unit, const struct dwarf_section_data *section,
				  uint64_t offset)
{
	struct list_reader reader = {
		.unit = unit,
		.cursor = bytes_cursor(section->data, section->size),
		.base = unit->low_pc,
	};

	cursor_skip(&reader.cursor, offset);
	return reader;
}

enum list_entry list_read_pair(struct list_reader *reader)
{
	unsigned int size = reader->unit->address_size;
	uint64_t low = cursor_word(&reader->cursor, size);
	uint64_t high = cursor_word(&reader->cursor, size);

	if (reader->cursor.failed || (!low && !high))
		return LIST_ENTRY_END;
	if (low == (size == 8 ? UINT64_MAX : UINT32_MAX)) {
		reader->base = high;
		return LIST_ENTRY_NOTHING;
	}
	reader->low = reader->base + low;
	reader->high = reader->base + high;
	return LIST_ENTRY_RANGE;
}

static bool read_indexed(struct list_reader *reader, uint64_t *address)
{
	return unit_indexed_address(reader->unit, cursor_uleb(&reader->cursor), address);
}

static uint64_t read_address(struct list_reader *reader)
{
	return cursor_word(&reader->cursor, reader->unit->address_size);
}

static enum list_entry read_offset_pair(struct list_reader *reader)
{
	reader->low = reader->base + cursor_uleb(&reader->cursor);
	reader->high = reader->base + cursor_uleb(&reader->cursor);
	return reader->cursor.failed ? LIST_ENTRY_END : LIST_ENTRY_RANGE;
}

/* DW_RLE_*; those of location lists are the same under other numbers. */
static enum list_entry read_kind(struct list_reader *reader, unsigned int kind)
{
	struct cursor *cursor = &reader->cursor;

	switch (kind) {
	case DW_RLE_base_addressx:
		return read_indexed(reader, &reader->base) ? LIST_ENTRY_NOTHING : LIST_ENTRY_END;
	case DW_RLE_base_address: reader->base = read_address(reader); return LIST_ENTRY_NOTHING;
	case DW_RLE_startx_endx:
		if (!read_indexed(reader, &reader->low) || !read_indexed(reader, &reader->high))
			return LIST_ENTRY_END;
		break;
	case DW_RLE_startx_length:
		if (!read_indexed(reader, &reader->low))
			return LIST_ENTRY_END;
		reader->high = reader->low + cursor_uleb(cursor);
		break;
	case DW_RLE_offset_pair: return read_offset_pair(reader);
	case DW_RLE_start_end:
		reader->low = read_address(reader);
		reader->high = read_address(reader);
		break;
	case DW_RLE_start_length:
		reader->low = read_address(reader);
		reader->high = reader->low + cursor_uleb(cursor);
		break;
	default: return LIST_ENTRY_END;
	}
	return cursor->failed ? LIST_ENTRY_END : LIST_ENTRY_RANGE;
}

enum list_entry list_read_range(struct list_reader *reader)
{
	return read_kind(reader, cursor_u8(&reader->cursor));
}

enum list_entry list_read_location(struct list_reader *reader)
{
	static const uint8_t kinds[] = {
		[DW_LLE_base_addressx] = DW_RLE_base_addressx, [DW_LLE_startx_endx] = DW_RLE_startx_endx,
		[DW_LLE_startx_length] = DW_RLE_startx_length, [DW_LLE_base_address] = DW_RLE_base_address,
		[DW_LLE_start_end] = DW_RLE_start_end,         [DW_LLE_start_length] = DW_RLE_start_length,
	};
	uint8_t code = cursor_u8(&reader->cursor);

	if (code == DW_LLE_offset_pair) /* nearly all */
		return read_offset_pair(reader);
	if (code == DW_LLE_GNU_view_pair) {
		cursor_uleb(&reader->cursor);
		cursor_uleb(&reader->cursor);
		return LIST_ENTRY_NOTHING;
	}
	if (code == DW_LLE_default_location)
		return LIST_ENTRY_DEFAULT;
	return code < sizeof(kinds) ? read_kind(reader, kinds[code]) : LIST_ENTRY_END;
}

enum list_entry list_read_split_location(struct list_reader *reader)
{
	struct cursor *cursor = &reader->cursor;

	switch (cursor_u8(cursor)) {
	case DW_LLE_GNU_base_address_selection_entry: return read_kind(reader, DW_RLE_base_addressx);
	case DW_LLE_GNU_start_end_entry: return read_kind(reader, DW_RLE_startx_endx);
	case DW_LLE_GNU_start_length_entry:
		if (!read_indexed(reader, &reader->low))
			return LIST_ENTRY_END;
		reader->high = reader->low + cursor_u32(cursor);
		break;
	case 4: /* offset pair */
		reader->low = reader->base + cursor_u32(cursor);
		reader->high = reader->base + cursor_u32(cursor);
		break;
	default: return LIST_ENTRY_END;
	}
	return cursor->failed ? LIST_ENTRY_END : LIST_ENTRY_RANGE;
}
