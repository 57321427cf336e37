/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_die.h"

#include <dwarf.h>
#include <string.h>

#include "dwarf/dwarf_alt.h"
#include "dwarf/dwarf_form.h"
#include "dwarf/dwarf_handle.h"

/* Children that are nested deeper are not passed over, so that doing so for each level stays linear. */
#define MAXIMUM_NESTING 256
/* The longest chain of abstract origins and specifications that compilers write is three. */
#define MAXIMUM_CHAIN 8

/* ---- reading ---- */

#define STANDARD_NAMES 256

/* enum attribute_slot + 1 by DW_AT_*; 0: none */
static const uint8_t slots_by_name[STANDARD_NAMES] = {
	[DW_AT_sibling] = SLOT_SIBLING + 1,
	[DW_AT_name] = SLOT_NAME + 1,
	[DW_AT_linkage_name] = SLOT_LINKAGE_NAME + 1,
	[DW_AT_type] = SLOT_TYPE + 1,
	[DW_AT_abstract_origin] = SLOT_ORIGIN + 1,
	[DW_AT_specification] = SLOT_SPECIFICATION + 1,
	[DW_AT_signature] = SLOT_SIGNATURE + 1,
	[DW_AT_import] = SLOT_IMPORT + 1,
	[DW_AT_low_pc] = SLOT_LOW_PC + 1,
	[DW_AT_high_pc] = SLOT_HIGH_PC + 1,
	[DW_AT_entry_pc] = SLOT_ENTRY_PC + 1,
	[DW_AT_ranges] = SLOT_RANGES + 1,
	[DW_AT_location] = SLOT_LOCATION + 1,
	[DW_AT_const_value] = SLOT_CONST_VALUE + 1,
	[DW_AT_frame_base] = SLOT_FRAME_BASE + 1,
	[DW_AT_byte_size] = SLOT_BYTE_SIZE + 1,
	[DW_AT_bit_size] = SLOT_BIT_SIZE + 1,
	[DW_AT_bit_offset] = SLOT_BIT_OFFSET + 1,
	[DW_AT_data_bit_offset] = SLOT_DATA_BIT_OFFSET + 1,
	[DW_AT_data_member_location] = SLOT_MEMBER_LOCATION + 1,
	[DW_AT_encoding] = SLOT_ENCODING + 1,
	[DW_AT_count] = SLOT_COUNT_ATTRIBUTE + 1,
	[DW_AT_upper_bound] = SLOT_UPPER_BOUND + 1,
	[DW_AT_lower_bound] = SLOT_LOWER_BOUND + 1,
	[DW_AT_byte_stride] = SLOT_BYTE_STRIDE + 1,
	[DW_AT_external] = SLOT_EXTERNAL + 1,
	[DW_AT_declaration] = SLOT_DECLARATION + 1,
	[DW_AT_artificial] = SLOT_ARTIFICIAL + 1,
	[DW_AT_inline] = SLOT_INLINE + 1,
	[DW_AT_noreturn] = SLOT_NO_RETURN + 1,
	[DW_AT_prototyped] = SLOT_PROTOTYPED + 1,
	[DW_AT_call_return_pc] = SLOT_CALL_RETURN_PC + 1,
	[DW_AT_call_origin] = SLOT_CALL_ORIGIN + 1,
	[DW_AT_call_tail_call] = SLOT_CALL_TAIL + 1,
	[DW_AT_call_file] = SLOT_CALL_FILE + 1,
	[DW_AT_call_line] = SLOT_CALL_LINE + 1,
	[DW_AT_language] = SLOT_LANGUAGE + 1,
	[DW_AT_comp_dir] = SLOT_COMP_DIR + 1,
	[DW_AT_stmt_list] = SLOT_STATEMENT_LIST + 1,
	[DW_AT_str_offsets_base] = SLOT_STR_OFFSETS_BASE + 1,
	[DW_AT_addr_base] = SLOT_ADDR_BASE + 1,
	[DW_AT_rnglists_base] = SLOT_RNGLISTS_BASE + 1,
	[DW_AT_loclists_base] = SLOT_LOCLISTS_BASE + 1,
	[DW_AT_dwo_name] = SLOT_DWO_NAME + 1,
	[DW_AT_decl_line] = SLOT_DECLARED_LINE + 1,
	[DW_AT_enum_class] = SLOT_ENUM_CLASS + 1,
};

