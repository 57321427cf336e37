// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads range lists, location lists and frame bases: see location.h. */
#include "dwarf/dwarf/location.h"

#include <dwarf.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/expression.h"
#include "base/cursor.h"
#include "base/memory.h"

/* ---- entries of range lists and location lists, which have the same forms ---- */

enum list_entry {
	LIST_ENTRY_END,     /* the list ends here, or is damaged */
	LIST_ENTRY_NOTHING, /* the entry changes the base, or says nothing */
	LIST_ENTRY_RANGE,   /* [low, high) */
	LIST_ENTRY_DEFAULT, /* valid where no other entry is; location lists only */
};

/* A position in a list, and the base that its entries are relative to. */
struct list_reader {
	const struct unit *unit;
	struct cursor cursor;
	uint64_t base; /* at first the unit's low_pc */
	uint64_t low;  /* of the latest LIST_ENTRY_RANGE */
	uint64_t high;
};

/* Starts reading the list at `offset` of a section. */
static struct list_reader list_reader_at(const struct unit *unit,
					 const struct dwarf_section_data *section, uint64_t offset)
{
	struct list_reader reader = {
		.unit = unit,
		.cursor = cursor_of(section->data, section->size, false),
		.base = unit->low_pc,
	};

	cursor_skip(&reader.cursor, offset);
	return reader;
}

/* Reads an entry of .debug_ranges or .debug_loc: DWARF 4, sections 2.17.3 and 2.6.2. */
static enum list_entry list_read_pair(struct list_reader *reader)
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

/* Reads an entry of kind DW_RLE_*. Location lists have the same kinds under other numbers. */
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

/* Reads an entry of .debug_rnglists: DWARF 5, section 7.25. */
static enum list_entry list_read_range(struct list_reader *reader)
{
	return read_kind(reader, cursor_u8(&reader->cursor));
}

/* Reads an entry of .debug_loclists: DWARF 5, 7.29. Ranges and defaults have expressions. */
static enum list_entry list_read_location(struct list_reader *reader)
{
	static const uint8_t kinds[] = {
		[DW_LLE_base_addressx] = DW_RLE_base_addressx,
		[DW_LLE_startx_endx] = DW_RLE_startx_endx,
		[DW_LLE_startx_length] = DW_RLE_startx_length,
		[DW_LLE_base_address] = DW_RLE_base_address,
		[DW_LLE_start_end] = DW_RLE_start_end,
		[DW_LLE_start_length] = DW_RLE_start_length,
	};
	uint8_t code = cursor_u8(&reader->cursor);

	if (code == DW_LLE_offset_pair) /* the usual one */
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

/* Reads an entry of .debug_loc.dwo, of split DWARF 4 (gcc.gnu.org/wiki/DebugFission). */
static enum list_entry list_read_split_location(struct list_reader *reader)
{
	struct cursor *cursor = &reader->cursor;

