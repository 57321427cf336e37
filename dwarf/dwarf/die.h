/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DIEs and their attributes, as they are in the file.
 *
 * die_read() keeps where the values of the known attributes are, and moves the cursor to the next
 * DIE in the section: the first child, if there are children. A null entry ends a list of children.
 * The accessors decode a value when it is asked for. What cannot be read is treated as missing, not
 * as an error: the debug information then says less.
 */
#pragma once

#include "dwarf/dwarf/unit.h"
#include "base/cursor.h"

/* ---- forms ---- */

/* An unsigned LEB128 number and the first byte after it. If the number does not end before the
 * limit, `next` is the limit and the value is 0. */
struct uleb {
	uint64_t value;
	const uint8_t *next;
};

struct uleb uleb_read_long(const uint8_t *at, const uint8_t *end);

static inline struct uleb uleb_read(const uint8_t *at, const uint8_t *end)
{
	if (at < end && !(*at & 0x80)) /* nearly all have one byte */
		return (struct uleb){ *at, at + 1 };
	return uleb_read_long(at, end);
}

/*
 * ---- attributes ----
 *
 * Those that are read: the slot of each in struct die, and its DW_AT_*.
 */
/* clang-format off */
#define DIE_ATTRIBUTES(X)                                    \
	X(SLOT_SIBLING, DW_AT_sibling)                       \
	X(SLOT_NAME, DW_AT_name)                             \
	X(SLOT_LINKAGE_NAME, DW_AT_linkage_name)             \
	X(SLOT_TYPE, DW_AT_type)                             \
	X(SLOT_ORIGIN, DW_AT_abstract_origin)                \
	X(SLOT_SPECIFICATION, DW_AT_specification)           \
	X(SLOT_SIGNATURE, DW_AT_signature)                   \
	X(SLOT_IMPORT, DW_AT_import)                         \
	X(SLOT_LOW_PC, DW_AT_low_pc)                         \
	X(SLOT_HIGH_PC, DW_AT_high_pc)                       \
	X(SLOT_ENTRY_PC, DW_AT_entry_pc)                     \
	X(SLOT_RANGES, DW_AT_ranges)                         \
	X(SLOT_LOCATION, DW_AT_location)                     \
	X(SLOT_LOCATION_VIEWS, AT_LOCATION_VIEWS)            \
	X(SLOT_CONST_VALUE, DW_AT_const_value)               \
	X(SLOT_FRAME_BASE, DW_AT_frame_base)                 \
	X(SLOT_BYTE_SIZE, DW_AT_byte_size)                   \
	X(SLOT_ALIGNMENT, DW_AT_alignment)                   \
	X(SLOT_BIT_SIZE, DW_AT_bit_size)                     \
	X(SLOT_BIT_OFFSET, DW_AT_bit_offset)                 \
	X(SLOT_DATA_BIT_OFFSET, DW_AT_data_bit_offset)       \
	X(SLOT_MEMBER_LOCATION, DW_AT_data_member_location)  \
	X(SLOT_ENCODING, DW_AT_encoding)                     \
	X(SLOT_COUNT_ATTRIBUTE, DW_AT_count)                 \
	X(SLOT_UPPER_BOUND, DW_AT_upper_bound)               \
	X(SLOT_LOWER_BOUND, DW_AT_lower_bound)               \
	X(SLOT_BYTE_STRIDE, DW_AT_byte_stride)               \
	X(SLOT_BIT_STRIDE, DW_AT_bit_stride)                 \
	X(SLOT_DATA_LOCATION, DW_AT_data_location)           \
	X(SLOT_VECTOR, DW_AT_GNU_vector)                     \
	X(SLOT_EXTERNAL, DW_AT_external)                     \
	X(SLOT_DECLARATION, DW_AT_declaration)               \
	X(SLOT_ARTIFICIAL, DW_AT_artificial)                 \
	X(SLOT_INLINE, DW_AT_inline)                         \
	X(SLOT_NO_RETURN, DW_AT_noreturn)                    \
	X(SLOT_PROTOTYPED, DW_AT_prototyped)                 \
	X(SLOT_VARIABLE_PARAMETER, DW_AT_variable_parameter) \
	X(SLOT_CALL_RETURN_PC, DW_AT_call_return_pc)         \
	X(SLOT_CALL_ORIGIN, DW_AT_call_origin)               \
	X(SLOT_CALL_FILE, DW_AT_call_file)                   \
	X(SLOT_CALL_LINE, DW_AT_call_line)                   \
	X(SLOT_LANGUAGE, DW_AT_language)                     \
	X(SLOT_PRODUCER, DW_AT_producer)                     \
	X(SLOT_COMP_DIR, DW_AT_comp_dir)                     \
	X(SLOT_STATEMENT_LIST, DW_AT_stmt_list)              \
	X(SLOT_STR_OFFSETS_BASE, DW_AT_str_offsets_base)     \
	X(SLOT_ADDR_BASE, DW_AT_addr_base)                   \
	X(SLOT_RNGLISTS_BASE, DW_AT_rnglists_base)           \
	X(SLOT_LOCLISTS_BASE, DW_AT_loclists_base)           \
	X(SLOT_RANGES_BASE, DW_AT_GNU_ranges_base)           \
	X(SLOT_DWO_NAME, DW_AT_dwo_name)                     \
	X(SLOT_DECLARED_FILE, DW_AT_decl_file)               \
	X(SLOT_DECLARED_LINE, DW_AT_decl_line)               \
	X(SLOT_ENUM_CLASS, DW_AT_enum_class)                 \
	X(SLOT_DISCRIMINANT, DW_AT_discr_value)              \
	X(SLOT_TEMPLATE_NAME, DW_AT_GNU_template_name)       \
	X(SLOT_DEFAULTED, DW_AT_defaulted)                   \
	X(SLOT_CALLING_CONVENTION, DW_AT_calling_convention) \
	X(SLOT_VIRTUAL_SLOT, DW_AT_vtable_elem_location)     \
	X(SLOT_VIRTUALITY, DW_AT_virtuality)                 \
	X(SLOT_GO_ELEMENT, AT_GO_ELEMENT)                    \
	X(SLOT_GO_KEY, AT_GO_KEY)                            \
	X(SLOT_GO_WORD, AT_GO_WORD)
