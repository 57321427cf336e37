/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DIEs, read one after the other.
 *
 * die_read() takes one DIE at a cursor and leaves the cursor at the next in the section's order (its first
 * child, if it has children; a null entry ends a list of children). The values of the attributes that we know
 * are in their slots, undecoded but for their size; the accessors below resolve them. Whatever cannot be read
 * gives "not there", never an error: the debug information then says less.
 */
#ifndef DTPROF_DWARF_DWARF_DIE_H
#define DTPROF_DWARF_DWARF_DIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/dwarf_abbrev.h"
#include "dwarf/dwarf_unit.h"
#include "dwarf/leb128.h"

struct attribute {
	uint16_t form;
	uint64_t value;       /* constant, offset, index or, of a block, its length */
	const uint8_t *bytes; /* of a block or an inline string */
};

struct die {
	struct unit *unit;
	uint64_t offset; /* in the section */
	uint64_t next;   /* offset of the DIE after it: its first child, if it has children */
	uint16_t tag;    /* 0: null entry */
	bool has_children;
	uint64_t present; /* bit a slot */
	struct attribute slots[SLOT_COUNT];
};

/* A cursor over the unit's bytes: positions are section offsets. */
struct cursor unit_cursor(const struct unit *unit, uint64_t offset);

/* False at the end of the unit, or where it cannot be read. A null entry is tag 0. */
bool die_read(struct unit *unit, struct cursor *cursor, struct die *die);
/* Tag and structure only; attributes are passed over, except that *sibling is the section offset of the next
 * sibling or 0. */
const struct abbrev *die_skim(struct unit *unit, struct cursor *cursor, uint64_t *sibling);

/* The DIE of a reference. False: none. */
bool die_at(struct dwarf_files *files, uint64_t reference, struct die *die);

/* A cursor at the first child. */
static inline struct cursor die_children(const struct die *die)
{
	return unit_cursor(die->unit, die->next);
}

/* Move the cursor, which is right behind `die`, past all its children. */
void die_skip_children(const struct die *die, struct cursor *cursor);

/* What attributes the DIE at a section offset has, without reading them; NULL: it is none. */
const struct abbrev *die_abbrev(const struct unit *unit, uint64_t offset);
static inline bool abbrev_has(const struct abbrev *abbrev, enum attribute_slot slot)
{
	return abbrev->present >> slot & 1;
}

static inline bool die_has(const struct die *die, enum attribute_slot slot)
{
	return die->present >> slot & 1;
}

static inline uint64_t die_reference(const struct die *die)
{
	return unit_reference(die->unit, die->offset);
}

/* The section offset that a reference within the unit stands for, or 0. */
uint64_t attribute_local_target(const struct unit *unit, const struct attribute *attribute);

/* ---- dwarf_attribute.c ---- */

/* NULL: none. Strings live as long as the files. */
const char *die_string(const struct die *die, enum attribute_slot slot);
static inline const char *die_name(const struct die *die)
{
	return die_string(die, SLOT_NAME);
}

/* Constants. False: not there, or not a constant that fits. */
bool die_unsigned(const struct die *die, enum attribute_slot slot, uint64_t *value);
bool die_signed(const struct die *die, enum attribute_slot slot, int64_t *value);
bool die_flag(const struct die *die, enum attribute_slot slot);
bool die_address(const struct die *die, enum attribute_slot slot, uint64_t *address);
/* Block or expression. False: not there, or another class. */
bool die_block(const struct die *die, enum attribute_slot slot, const uint8_t **bytes, size_t *size);
/* Offset into another section (DW_FORM_sec_offset, data4 and data8 of old versions). */
bool die_section_offset(const struct die *die, enum attribute_slot slot, uint64_t *offset);
/* 0: not there, or not a reference that can be followed. */
uint64_t die_target(const struct die *die, enum attribute_slot slot);
/* What DW_AT_type refers to: 0 where the DIE has none (void), REFERENCE_BROKEN where it cannot be followed.
 */
#define REFERENCE_BROKEN UINT64_MAX
uint64_t die_type_target(const struct die *die);

/* The address of an index into .debug_addr (DW_FORM_addrx, DW_OP_addrx). */
bool unit_indexed_address(const struct unit *unit, uint64_t index, uint64_t *address);

/*
 * Follow DW_AT_abstract_origin and DW_AT_specification from `die` to the first of the chain that has `slot`:
 * `die` itself, or another, which is read into *other. NULL: nobody has.
 */
const struct die *die_integrate(struct dwarf_files *files, const struct die *die, enum attribute_slot slot,
				struct die *other);

#endif