static inline uint8_t slot_of(unsigned int name)
{
	if (name < STANDARD_NAMES)
		return (uint8_t)(slots_by_name[name] - 1);
	switch (name) {
	case DW_AT_MIPS_linkage_name: return SLOT_LINKAGE_NAME;
	case DW_AT_GNU_vector: return SLOT_VECTOR;
	case DW_AT_GNU_tail_call: return SLOT_CALL_TAIL;
	case DW_AT_GNU_addr_base: return SLOT_ADDR_BASE;
	case DW_AT_GNU_ranges_base: return SLOT_RANGES_BASE;
	case DW_AT_GNU_dwo_name: return SLOT_DWO_NAME;
	case DW_AT_GNU_dwo_id: return SLOT_DWO_ID;
	case DW_AT_GNU_template_name: return SLOT_TEMPLATE_NAME;
	}
	return SLOT_NONE;
}

struct cursor unit_cursor(const struct unit *unit, uint64_t offset)
{
	struct cursor cursor = bytes_cursor(unit_section(unit)->data, unit->end);

	if (offset > unit->end || offset < unit->first_die)
		cursor.failed = true;
	else
		cursor.position = offset;
	return cursor;
}

struct reading {
	struct die *die;
	/* the last value that is in the DIE itself */
	const uint8_t *last;
	unsigned int last_form;
};

static int take_attribute(Dwarf_Attribute *attribute, void *data)
{
	struct reading *reading = data;
	uint8_t slot = slot_of(attribute->code);

	if (attribute->form != DW_FORM_implicit_const) {
		reading->last = attribute->valp;
		reading->last_form = attribute->form;
	}
	if (slot != SLOT_NONE) {
		reading->die->present |= UINT64_C(1) << slot;
		reading->die->slots[slot] = (struct attribute){ attribute->valp, (uint16_t)attribute->form };
	}
	return DWARF_CB_OK;
}

/* Where the last value ends; NULL: that cannot be told. */
static const uint8_t *end_of_values(const struct reading *reading, const struct unit *unit,
				    const uint8_t *end)
{
	int size = form_fixed_size(reading->last_form, unit->version, unit->offset_size, unit->address_size);
	struct form_extent extent = { (uint64_t)size, reading->last };

	if (size < 0)
		extent = form_extent(reading->last_form, reading->last, end);
	return extent.at && extent.length <= (uint64_t)(end - extent.at) ? extent.at + extent.length : NULL;
}

/* The DIE at an offset, as libdw has it; false: libdw cannot read the unit. */
static inline bool locate(const struct unit *unit, uint64_t offset, Dwarf_Die *die)
{
	const Dwarf_Die *root = dwarf_unit_root(unit);

	if (!root)
		return false;
	*die = (Dwarf_Die){ .addr = (char *)root->addr + (offset - unit->first_die), .cu = root->cu };
	return true;
}

