/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_frame.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_location.h"
#include "dwarf/encoded_pointer.h"
#include "profiler/base/memory.h"

#define REMEMBERED   16
#define MAXIMUM_ROWS 65536

struct frame_cie {
	uint64_t offset; /* in its section, for the FDEs to find it */
	bool eh_frame;
	bool usable;
	bool has_augmentation_data;
	uint8_t address_size;
	uint8_t encoding;      /* of the addresses in FDEs */
	uint8_t lsda_encoding; /* of what they refer to for exceptions; PE_OMIT: nothing */
	uint64_t code_alignment;
	int64_t data_alignment;
	const uint8_t *instructions;
	uint32_t size;
};

void frame_table_init(struct frame_table *table, const struct dwarf_section_data *eh_frame,
		      const struct dwarf_section_data *debug_frame, struct dwarf_file *file)
{
	*table = (struct frame_table){
		.eh_frame = eh_frame,
		.debug_frame = debug_frame,
		.unit = { .file = file, .version = 4, .address_size = 8, .offset_size = 4 },
	};
	pthread_mutex_init(&table->lock, NULL);
}

void frame_table_release(struct frame_table *table)
{
	free(table->entries);
	free(table->cies);
	pthread_mutex_destroy(&table->lock);
}

static uint64_t encoded_address(struct cursor *cursor, const struct frame_cie *cie, uint64_t section_address)
{
	return encoded_pointer(cursor, cie->encoding, cie->address_size, section_address);
}

/* Augmentation "zPLR...": what it says of FDEs. False: it is not understood, so the FDEs are of no use. */
static bool read_augmentation(struct cursor *cursor, const char *augmentation, struct frame_cie *cie)
{
	if (!*augmentation)
		return true;
	if (*augmentation != 'z')
		return false;
	cie->has_augmentation_data = true;

	uint64_t length = cursor_uleb(cursor);
	struct cursor data = *cursor;

	cursor_skip(cursor, length);
	for (augmentation++; *augmentation; augmentation++) {
		switch (*augmentation) {
		case 'R': cie->encoding = cursor_u8(&data); break;
		case 'P': {
			unsigned int encoding = cursor_u8(&data);

			if (encoding != PE_OMIT)
				encoded_value(&data, encoding & PE_FORMAT, cie->address_size);
			break;
		}
		case 'L': cie->lsda_encoding = cursor_u8(&data); break;
		case 'S':
		case 'B': break;
		default: return !data.failed; /* the rest is covered by the length */
		}
	}
	return !data.failed;
}

static void add_cie(struct frame_table *table, struct cursor *cursor, uint64_t offset, bool eh_frame)
{
	struct frame_cie cie = {
		.offset = offset, .eh_frame = eh_frame, .address_size = 8, .lsda_encoding = PE_OMIT
	};
	unsigned int version = cursor_u8(cursor);
	const char *augmentation = cursor_string(cursor);
	bool understood;

	if (!eh_frame && version >= 4) {
		cie.address_size = cursor_u8(cursor);
		cursor_u8(cursor); /* segment selectors */
	}
	cie.code_alignment = cursor_uleb(cursor);
	cie.data_alignment = cursor_sleb(cursor);
	if (version == 1)
		cursor_u8(cursor);
	else
		cursor_uleb(cursor);
	understood = augmentation && read_augmentation(cursor, augmentation, &cie);
	cie.usable = understood && !cursor->failed && (version == 1 || version == 3 || version == 4) &&
		     (cie.address_size == 8 || cie.address_size == 4);
	if (cie.usable) {
		cie.instructions = cursor->data + cursor->position;
		cie.size = (uint32_t)cursor_left(cursor);
	}
	array_reserve(table->cies, table->cie_count, table->cie_capacity);
	table->cies[table->cie_count++] = cie;
}