	switch (cursor_u8(cursor)) {
	case DW_LLE_GNU_base_address_selection_entry:
		return read_kind(reader, DW_RLE_base_addressx);
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

/* ---- ranges ---- */

/* The most entries of a list; longer lists are cut. Compilers stay far below this. */
#define RANGES_MAX 65536
#define WORK_MAX   ((size_t)1 << 24)

static void location_add_range(const struct unit *unit, struct address_ranges *ranges, uint64_t low,
			       uint64_t high)
{
	/* Linkers resolve addresses of dropped sections to 0 or 1, or (lld) to one of the last two
	 * addresses. In an object file every section is at 0. */
	if (low >= high || (low <= 1 && !unit->file->sections.relocatable) || low >= UINT64_MAX - 1)
		return;
	if (ranges->count >= RANGES_MAX)
		return;
	array_add(ranges->items, ranges->count, ranges->capacity) =
		(struct address_range){ .low = low, .high = high };
}

/* Finds the section offset of an attribute's list. `base` is the unit's in that section, from which
 * lists are found by their index (DW_FORM_loclistx, DW_FORM_rnglistx). */
static bool list_offset(const struct die *die, enum attribute_slot slot,
			const struct dwarf_section_data *section, uint64_t base, uint64_t *offset)
{
	struct cursor cursor = cursor_of(section->data, section->size, false);
	uint64_t index, relative;

	if (!die_list_index(die, slot, &index))
		return die_section_offset(die, slot, offset);
	if (index > section->size)
		return false;
	cursor_skip(&cursor, base);
	cursor_skip(&cursor, index * die->unit->offset_size);
	relative = cursor_word(&cursor, die->unit->offset_size);
	if (cursor.failed || relative > section->size)
		return false;
	*offset = base + relative;
	return true;
}

static void read_range_entries(const struct unit *unit, struct list_reader reader,
			       enum list_entry (*read_entry)(struct list_reader *reader),
			       struct address_ranges *ranges)
{
	while (ranges->count < RANGES_MAX && ranges->work++ < WORK_MAX) {
		enum list_entry entry = read_entry(&reader);

		if (entry == LIST_ENTRY_END)
			return;
		if (entry == LIST_ENTRY_RANGE)
			location_add_range(unit, ranges, reader.low, reader.high);
	}
}

static void read_range_list(const struct die *die, struct address_ranges *ranges)
{
	const struct unit *unit = die->unit;
	const struct dwarf_sections *sections = unit->addr_sections ?: &unit->file->sections;
	const struct dwarf_section_data *rnglists = &unit->file->sections.section[SECTION_RNGLISTS];
	uint64_t offset;

	if (!list_offset(die, SLOT_RANGES, rnglists, unit->rnglists_base, &offset))
		return;
	if (unit->version >= 5)
		read_range_entries(unit, list_reader_at(unit, rnglists, offset), list_read_range,
				   ranges);
	else
		read_range_entries(unit,
				   list_reader_at(unit, &sections->section[SECTION_RANGES],
						  offset + unit->ranges_base),
				   list_read_pair, ranges);
}

bool die_ranges(const struct die *die, struct address_ranges *ranges)
{
	uint64_t low, high;

	ranges->count = 0;
	if (die_has(die, SLOT_RANGES)) {
		read_range_list(die, ranges);
	} else if (die_address(die, SLOT_LOW_PC, &low)) {
		if (die_unsigned(die, SLOT_HIGH_PC,
				 &high)) /* since DWARF 4: a constant is the size */
			high += low;
		else if (!die_address(die, SLOT_HIGH_PC, &high))
			return false;
		location_add_range(die->unit, ranges, low, high);
	}
	return ranges->count;
}

/* ---- location lists: an expression follows each entry ---- */

static uint64_t size_of_two_bytes(struct cursor *cursor)
{
	return cursor_u16(cursor);
}

/* Notes that a range begins whose location is a register. */
static void add_arrival(struct arrival_list *list, uint64_t address, uint64_t view,
			const uint8_t *expression, uint64_t size)
{
	if (size != 1 || expression[0] < DW_OP_reg0 || expression[0] > DW_OP_reg31)
		return;
	array_add(list->items, list->count, list->capacity) =
		(struct arrival){ .address = address,
				  .view = view < UINT16_MAX ? (uint16_t)view : UINT16_MAX,
				  .reg = (uint8_t)(expression[0] - DW_OP_reg0) };
}

/* Notes the place of a word in memory: at a register, or at what is loaded at one, plus a constant,
 * loaded again, and so on. */
static void add_passed(struct passed_list *list, uint64_t address, const uint8_t *expression,
		       uint64_t size)
{
	struct cursor cursor = cursor_of(expression, size, false);
	unsigned int operation = cursor_u8(&cursor);
	struct passed_word word = { .address = address, .reg = (uint8_t)(operation - DW_OP_breg0) },
			   before = word;

	if (operation < DW_OP_breg0 || operation > DW_OP_breg31)
		return;
	word.offset = cursor_sleb(&cursor);
	while (cursor_left(&cursor)) {
		operation = cursor_u8(&cursor);
		if (operation == DW_OP_plus_uconst) {
			word.offset = (int64_t)((uint64_t)word.offset + cursor_uleb(&cursor));
		} else if (operation == DW_OP_deref) {
			before = word;
			word.outer = word.offset;
			word.loaded = true;
			word.offset = 0;
		} else if (operation == DW_OP_stack_value && !word.offset &&
			   !cursor_left(&cursor)) {
			word = before; /* the variable is what was loaded */
		} else {
			return;
		}
	}
	if (!cursor.failed)
		array_add(list->items, list->count, list->capacity) = word;
}

static void read_location_entries(struct list_reader reader,
				  enum list_entry (*read_entry)(struct list_reader *reader),
				  uint64_t (*read_size)(struct cursor *cursor),
				  struct cursor *views, struct location_list *list)
{
	size_t first = list->count;

	while (list->count < list->limit && list->work++ < WORK_MAX) {
		enum list_entry entry = read_entry(&reader);

		if (entry == LIST_ENTRY_END)
			return;
		if (entry == LIST_ENTRY_NOTHING)
			continue;
		if (entry == LIST_ENTRY_DEFAULT) {
			/* a default location is valid wherever no other is; this is one range only
			 * if there is no other location */
			reader.low = 0;
			reader.high = list->count == first ? UINT64_MAX : 0;
		}

		uint64_t size = read_size(&reader.cursor);
		const uint8_t *expression = cursor_bytes(&reader.cursor, size);
		uint64_t view = views ? cursor_uleb(views) : 0;

		if (views) {
			cursor_uleb(views); /* where the range ends */
			if (expression && !views->failed)
				add_arrival(&list->arrivals, reader.low, view, expression, size);
		}

		if (expression && list->with_arrivals)
			add_passed(&list->passed, reader.low, expression, size);
		/* registers that have the parts of a record at an instruction have them there even
		 * if the record has changed before that is executed */
		if (expression && reader.low == reader.high && list->with_arrivals && size > 1 &&
		    expression[0] >= DW_OP_reg0 && expression[0] <= DW_OP_reg31)
			reader.high++;
		if (expression && reader.low < reader.high)
			location_of_expression(reader.unit, expression, size, reader.low,
					       reader.high, list);
	}
}

/* Returns a cursor to the views of a variable's list, two numbers an entry; or NULL. */
static struct cursor *find_views(const struct die *die, const struct location_list *list,
				 const struct dwarf_section_data *section, struct cursor *cursor)
{
	uint64_t offset;

	if (!list->with_arrivals || !die_section_offset(die, SLOT_LOCATION_VIEWS, &offset) ||
	    offset >= section->size)
		return NULL;
	*cursor = cursor_of(section->data, section->size, false);
	cursor_skip(cursor, offset);
	return cursor;
}

static void read_location_list(const struct die *die, enum attribute_slot slot,
			       struct location_list *list)
{
	const struct unit *unit = die->unit;
	const struct dwarf_section_data *loclists = &unit->file->sections.section[SECTION_LOCLISTS];
	const struct dwarf_section_data *loc = &unit->file->sections.section[SECTION_LOC];
	struct cursor views_cursor, *views;
	uint64_t offset;

	if (!list_offset(die, slot, loclists, unit->loclists_base, &offset))
		return;
	views = find_views(die, list, unit->version >= 5 ? loclists : loc, &views_cursor);
	if (unit->version >= 5)
		read_location_entries(list_reader_at(unit, loclists, offset), list_read_location,
				      cursor_uleb, views, list);
	else if (unit->file->split)
		read_location_entries(list_reader_at(unit, loc, unit->loclists_base + offset),
				      list_read_split_location, size_of_two_bytes, NULL, list);
	else
		read_location_entries(list_reader_at(unit, loc, offset), list_read_pair,
				      size_of_two_bytes, views, list);
}

COMPARISON(by_low, struct location, ASCENDING(low) ASCENDING(high) ASCENDING(piece_offset))

static void locations_sort(struct location_list *list, size_t first)
{
	for (size_t i = first + 1; i < list->count; i++) {
		if (list->items[i].low < list->items[i - 1].low) {
			qsort(&list->items[first], list->count - first, sizeof(*list->items),
			      by_low);
			return;
		}
	}
}

void locations_of_attribute(const struct die *die, enum attribute_slot slot,
			    struct location_list *list)
{
	const uint8_t *expression;
	size_t size, first = list->count;

	if (die_block(die, slot, &expression, &size)) {
		location_of_expression(die->unit, expression, size, 0, UINT64_MAX, list);
		return;
	}
	read_location_list(die, slot, list);
	locations_sort(list, first);
}

/*
 * ---- frame bases ----
 *
 * Nearly all compilers give one base for the whole function: the CFA, or a register. DWARF 2 has no
 * DW_OP_call_frame_cfa, so old or strict compilers write the CFA as a list: %rsp + 8 before the
 * push, %rbp + 16 after it. The locations of the variables of such a function are converted, so
 * that no other code has to support lists.
 */

void frame_base_list_deinit(struct frame_base_list *list)
{
	free(list->items);
	*list = (struct frame_base_list){ 0 };
}

static bool is_everywhere(const struct location *location)
{
	return !location->low && location->high == UINT64_MAX;
}

/* Sets the frame base from its only location. False if it is neither the CFA nor a register. */
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

void frame_base_read(const struct die *die, struct location_list *locations,
		     struct function *function, struct frame_base_list *list)
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
		array_add(list->items, list->count, list->capacity) = base;
	}
}

/* Converts the part of `location` that is in the range of `base`; false: there is none. */
static bool translate(const struct location *location, const struct location *base,
		      struct location *result)
{
	*result = *location;
	result->low = location->low > base->low ? location->low : base->low;
	result->high = location->high < base->high ? location->high : base->high;
	result->kind = base->kind;
	result->reg = base->reg;
	return result->low < result->high &&
	       !__builtin_add_overflow(location->offset, base->offset, &result->offset);
}

void frame_base_apply(const struct frame_base_list *list, struct location_list *locations,
		      size_t first)
{
	size_t count = locations->count, kept = first;

	for (size_t i = first; i < count; i++) {
		if (locations->items[i].kind != LOCATION_FRAME)
			continue;
		for (size_t j = 0; j < list->count && locations->count < locations->limit; j++) {
			struct location result;

			if (!translate(&locations->items[i], &list->items[j], &result))
				continue;
			array_add(locations->items, locations->count, locations->capacity) = result;
		}
	}
	/* remove those that were converted */
	for (size_t i = first; i < locations->count; i++)
		if (i >= count || locations->items[i].kind != LOCATION_FRAME)
			locations->items[kept++] = locations->items[i];
	locations->count = kept;
	locations_sort(locations, first);
}