/* clang-format on */

#define ATTRIBUTE_SLOT(slot, name) slot,

enum attribute_slot {
	DIE_ATTRIBUTES(ATTRIBUTE_SLOT) SLOT_COUNT, /* also the slot of other attributes */
};

_Static_assert(SLOT_COUNT <= 64, "a bit for each slot");

/*
 * ---- abbreviations ----
 *
 * The layout of an abbreviation says where the attributes of its DIEs are. It is worked out when a
 * DIE first needs it, and is then the same for all units of the file that have the same
 * abbreviation (DWARF 5, section 7.5.3).
 */

/* One attribute. Values of fixed size that are not kept have no step of their own. */
struct layout_step {
	const uint8_t *constant; /* where the value is if it is not in the DIE */
	uint16_t form;
	uint16_t skip; /* bytes after it of values that are not kept */
	uint16_t at;   /* bytes before it, if the layout has a size */
	int8_t size;   /* of the value; -1: it varies */
	uint8_t slot;  /* SLOT_COUNT: not kept */
};

/* A number that all DIEs of a layout have at the same place: the bits of `mask` in the eight bytes
 * at `at`, plus `constant`. If the attribute is missing, these are 0. */
struct layout_number {
	uint64_t mask, constant;
	uint16_t at;
};

/* The attributes that are enough to decide whether two DIEs look the same. */
struct layout_look {
	struct layout_number name; /* its offset in .debug_str */
	struct layout_number size; /* DW_AT_byte_size */
	struct layout_number line; /* DW_AT_decl_line */
};