/* CIEs are in the order of their offsets within a section, .eh_frame's first. */
static const struct frame_cie *find_cie(const struct frame_table *table, uint64_t offset, bool eh_frame)
{
	/* nearly always the last one */
	for (size_t i = table->cie_count, tries = 0; i-- > 0 && tries < 4; tries++) {
		if (table->cies[i].offset == offset && table->cies[i].eh_frame == eh_frame)
			return &table->cies[i];
	}

	size_t low = 0, high = table->cie_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct frame_cie *cie = &table->cies[middle];

		if (cie->offset == offset && cie->eh_frame == eh_frame)
			return cie;
		if ((cie->eh_frame && !eh_frame) || (cie->eh_frame == eh_frame && cie->offset < offset))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Of the FDE whose augmentation data the cursor is at; 0: it has none. */
static uint64_t lsda_address(const struct cursor *cursor, const struct frame_cie *cie,
			     uint64_t section_address)
{
	struct cursor value = *cursor, pointer = *cursor;

	if (cie->lsda_encoding == PE_OMIT ||
	    !encoded_value(&value, cie->lsda_encoding & PE_FORMAT, cie->address_size))
		return 0;
	uint64_t address = encoded_pointer(&pointer, cie->lsda_encoding, cie->address_size, section_address);

	return pointer.failed ? 0 : address;
}

static void add_fde(struct frame_table *table, struct cursor *cursor, uint64_t cie_offset, bool eh_frame,
		    uint64_t section_address)
{
	const struct frame_cie *cie = find_cie(table, cie_offset, eh_frame);

	if (!cie || !cie->usable)
		return;

	uint64_t low = encoded_address(cursor, cie, section_address);
	uint64_t size = encoded_value(cursor, cie->encoding & 0x07, cie->address_size);

	uint64_t lsda = 0;

	if (cie->has_augmentation_data) {
		uint64_t length = cursor_uleb(cursor);

		lsda = lsda_address(cursor, cie, section_address);
		cursor_skip(cursor, length);
	}
	if (cursor->failed || !size || low + size < low)
		return;
	array_reserve(table->entries, table->count, table->capacity);
	table->entries[table->count++] = (struct frame_entry){
		.low = low,
		.high = low + size,
		.instructions = cursor->data + cursor->position,
		.size = (uint32_t)cursor_left(cursor),
		.cie = (uint32_t)(cie - table->cies),
		.lsda = lsda,
	};
}

/* CIEs come before their FDEs in what assemblers and linkers write. */
static void index_section(struct frame_table *table, const struct dwarf_section_data *section, bool eh_frame)
{
	struct cursor cursor = bytes_cursor(section->data, section->size);

	while (cursor_left(&cursor)) {
		uint64_t start = cursor.position;
		unsigned int offset_size = 4;
		uint64_t length = cursor_u32(&cursor);

		if (length == UINT32_MAX) {
			offset_size = 8;
			length = cursor_u64(&cursor);
		}
		if (cursor.failed || length > cursor_left(&cursor) || length > UINT32_MAX)
			return;
		if (!length) /* .eh_frame's terminator; crtend's may be followed by more */
			continue;

		struct cursor entry = bytes_cursor(section->data, cursor.position + length);
		uint64_t id_position = cursor.position;

		entry.position = cursor.position;
		cursor_skip(&cursor, length);

		uint64_t id = cursor_word(&entry, eh_frame ? 4 : offset_size);
		uint64_t cie_id = eh_frame ? 0 : offset_size == 8 ? UINT64_MAX : UINT32_MAX;

		if (id == cie_id)
			add_cie(table, &entry, start, eh_frame);
		else
			add_fde(table, &entry, eh_frame ? id_position - id : id, eh_frame, section->address);
	}
}

static int by_low(const void *left, const void *right)
{
	const struct frame_entry *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->cie != b->cie)
		return a->cie < b->cie ? -1 : 1;
	return a->instructions < b->instructions ? -1 : a->instructions > b->instructions;
}

