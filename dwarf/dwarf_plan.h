/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Abbreviations for a quick pass over many DIEs: where the few attributes lie that it looks at, so that most
 * DIEs are passed by adding a number.
 *
 * This is the one reader of DIEs besides libdw (dwarf_die.h). It exists for the passes over all units of a
 * file (names, static variables, functions at file level), which libdw makes 2.2 times slower.
 */
#ifndef DTPROF_DWARF_DWARF_PLAN_H
#define DTPROF_DWARF_DWARF_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/dwarf_form.h"
#include "dwarf/dwarf_unit.h"

enum plan_field {
	/* all DIEs of a plan may have the same */
	FIELD_BYTE_SIZE,
	FIELD_LINE,
	FIELD_EXTERNAL,
	FIELD_DECLARATION,
	FIELDS_CONSTANT,
	FIELD_SIBLING = FIELDS_CONSTANT,
	FIELD_NAME,
	FIELD_LINKAGE_NAME,
	FIELD_SPECIFICATION,
	FIELD_TYPE,
	FIELDS_PLACED, /* the others are found by plan_walk() alone */
	FIELD_LOCATION = FIELDS_PLACED,
	FIELD_CODE, /* DW_AT_low_pc or DW_AT_ranges: whether there is one */
	/* of a root */
	FIELD_LANGUAGE,
	FIELD_STR_OFFSETS_BASE,
	FIELD_ADDR_BASE,
	FIELD_DWO_NAME,
	FIELD_COUNT,
	FIELD_NONE = 0xff,
};

/* Consecutive attributes of fixed size that are no fields are merged into one. */
struct plan_attribute {
	uint16_t form;
	uint8_t field;     /* enum plan_field */
	int32_t size;      /* bytes of the value; -1: it tells itself */
	uint32_t constant; /* the value where all DIEs have the same: DW_FORM_implicit_const, a flag's 1 */
};

struct plan {
	uint16_t tag;
	uint16_t fields; /* bit a plan_field */
	int16_t size;    /* of all attributes; -1: not the same in all DIEs */
	uint8_t count;   /* of attributes */
	uint8_t kind;    /* for who passes over the DIEs, as the next */
	bool plain;
	uint32_t first;              /* in the table's attributes */
	uint8_t number[FIELD_COUNT]; /* index from `first` */
	/* of fields: the place behind the code, if size is not -1, and the bytes there. What the plan does
	 * not have takes none, and is 0; what is wider than 8 bytes counts as 8. */
	uint16_t at[FIELDS_PLACED];
	uint8_t width[FIELDS_PLACED];
	uint32_t constant[FIELDS_CONSTANT];
};

_Static_assert(FIELD_COUNT <= 16, "a bit for each field");

/* How to get from a DIE to the next. Apart from the plan, because nothing else is read for most DIEs. */
struct plan_step {
	int16_t size;    /* as in the plan */
	int16_t sibling; /* the place of DW_AT_sibling, if it has four bytes; else -1 */
	bool has_children;
	bool simple; /* size and, if it has children that are not looked into, sibling are known */
	/* for who passes over the DIEs */
	bool wanted; /* to be looked at */
	bool within; /* and so are its children */
};

#define PLAN_FORMS 64

struct plan_table {
	struct plan *plans;      /* of code - 1 */
	struct plan_step *steps; /* the same */
	size_t count;
	size_t capacity; /* of both */
	struct plan_attribute *attributes;
	size_t attribute_count;
	size_t attribute_capacity;
	/* sizes of forms, as units of these sizes and version have them */
	int8_t form_size[PLAN_FORMS];
	uint8_t version, offset_size, address_size;
};

/* The values of a DIE's fields; 0 for those that it does not have. */
struct plan_values {
	uint64_t value[FIELD_COUNT];       /* of a block its length */
	const uint8_t *bytes[FIELD_COUNT]; /* of a block or an inline string */
};

static inline bool plan_has(const struct plan *plan, enum plan_field field)
{
	return plan->fields >> field & 1;
}

/* Reads the unit's abbreviations into *table, whose memory is used again. False: they are not numbered from 1
 * on, or cannot be read. */
bool plan_table_read(struct plan_table *table, const struct unit *unit);
void plan_table_deinit(struct plan_table *table);

/* The end of the DIE whose attributes are at `at`; NULL: it cannot be read. *values if not NULL. */
const uint8_t *plan_walk(const struct plan_table *table, const struct plan *plan, const uint8_t *at,
			 const uint8_t *end, struct plan_values *values);

static inline const struct plan_attribute *plan_attribute(const struct plan_table *table,
							  const struct plan *plan, enum plan_field field)
{
	return &table->attributes[plan->first + plan->number[field]];
}

/* Bytes behind those of a plan's fields that plan_value() may load. */
#define PLAN_MARGIN 8

/* The value of a field with a place, where the plan's size is fixed. `at`: the DIE's attributes, all of them
 * and PLAN_MARGIN bytes more readable. */
static inline uint64_t plan_value(const struct plan *plan, enum plan_field field, const uint8_t *at)
{
	static const uint64_t masks[] = { 0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0, 0, 0, UINT64_MAX };
	uint64_t word;

	__builtin_memcpy(&word, at + plan->at[field], sizeof(word));
	word &= masks[plan->width[field]];
	return field < FIELDS_CONSTANT ? word | plan->constant[field] : word;
}

#endif
