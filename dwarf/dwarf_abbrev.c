/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_abbrev.h"

#include <dwarf.h>
#include <stdlib.h>

#include "dwarf/leb128.h"
#include "profiler/base/memory.h"

static uint8_t slot_of(uint64_t attribute)
{
	switch (attribute) {
	case DW_AT_sibling: return SLOT_SIBLING;
	case DW_AT_name: return SLOT_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name: return SLOT_LINKAGE_NAME;
	case DW_AT_type: return SLOT_TYPE;
	case DW_AT_abstract_origin: return SLOT_ORIGIN;
	case DW_AT_specification: return SLOT_SPECIFICATION;
	case DW_AT_signature: return SLOT_SIGNATURE;
	case DW_AT_import: return SLOT_IMPORT;
	case DW_AT_low_pc: return SLOT_LOW_PC;
	case DW_AT_high_pc: return SLOT_HIGH_PC;
	case DW_AT_entry_pc: return SLOT_ENTRY_PC;
	case DW_AT_ranges: return SLOT_RANGES;
	case DW_AT_location: return SLOT_LOCATION;
	case DW_AT_const_value: return SLOT_CONST_VALUE;
	case DW_AT_frame_base: return SLOT_FRAME_BASE;
	case DW_AT_byte_size: return SLOT_BYTE_SIZE;
	case DW_AT_bit_size: return SLOT_BIT_SIZE;
	case DW_AT_bit_offset: return SLOT_BIT_OFFSET;
	case DW_AT_data_bit_offset: return SLOT_DATA_BIT_OFFSET;
	case DW_AT_data_member_location: return SLOT_MEMBER_LOCATION;
	case DW_AT_encoding: return SLOT_ENCODING;
	case DW_AT_count: return SLOT_COUNT_ATTRIBUTE;
	case DW_AT_upper_bound: return SLOT_UPPER_BOUND;
	case DW_AT_lower_bound: return SLOT_LOWER_BOUND;
	case DW_AT_byte_stride: return SLOT_BYTE_STRIDE;
	case DW_AT_GNU_vector: return SLOT_VECTOR;
	case DW_AT_external: return SLOT_EXTERNAL;
	case DW_AT_declaration: return SLOT_DECLARATION;
	case DW_AT_artificial: return SLOT_ARTIFICIAL;
	case DW_AT_inline: return SLOT_INLINE;
	case DW_AT_noreturn: return SLOT_NO_RETURN;
	case DW_AT_prototyped: return SLOT_PROTOTYPED;
	case DW_AT_call_return_pc: return SLOT_CALL_RETURN_PC;
	case DW_AT_call_origin: return SLOT_CALL_ORIGIN;
	case DW_AT_call_tail_call:
	case DW_AT_GNU_tail_call: return SLOT_CALL_TAIL;
	case DW_AT_call_file: return SLOT_CALL_FILE;
	case DW_AT_call_line: return SLOT_CALL_LINE;
	case DW_AT_language: return SLOT_LANGUAGE;
	case DW_AT_comp_dir: return SLOT_COMP_DIR;
	case DW_AT_stmt_list: return SLOT_STATEMENT_LIST;
	case DW_AT_str_offsets_base: return SLOT_STR_OFFSETS_BASE;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base: return SLOT_ADDR_BASE;
	case DW_AT_rnglists_base: return SLOT_RNGLISTS_BASE;
	case DW_AT_loclists_base: return SLOT_LOCLISTS_BASE;
	case DW_AT_GNU_ranges_base: return SLOT_RANGES_BASE;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name: return SLOT_DWO_NAME;
	case DW_AT_GNU_dwo_id: return SLOT_DWO_ID;
	case DW_AT_decl_line: return SLOT_DECLARED_LINE;
	case DW_AT_enum_class: return SLOT_ENUM_CLASS;
	case DW_AT_GNU_template_name: return SLOT_TEMPLATE_NAME;
	}
	return SLOT_NONE;
}

/* Bytes that a value of the form takes in every DIE, or -1. */
int form_fixed_size(unsigned int form, uint8_t version, uint8_t offset_size, uint8_t address_size)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const: return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1: return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2: return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3: return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4: return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8: return 8;
	case DW_FORM_data16: return 16;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt: return offset_size;
	case DW_FORM_ref_addr: return version <= 2 ? address_size : offset_size;
	case DW_FORM_addr: return address_size;
	}
	return -1;
}

struct builder {
	struct abbrev_table *table;
	size_t abbrev_capacity;
	size_t attribute_count;
	size_t attribute_capacity;
	uint8_t version, offset_size, address_size;
	bool sparse;
};

/* An attribute that nobody asks for is no more than the bytes it takes, where these are always as many;
 * false: they are not. */