struct die_layout {
	const uint8_t *abbreviation; /* its tag */
	uint64_t present;            /* a bit for each slot */
	uint32_t abbreviation_size;
	uint16_t tag;
	int16_t size;  /* of all attributes; -1: it varies */
	uint16_t skip; /* bytes before the first step */
	uint16_t count;
	uint8_t version, offset_size, address_size; /* of its units */
	bool has_children;
	bool has_look; /* the layout has a size, and `look` is known */
	/* Layouts without a size mostly have one expression or string among values of fixed size.
	 * Its form; 0: they have none or several. */
	uint16_t varying_form;
	uint16_t before, after;   /* bytes before and after that value */
	int16_t sibling_from_end; /* of a DW_AT_sibling of four bytes after that value; else 0 */
	struct layout_look look;
	uint8_t step_of[SLOT_COUNT + 1]; /* index in `steps`, if the slot is present */
	struct layout_step steps[];
};

/* Returns the layout of DIEs with this code, or NULL if there is none. Thread-safe. */
const struct die_layout *unit_layout(struct unit *unit, uint64_t code);
/* Returns how many abbreviations the unit has if their codes are 1, 2, 3 ..., else 0. */
size_t unit_abbreviations_in_order(struct unit *unit);

static inline bool layout_has(const struct die_layout *layout, enum attribute_slot slot)
{
	return layout->present >> slot & 1;
}

static inline unsigned int layout_form(const struct die_layout *layout, enum attribute_slot slot)
{
	return layout->steps[layout->step_of[slot]].form;
}

/* Returns this number of the DIE with these attributes; all of its eight bytes are readable. */
static inline uint64_t layout_number_read(const struct layout_number *number,
					  const uint8_t *attributes)
{
	uint64_t bytes;

	__builtin_memcpy(&bytes, attributes + number->at, sizeof(bytes));
	return (bytes & number->mask) + number->constant;
}

/* ---- DIEs ---- */

struct attribute {
	const uint8_t
		*bytes; /* the value, in the DIE or (DW_FORM_implicit_const) in its abbreviation */
	uint16_t form;
};

struct die {
	struct unit *unit;
	uint64_t offset; /* in the section */
	uint64_t next;   /* offset of the next DIE: the first child, if it has children */
	uint16_t tag;    /* 0: null entry */
	bool has_children;
	uint64_t present; /* a bit for each slot */
	struct attribute
		slots[SLOT_COUNT + 1]; /* the last one is for attributes that are not kept */
};

/* Charges the file with the abbreviations that libdw reads to find the one of the unit's root DIE.
 * False: they are too many. libdw keeps a copy of them for each unit, at some 66 bytes each: 8,000
 * units that share a table of 20,000, in a file of 228 KB, took 10 GB. */
bool unit_root_is_near(const struct unit *unit);

/* Frees what is kept of the unit's abbreviations. */
void unit_abbreviations_destroy(struct unit *unit);

/* Returns a cursor over the unit's bytes. Its positions are section offsets. */
struct cursor unit_cursor(const struct unit *unit, uint64_t offset);

/* Reads the DIE at the cursor and moves the cursor to the next one. False: the unit ends, or the
 * DIE cannot be read. A null entry has tag 0. */
bool die_read(struct unit *unit, struct cursor *cursor, struct die *die);
/* The same for these slots (DIE_SLOT() bits): the DIE may seem to have no others. */
bool die_read_some(struct unit *unit, struct cursor *cursor, uint64_t slots, struct die *die);
#define DIE_SLOT(slot) (UINT64_C(1) << (slot))
/* The same as die_read() for the DIE at `offset` with this layout and `attributes`. Returns its
 * end, or NULL. */
const uint8_t *die_read_layout(struct unit *unit, uint64_t offset, const struct die_layout *layout,
			       const uint8_t *attributes, struct die *die);

/* Returns the end of a DIE whose layout has a `varying_form`, or NULL if it cannot be read. */
const uint8_t *layout_end(const struct die_layout *layout, const uint8_t *attributes,
			  const uint8_t *end);

/* Reads the unit's first DIE, which has all others. False: it cannot be read. */
bool die_root(struct unit *unit, struct die *root);
/* Reads the DIE of a reference. False: there is none. */
bool die_at(struct dwarf_files *files, uint64_t reference, struct die *die);
static inline struct cursor die_children(const struct die *die)
{
	return unit_cursor(die->unit, die->next);
}

/* Reads the next child of `parent` and moves the cursor, which begins at die_children(), past the
 * child's own children. False: there are no more. */
