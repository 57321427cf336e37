// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_frame_index.h"

#include "dwarf/encoded_pointer.h"
#include "profiler/base/memory.h"
#include "profiler/base/search.h"

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
		case 'S': cie->signal_frame = true; break;
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
	cie.return_register = version == 1 ? cursor_u8(cursor) : cursor_uleb(cursor);
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

static bool is_cie_before(const struct frame_cie *cie, uint64_t offset, bool eh_frame)
{
	return cie->eh_frame == eh_frame ? cie->offset < offset : cie->eh_frame;
}

/* CIEs are in the order of their offsets within a section, .eh_frame's first. */
static const struct frame_cie *find_cie(const struct frame_table *table, uint64_t offset, bool eh_frame)
{
	/* nearly always the last one */
	for (size_t i = table->cie_count, tries = 0; i-- > 0 && tries < 4; tries++) {
		if (table->cies[i].offset == offset && table->cies[i].eh_frame == eh_frame)
			return &table->cies[i];
	}

	size_t index =
		partition_point(0, table->cie_count, i, is_cie_before(&table->cies[i], offset, eh_frame));
	const struct frame_cie *cie = index < table->cie_count ? &table->cies[index] : NULL;

	return cie && cie->offset == offset && cie->eh_frame == eh_frame ? cie : NULL;
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

	uint64_t low = frame_encoded_address(cursor, cie, section_address);
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

void frame_index_section(struct frame_table *table, const struct dwarf_section_data *section, bool eh_frame)
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