static bool pass_over(struct builder *builder, struct abbrev *abbrev, int size)
{
	uint16_t *skip = abbrev->attribute_count
				 ? &builder->table->attributes[builder->attribute_count - 1].skip
				 : &abbrev->skip;

	if (size < 0 || *skip + size > UINT16_MAX)
		return false;
	*skip = (uint16_t)(*skip + size);
	return true;
}

static void read_attributes(struct builder *builder, struct cursor *cursor, struct abbrev *abbrev)
{
	struct abbrev_table *table = builder->table;
	int32_t fixed_size = 0;
	bool words = true;

	for (;;) {
		uint64_t name = cursor_uleb(cursor), form = cursor_uleb(cursor);
		int64_t constant = form == DW_FORM_implicit_const ? cursor_sleb(cursor) : 0;

		if (cursor->failed || (!name && !form))
			break;

		/* a form that does not fit is unknown, and 0 is so as well */
		uint16_t known_form = form > UINT16_MAX ? 0 : (uint16_t)form;
		uint8_t slot = slot_of(name);
		int size = form_fixed_size(known_form, builder->version, builder->offset_size,
					   builder->address_size);

		if (size < 0 || fixed_size > INT16_MAX)
			fixed_size = -1;
		if (fixed_size >= 0)
			fixed_size += size;
		if (slot == SLOT_NONE && pass_over(builder, abbrev, size)) {
			abbrev->word_bytes += words ? (uint32_t)size : 0;
			continue;
		}
		words &= slot != SLOT_NONE && size >= 0 && size <= 8 && abbrev->word_bytes <= INT16_MAX;
		array_reserve(table->attributes, builder->attribute_count, builder->attribute_capacity);
		table->attributes[builder->attribute_count++] = (struct abbrev_attribute){
			.form = known_form,
			.slot = slot,
			.word_size = size <= 8 ? (int8_t)size : -1,
			.constant = form == DW_FORM_flag_present ? 1 : constant,
		};
		if (slot == SLOT_SIBLING) {
			abbrev->has_sibling = true;
			abbrev->sibling = abbrev->attribute_count;
			abbrev->sibling_at = (uint16_t)abbrev->word_bytes;
		}
		abbrev->present |= slot == SLOT_NONE ? 0 : UINT64_C(1) << slot;
		abbrev->attribute_count++;
		abbrev->word_count += words;
		abbrev->word_bytes += words ? (uint32_t)size : 0;
	}
	abbrev->fixed_size = fixed_size;
}

static void read_abbrevs(struct builder *builder, struct cursor *cursor)
{
	struct abbrev_table *table = builder->table;

	for (;;) {
		uint64_t code = cursor_uleb(cursor);

		if (!code || cursor->failed)
			return;

		uint64_t tag = cursor_uleb(cursor);
		struct abbrev abbrev = {
			.tag = tag > UINT16_MAX ? 0 : (uint16_t)tag,
			.has_children = cursor_u8(cursor) == DW_CHILDREN_yes,
		};

		read_attributes(builder, cursor, &abbrev);
		if (cursor->failed)
			return;
		if (code != table->count + 1 && !builder->sparse) {
			builder->sparse = true;
			for (size_t i = 0; i < table->count; i++)
				*hash_map_insert(&table->codes, i + 1, &(bool){ false }) = (uint32_t)i;
		}
		if (builder->sparse) {
			bool created;
			uint32_t *index = hash_map_insert(&table->codes, code, &created);

			if (created)
				*index = (uint32_t)table->count;
		}
		array_reserve(table->abbrevs, table->count, builder->abbrev_capacity);
		table->abbrevs[table->count++] = abbrev;
	}
}

struct abbrev_table *abbrev_table_read(const uint8_t *data, size_t size, uint64_t offset, uint8_t version,
				       uint8_t offset_size, uint8_t address_size)
{
	struct abbrev_table *table = xcalloc(1, sizeof(*table));
	struct builder builder = {
		.table = table,
		.version = version,
		.offset_size = offset_size,
		.address_size = address_size,
	};
	struct cursor cursor = bytes_cursor(data, size);

	table->offset = offset;
	cursor_skip(&cursor, offset);
	read_abbrevs(&builder, &cursor);

	array_fit(table->abbrevs, table->count, builder.abbrev_capacity);
	array_fit(table->attributes, builder.attribute_count, builder.attribute_capacity);

	/* the attributes have moved while they grew */
	size_t first = 0;

	for (size_t i = 0; i < table->count && table->attributes; i++) {
		table->abbrevs[i].attributes = table->attributes + first;
		first += table->abbrevs[i].attribute_count;
	}
	return table;
}

void abbrev_table_destroy(struct abbrev_table *table)
{
	if (!table)
		return;
	hash_map_release(&table->codes);
	free(table->abbrevs);
	free(table->attributes);
	free(table);
}