bool die_next_child(const struct die *parent, struct cursor *cursor, struct die *child);

/* Walks over the children of a DIE: children_each (child, &die) ... `child` is a struct die. */
#define children_each(child, parent)                                                               \
	for (struct cursor child##_cursor_ = die_children(parent),                                 \
			   *child##_once_ = &child##_cursor_;                                      \
	     child##_once_; child##_once_ = NULL)                                                  \
		for (struct die child; die_next_child((parent), &child##_cursor_, &child);)

/* Moves the cursor, which is at the end of `die`, past all its children. */
void die_skip_children(const struct die *die, struct cursor *cursor);
/* The same by DW_AT_sibling. False: there is none, and the cursor was not moved. */
bool die_follow_sibling(const struct die *die, struct cursor *cursor);

static inline bool die_has(const struct die *die, enum attribute_slot slot)
{
	return die->present >> slot & 1;
}

static inline uint64_t die_reference(const struct die *die)
{
	return unit_reference(die->unit, die->offset);
}

/* Returns a string that lives as long as the files, or NULL. */
const char *die_string(const struct die *die, enum attribute_slot slot);
static inline const char *die_name(const struct die *die)
{
	return die_string(die, SLOT_NAME);
}

/* Fetches the beginning of the name of a DIE that is read later: names are far from DIEs and from
 * each other, so that waiting for one takes longer than reading a DIE. */
void die_name_ahead(const struct die *die);

/* Read a constant. False: the DIE does not have it, or the value does not fit. */
bool die_unsigned(const struct die *die, enum attribute_slot slot, uint64_t *value);
bool die_signed(const struct die *die, enum attribute_slot slot, int64_t *value);
/* The same for a value whose form says whether it is signed. DW_FORM_data1 to data8 are not: gcc
 * writes 128 in one byte, and what is below 0 as DW_FORM_sdata (gen_enumeration_type_die() in
 * gcc/dwarf2out.cc); LLVM writes sdata and udata. */
bool die_value(const struct die *die, enum attribute_slot slot, int64_t *value);
bool die_flag(const struct die *die, enum attribute_slot slot);
/* True if a function, or a type of functions, is not called as the psABI says: it has another
 * calling convention (preserve_none), or none, as what is passed was changed (DW_CC_nocall). */
bool die_has_own_convention(const struct die *die);
bool die_address(const struct die *die, enum attribute_slot slot, uint64_t *address);
/* Finds a block or expression. False: the DIE has none, or the attribute is of another class. */
bool die_block(const struct die *die, enum attribute_slot slot, const uint8_t **bytes,
	       size_t *size);
/* Reads an offset into another section (DW_FORM_sec_offset; before version 4 data4 and data8). */
bool die_section_offset(const struct die *die, enum attribute_slot slot, uint64_t *offset);
/* Reads the index of a list (DW_FORM_loclistx, DW_FORM_rnglistx). False: another form. */
bool die_list_index(const struct die *die, enum attribute_slot slot, uint64_t *index);
/* Returns the number that an attribute has, whatever its form means. */
uint64_t die_number(const struct die *die, enum attribute_slot slot);
/* Returns the section offset of a reference within the unit, or 0. */
uint64_t die_local_target(const struct die *die, enum attribute_slot slot);
/* Returns the reference of the DIE that an attribute refers to, or 0. */
uint64_t die_target(const struct die *die, enum attribute_slot slot);
/* Returns what DW_AT_type refers to; 0: none (void), REFERENCE_BROKEN: it cannot be followed. */
#define REFERENCE_BROKEN UINT64_MAX
uint64_t die_type_target(const struct die *die);

/* Finds the address of an index into .debug_addr (DW_FORM_addrx, DW_OP_addrx). */
bool unit_indexed_address(const struct unit *unit, uint64_t index, uint64_t *address);

/* Follows DW_AT_abstract_origin and DW_AT_specification from `die` to the first DIE that has
 * `slot`. Returns `die` itself, another DIE that is read into *other, or NULL if none has it. */
const struct die *die_integrate(struct dwarf_files *files, const struct die *die,
				enum attribute_slot slot, struct die *other);