bool die_read(struct unit *unit, struct cursor *cursor, struct die *die)
{
	struct reading reading = { .die = die };
	Dwarf_Die located;

	if (!cursor_left(cursor))
		return false;
	die->unit = unit;
	die->offset = cursor->position;
	die->present = 0;

	uint64_t code = cursor_uleb(cursor);

	if (!code) {
		die->tag = 0;
		die->has_children = false;
		die->next = cursor->position;
		return !cursor->failed;
	}
	cursor->failed |= !locate(unit, die->offset, &located) ||
			  dwarf_getattrs(&located, take_attribute, &reading, 0) != 1;
	if (cursor->failed)
		return false;

	const uint8_t *next = reading.last ? end_of_values(&reading, unit, cursor->data + unit->end)
					   : cursor->data + cursor->position;

	cursor->failed = !next;
	if (!next)
		return false;
	die->tag = (uint16_t)dwarf_tag(&located);
	die->has_children = dwarf_haschildren(&located) > 0;
	die->cu = located.cu;
	die->next = cursor->position = (size_t)(next - cursor->data);
	return true;
}

bool die_at(struct dwarf_files *files, uint64_t reference, struct die *die)
{
	struct unit *unit = dwarf_files_unit(files, reference);

	if (!unit)
		return false;

	struct cursor cursor = unit_cursor(unit, reference & REFERENCE_OFFSET_MASK);

	return die_read(unit, &cursor, die) && die->tag;
}

bool die_at_has(struct dwarf_files *files, uint64_t reference, unsigned int attribute)
{
	const struct unit *unit = dwarf_files_unit(files, reference);
	Dwarf_Die located;

	return unit && locate(unit, reference & REFERENCE_OFFSET_MASK, &located) &&
	       dwarf_hasattr(&located, attribute);
}

static uint64_t local_target(const struct die *die, enum attribute_slot slot);

bool die_follow_sibling(const struct die *die, struct cursor *cursor)
{
	uint64_t sibling = die_has(die, SLOT_SIBLING) ? local_target(die, SLOT_SIBLING) : 0;

	if (sibling <= cursor->position)
		return false;
	cursor->position = sibling;
	return true;
}

void die_skip_children(const struct die *die, struct cursor *cursor)
{
	struct die child;

	if (!die->has_children || die_follow_sibling(die, cursor))
		return;
	for (size_t depth = 1; depth;) {
		if (!die_read(die->unit, cursor, &child) || depth > MAXIMUM_NESTING) {
			cursor->failed = true;
			return;
		}
		if (!child.tag)
			depth--;
		else if (child.has_children && !die_follow_sibling(&child, cursor))
			depth++;
	}
}

/* ---- values ---- */

/* An attribute for libdw. Its name is left out: to libdw that is one whose constants are just that, and no
 * offsets into a section, in any version. */
static inline Dwarf_Attribute attribute_of(const struct die *die, enum attribute_slot slot)
{
	return (Dwarf_Attribute){
		.form = die->slots[slot].form,
		.valp = (unsigned char *)die->slots[slot].bytes,
		.cu = die->cu,
	};
}

/* A number of a fixed size or LEB128 that is no constant to libdw: an index or an offset. */
static uint64_t read_number(const struct die *die, enum attribute_slot slot)
{
	const struct attribute *attribute = &die->slots[slot];
	const struct unit *unit = die->unit;
	int size = form_fixed_size(attribute->form, unit->version, unit->offset_size, unit->address_size);
	const uint8_t *end = unit_section(unit)->data + unit->end;
	uint64_t value = 0;

	/* that all its bytes are there was seen when the DIE was read */
	if (size < 0)
		return uleb_read(attribute->bytes, end).value;
	memcpy(&value, attribute->bytes, size < 8 ? (size_t)size : 8);
	return value;
}

/* libdw does not look whether a string ends before its section. */
static const char *checked_string(const struct dwarf_file *file, enum dwarf_section number,
				  const char *string)
{
	const struct dwarf_section_data *section = &file->sections.section[number];
	size_t offset = (size_t)((const uint8_t *)string - section->data);

	if (!string || offset >= section->size)
		return NULL;
	/* a section that ends in NUL ends all its strings */
	if (section->data[section->size - 1] && !memchr(string, 0, section->size - offset))
		return NULL;
	return string;
}