static void ensure_built(struct frame_table *table)
{
	if (__atomic_load_n(&table->built, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&table->lock);
	if (!table->built) {
		index_section(table, table->eh_frame, true);
		index_section(table, table->debug_frame, false);
		if (table->count)
			qsort(table->entries, table->count, sizeof(*table->entries), by_low);
		__atomic_store_n(&table->built, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&table->lock);
}

struct cfa {
	uint8_t kind;
	uint8_t reg;
	int64_t offset;
	int64_t offset2;
};

struct interpreter {
	struct frame_table *table;
	const struct frame_cie *cie;
	uint64_t address;   /* the current row begins here */
	uint64_t low, high; /* what is asked for */
	struct cfa cfa;
	struct cfa remembered[REMEMBERED];
	size_t remembered_count;
	struct frame_rows *rows;
	size_t first_row;
};

static void emit(struct interpreter *interpreter, uint64_t end)
{
	uint64_t low = interpreter->address > interpreter->low ? interpreter->address : interpreter->low;
	uint64_t high = end < interpreter->high ? end : interpreter->high;
	struct frame_rows *rows = interpreter->rows;
	const struct cfa *cfa = &interpreter->cfa;

	if (low >= high)
		return;
	if (rows->count > interpreter->first_row) {
		struct frame_row *last = &rows->items[rows->count - 1];

		if (last->high == low && last->kind == cfa->kind && last->reg == cfa->reg &&
		    last->offset == cfa->offset && last->offset2 == cfa->offset2) {
			last->high = high;
			return;
		}
	}
	if (rows->count >= MAXIMUM_ROWS)
		return;
	array_reserve(rows->items, rows->count, rows->capacity);
	rows->items[rows->count++] = (struct frame_row){
		.low = low,
		.high = high,
		.kind = cfa->kind,
		.reg = cfa->reg,
		.offset = cfa->offset,
		.offset2 = cfa->offset2,
	};
}

static void advance(struct interpreter *interpreter, uint64_t delta)
{
	uint64_t next = interpreter->address + delta * interpreter->cie->code_alignment;

	emit(interpreter, next);
	interpreter->address = next;
}

static void set_register(struct cfa *cfa, uint64_t reg)
{
	cfa->kind = reg < 0xff ? CFA_REGISTER : CFA_UNKNOWN;
	cfa->reg = (uint8_t)reg;
	cfa->offset2 = 0;
}

static void set_expression(struct interpreter *interpreter, const uint8_t *bytes, size_t size)
{
	struct location location;
	struct location_list list = { .items = &location, .capacity = 1, .limit = 1 };
	struct cfa *cfa = &interpreter->cfa;

	*cfa = (struct cfa){ .kind = CFA_UNKNOWN };
	location_of_expression(&interpreter->table->unit, bytes, size, 0, UINT64_MAX, &list);
	if (list.count != 1 || location.piece_size)
		return;
	if (location.kind != LOCATION_MEMORY && location.kind != LOCATION_INDIRECT)
		return;
	*cfa = (struct cfa){
		.kind = location.kind == LOCATION_MEMORY ? CFA_REGISTER : CFA_INDIRECT,
		.reg = location.reg,
		.offset = location.offset,
		.offset2 = location.offset2,
	};
}

static void remember(struct interpreter *interpreter)
{
	if (interpreter->remembered_count < REMEMBERED)
		interpreter->remembered[interpreter->remembered_count] = interpreter->cfa;
	interpreter->remembered_count++;
}

static void restore(struct interpreter *interpreter)
{
	if (interpreter->remembered_count && --interpreter->remembered_count < REMEMBERED)
		interpreter->cfa = interpreter->remembered[interpreter->remembered_count];
	else
		interpreter->cfa = (struct cfa){ .kind = CFA_UNKNOWN };
}

static void block(struct interpreter *interpreter, struct cursor *cursor, bool is_cfa)
{
	uint64_t size = cursor_uleb(cursor);
	const uint8_t *bytes = cursor_bytes(cursor, size);

	if (bytes && is_cfa)
		set_expression(interpreter, bytes, size);
}

/* Instructions that give rules for registers are passed over. False: where one ends is not known. */
static bool run_extended(struct interpreter *interpreter, struct cursor *cursor, unsigned int instruction)
{
	const struct frame_cie *cie = interpreter->cie;
	struct cfa *cfa = &interpreter->cfa;

	switch (instruction) {
	case DW_CFA_nop:
	case DW_CFA_GNU_window_save: break;
	case DW_CFA_set_loc: {
		const struct dwarf_section_data *section =
			cie->eh_frame ? interpreter->table->eh_frame : interpreter->table->debug_frame;
		struct cursor in_section = bytes_cursor(section->data, section->size);

		/* a pc-relative address counts from its place in the section */
		in_section.position = (size_t)(cursor->data - section->data) + cursor->position;

		size_t before = in_section.position;
		uint64_t address = encoded_address(&in_section, cie, section->address);

		cursor_skip(cursor, in_section.position - before);
		if (in_section.failed || address < interpreter->address)
			return false;
		emit(interpreter, address);
		interpreter->address = address;
		break;
	}
	case DW_CFA_advance_loc1: advance(interpreter, cursor_u8(cursor)); break;
	case DW_CFA_advance_loc2: advance(interpreter, cursor_u16(cursor)); break;
	case DW_CFA_advance_loc4: advance(interpreter, cursor_u32(cursor)); break;
	case DW_CFA_MIPS_advance_loc8: advance(interpreter, cursor_u64(cursor)); break;
	case DW_CFA_def_cfa:
		set_register(cfa, cursor_uleb(cursor));
		cfa->offset = (int64_t)cursor_uleb(cursor);
		break;
	case DW_CFA_def_cfa_sf:
		set_register(cfa, cursor_uleb(cursor));
		cfa->offset = (int64_t)((uint64_t)cursor_sleb(cursor) * (uint64_t)cie->data_alignment);
		break;
	case DW_CFA_def_cfa_register: set_register(cfa, cursor_uleb(cursor)); break;
	case DW_CFA_def_cfa_offset: cfa->offset = (int64_t)cursor_uleb(cursor); break;
	case DW_CFA_def_cfa_offset_sf:
		cfa->offset = (int64_t)((uint64_t)cursor_sleb(cursor) * (uint64_t)cie->data_alignment);
		break;
	case DW_CFA_def_cfa_expression: block(interpreter, cursor, true); break;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		cursor_uleb(cursor);
		block(interpreter, cursor, false);
		break;
	case DW_CFA_remember_state: remember(interpreter); break;
	case DW_CFA_restore_state: restore(interpreter); break;
	case DW_CFA_undefined:
	case DW_CFA_same_value:
	case DW_CFA_restore_extended:
	case DW_CFA_GNU_args_size: cursor_uleb(cursor); break;
	case DW_CFA_offset_extended:
	case DW_CFA_register:
	case DW_CFA_val_offset:
	case DW_CFA_GNU_negative_offset_extended:
		cursor_uleb(cursor);
		cursor_uleb(cursor);
		break;
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset_sf:
		cursor_uleb(cursor);
		cursor_sleb(cursor);
		break;
	default: return false;
	}
	return !cursor->failed;
}

static bool run(struct interpreter *interpreter, const uint8_t *instructions, size_t size)
{
	struct cursor cursor = bytes_cursor(instructions, size);

	while (cursor_left(&cursor) && interpreter->address < interpreter->high) {
		unsigned int instruction = cursor_u8(&cursor);

		switch (instruction & 0xc0) {
		case DW_CFA_advance_loc: advance(interpreter, instruction & 0x3f); continue;
		case DW_CFA_offset: cursor_uleb(&cursor); continue;
		case DW_CFA_restore: continue;
		}
		if (!run_extended(interpreter, &cursor, instruction))
			return false;
	}
	return !cursor.failed;
}

static void run_entry(struct frame_table *table, const struct frame_entry *entry, uint64_t low, uint64_t high,
		      struct frame_rows *rows)
{
	const struct frame_cie *cie = &table->cies[entry->cie];
	struct interpreter interpreter = {
		.table = table,
		.cie = cie,
		.low = low,
		.high = high < entry->high ? high : entry->high,
		.cfa = { .kind = CFA_UNKNOWN },
		.rows = rows,
		.first_row = rows->count,
	};
	struct frame_rows none = { 0 };

	/* the CIE's instructions give the first row's state, and no rows */
	interpreter.address = entry->low;
	interpreter.rows = &none;
	interpreter.high = UINT64_MAX;
	interpreter.first_row = 0;

	bool known = run(&interpreter, cie->instructions, cie->size);

	free(none.items);
	interpreter.rows = rows;
	interpreter.first_row = rows->count;
	interpreter.high = high < entry->high ? high : entry->high;
	interpreter.address = entry->low;
	if (!known || !run(&interpreter, entry->instructions, entry->size))
		interpreter.cfa = (struct cfa){ .kind = CFA_UNKNOWN };
	emit(&interpreter, interpreter.high);
}

const struct frame_entry *frame_table_entry(struct frame_table *table, uint64_t address)
{
	size_t low = 0, high;

	ensure_built(table);
	high = table->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->entries[middle].low < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->count && table->entries[low].low == address ? &table->entries[low] : NULL;
}

void frame_table_rows(struct frame_table *table, uint64_t low, uint64_t high, struct frame_rows *rows)
{
	size_t first = 0, last;

	ensure_built(table);
	last = table->count;
	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (table->entries[middle].low <= low)
			first = middle + 1;
		else
			last = middle;
	}
	/* the FDE that covers `low` may be before others that begin at the same address (.debug_frame's) */
	while (first && low < table->entries[first - 1].high)
		first--;
	for (uint64_t next = low; first < table->count && table->entries[first].low < high; first++) {
		const struct frame_entry *entry = &table->entries[first];

		/* what an earlier one has covered stays */
		if (entry->high <= next)
			continue;
		run_entry(table, entry, next, high, rows);
		next = entry->high;
	}
}

static int by_row_low(const void *left, const void *right)
{
	const struct frame_row *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high < b->high ? -1 : a->high > b->high;
}

const struct frame_row *frame_rows_copy(struct frame_rows *rows, struct arena *arena)
{
	if (rows->count)
		qsort(rows->items, rows->count, sizeof(*rows->items), by_row_low);
	return arena_copy(arena, rows->items, rows->count * sizeof(*rows->items));
}