/* Not by libdw: to 0.188 all units of a .dwp file have the first one's share of .debug_str_offsets. */
static const char *indexed_string(const struct unit *unit, uint64_t index)
{
	const struct dwarf_section_data *offsets = &unit->file->sections.section[SECTION_STR_OFFSETS];
	const struct dwarf_section_data *strings = &unit->file->sections.section[SECTION_STR];
	struct cursor cursor = bytes_cursor(offsets->data, offsets->size);

	if (index > offsets->size)
		return NULL;
	cursor_skip(&cursor, unit->str_offsets_base);
	cursor_skip(&cursor, index * unit->offset_size);

	uint64_t offset = cursor_word(&cursor, unit->offset_size);

	if (cursor.failed || offset >= strings->size)
		return NULL;
	return checked_string(unit->file, SECTION_STR, (const char *)strings->data + offset);
}

const char *die_string(const struct die *die, enum attribute_slot slot)
{
	if (!die_has(die, slot))
		return NULL;

	Dwarf_Attribute attribute = attribute_of(die, slot);
	const struct dwarf_file *file = die->unit->file;

	switch (attribute.form) {
	case DW_FORM_string: return dwarf_formstring(&attribute);
	case DW_FORM_strp: return checked_string(file, SECTION_STR, dwarf_formstring(&attribute));
	case DW_FORM_line_strp: return checked_string(file, SECTION_LINE_STR, dwarf_formstring(&attribute));
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index: return indexed_string(die->unit, read_number(die, slot));
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		/* without a file of ours libdw would look for one itself */
		if (!file->alt)
			break;
		return checked_string(file->alt, SECTION_STR, dwarf_formstring(&attribute));
	}
	return NULL;
}

static bool is_constant(unsigned int form)
{
	switch (form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_implicit_const: return true;
	}
	return false;
}

bool die_unsigned(const struct die *die, enum attribute_slot slot, uint64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Word word;

	if (!die_has(die, slot) || !is_constant(die->slots[slot].form))
		return false;
	attribute = attribute_of(die, slot);
	if (dwarf_formudata(&attribute, &word))
		return false;
	*value = word;
	return true;
}

bool die_signed(const struct die *die, enum attribute_slot slot, int64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword word;

	if (!die_has(die, slot) || !is_constant(die->slots[slot].form))
		return false;
	attribute = attribute_of(die, slot);
	if (dwarf_formsdata(&attribute, &word))
		return false;
	*value = word;
	return true;
}

bool die_flag(const struct die *die, enum attribute_slot slot)
{
	Dwarf_Attribute attribute;
	uint64_t number;
	bool flag;

	if (!die_has(die, slot))
		return false;
	attribute = attribute_of(die, slot);
	if (!dwarf_formflag(&attribute, &flag))
		return flag;
	/* some compilers write a constant */
	return die_unsigned(die, slot, &number) && number;
}

bool unit_indexed_address(const struct unit *unit, uint64_t index, uint64_t *address)
{
	const struct dwarf_sections *sections =
		unit->addr_sections ? unit->addr_sections : &unit->file->sections;
	const struct dwarf_section_data *addresses = &sections->section[SECTION_ADDR];
	struct cursor cursor = bytes_cursor(addresses->data, addresses->size);

	if (index > addresses->size)
		return false;
	cursor_skip(&cursor, unit->addr_base);
	cursor_skip(&cursor, index * unit->address_size);

	uint64_t found = cursor_word(&cursor, unit->address_size);

	if (cursor.failed)
		return false;
	*address = found;
	return true;
}

bool die_address(const struct die *die, enum attribute_slot slot, uint64_t *address)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr found;

	if (!die_has(die, slot))
		return false;
	switch (die->slots[slot].form) {
	case DW_FORM_addr:
		attribute = attribute_of(die, slot);
		if (dwarf_formaddr(&attribute, &found))
			return false;
		*address = found;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		/* those of a split unit are in the skeleton's file, which libdw is not told of */
		return unit_indexed_address(die->unit, read_number(die, slot), address);
	}
	return false;
}

bool die_block(const struct die *die, enum attribute_slot slot, const uint8_t **bytes, size_t *size)
{
	Dwarf_Attribute attribute;
	Dwarf_Block block;

	if (!die_has(die, slot))
		return false;
	attribute = attribute_of(die, slot);
	if (dwarf_formblock(&attribute, &block))
		return false;
	*bytes = block.data;
	*size = block.length;
	return true;
}

bool die_section_offset(const struct die *die, enum attribute_slot slot, uint64_t *offset)
{
	if (!die_has(die, slot))
		return false;
	switch (die->slots[slot].form) {
	case DW_FORM_data4: /* before DWARF 4 there was no form of its own */
	case DW_FORM_data8:
		if (die->unit->version >= 4)
			return false;
		/* fall through */
	case DW_FORM_sec_offset: *offset = read_number(die, slot); return true;
	}
	return false;
}

bool die_list_index(const struct die *die, enum attribute_slot slot, uint64_t *index)
{
	if (!die_has(die, slot) ||
	    (die->slots[slot].form != DW_FORM_loclistx && die->slots[slot].form != DW_FORM_rnglistx))
		return false;
	*index = read_number(die, slot);
	return true;
}

/* The section offset of a reference within the unit, or 0. */
static uint64_t local_target(const struct die *die, enum attribute_slot slot)
{
	Dwarf_Attribute attribute = attribute_of(die, slot);
	const struct unit *unit = die->unit;
	uint64_t offset;
	Dwarf_Die found;

	if (!dwarf_formref_die(&attribute, &found))
		return 0;
	offset = (uint64_t)((const uint8_t *)found.addr - unit_section(unit)->data);
	return offset >= unit->first_die && offset < unit->end ? offset : 0;
}

/* A DIE in .debug_info of `file` (NULL: there is none) by its offset in that section, or 0. libdw 0.188 takes
 * DW_FORM_ref_sup4 and ref_sup8 for references into the same file. */
static uint64_t distant_target(const struct die *die, enum attribute_slot slot, const struct dwarf_file *file)
{
	uint64_t offset = read_number(die, slot);

	return file && offset && offset <= REFERENCE_OFFSET_MASK
		       ? (uint64_t)file->index << REFERENCE_FILE_SHIFT | offset
		       : 0;
}

uint64_t die_target(const struct die *die, enum attribute_slot slot)
{
	if (!die_has(die, slot))
		return 0;

	struct unit *unit = die->unit;
	uint64_t offset;

	switch (die->slots[slot].form) {
	case DW_FORM_ref_addr: return distant_target(die, slot, unit->file);
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt: return distant_target(die, slot, unit->file->alt);
	case DW_FORM_ref_sig8: {
		/* a type that a split file lacks may be in the main one, which libdw does not know of */
		struct unit *type_unit =
			dwarf_files_type_unit(unit->file->files, unit->file, read_number(die, slot));

		return type_unit ? unit_reference(type_unit, type_unit->type_die) : 0;
	}
	}
	offset = local_target(die, slot);
	return offset ? unit_reference(unit, offset) : 0;
}

uint64_t die_type_target(const struct die *die)
{
	uint64_t target = die_target(die, SLOT_TYPE);

	return !target && die_has(die, SLOT_TYPE) ? REFERENCE_BROKEN : target;
}

const struct die *die_integrate(struct dwarf_files *files, const struct die *die, enum attribute_slot slot,
				struct die *other)
{
	for (int i = 0; i < MAXIMUM_CHAIN; i++) {
		if (die_has(die, slot))
			return die;

		uint64_t next = die_target(die, SLOT_ORIGIN);

		if (!next)
			next = die_target(die, SLOT_SPECIFICATION);
		if (!next || !die_at(files, next, other))
			return NULL;
		die = other;
	}
	return NULL;
}
