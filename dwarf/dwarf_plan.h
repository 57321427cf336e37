/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Abbreviations as a quick pass over many DIEs wants them: where in a DIE the few attributes lie that it
 * looks at, so that most DIEs are passed by adding a number. For all else there are abbreviation tables
 * (dwarf_abbrev.h).
 */
#ifndef DTPROF_DWARF_DWARF_PLAN_H
#define DTPROF_DWARF_DWARF_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/dwarf_unit.h"

enum plan_field {
	FIELD_SIBLING,
	FIELD_NAME,
	FIELD_LINKAGE_NAME,
	FIELD_BYTE_SIZE,
	FIELD_LINE,
	FIELD_SPECIFICATION,
	FIELD_EXTERNAL,
	FIELD_DECLARATION,
	FIELD_LOCATION,
	/* of a root */
	FIELD_LANGUAGE,
	FIELD_STR_OFFSETS_BASE,
	FIELD_ADDR_BASE,
	FIELD_DWO_NAME,
	FIELD_COUNT,
	FIELD_NONE = 0xff,
};

struct plan_attribute {
	uint16_t form;
	uint8_t field;     /* enum plan_field */
	int8_t size;       /* bytes of the value; -1: it tells itself */
	uint32_t constant; /* the value where all DIEs have the same: DW_FORM_implicit_const, a flag's 1 */
};

struct plan {
	uint16_t tag;
	uint16_t fields; /* bit a plan_field */
	bool has_children;
	uint8_t action; /* for who passes over the DIEs */
	uint8_t kind;   /* the same */
	int32_t size;   /* of all attributes; -1: not the same in all DIEs */
	uint32_t first; /* in the table's attributes */
	uint32_t count;
	uint16_t at[FIELD_COUNT];    /* offset behind the code, if size is not -1 */
	uint8_t number[FIELD_COUNT]; /* index from `first` */
	int8_t width[FIELD_COUNT];   /* the attribute's size */
};

#define PLAN_FORMS 64

struct plan_table {
	struct plan *plans; /* of code - 1 */
	size_t count;
	size_t capacity;
	struct plan_attribute *attributes;
	size_t attribute_count;
	size_t attribute_capacity;
	/* sizes of forms, as units of these sizes and version have them */
	int8_t form_size[PLAN_FORMS];
	uint8_t version, offset_size, address_size;
};

/* What a DIE has. Fields that it does not have are 0. */
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
void plan_table_release(struct plan_table *table);

/* A number at *at, which is moved behind it; 0, and *at is `end`: it goes past that. */
static inline uint64_t plan_uleb(const uint8_t **at, const uint8_t *end)
{
	uint64_t value = 0;

	if (*at < end && !(**at & 0x80))
		return *(*at)++;
	for (unsigned int shift = 0; *at < end;) {
		uint8_t byte = *(*at)++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
		if (!(byte & 0x80))
			return value;
	}
	return 0;
}

/*
 * The plan of the DIE at *at, which is moved behind its code; NULL: a null entry (*at moved), or it cannot be
 * read (*at is `end`).
 */
static inline const struct plan *plan_find(const struct plan_table *table, const uint8_t **at,
					   const uint8_t *end)
{
	uint64_t code = plan_uleb(at, end);

	if (code && code - 1 < table->count)
		return &table->plans[code - 1];
	if (code)
		*at = end;
	return NULL;
}

/* The end of the DIE whose attributes are at `at`; NULL: it cannot be read. *values if not NULL. */
const uint8_t *plan_step(const struct plan_table *table, const struct plan *plan, const uint8_t *at,
			 const uint8_t *end, struct plan_values *values);

static inline const struct plan_attribute *plan_attribute(const struct plan_table *table,
							  const struct plan *plan, enum plan_field field)
{
	return &table->attributes[plan->first + plan->number[field]];
}

/* The value of a field that the plan has, where its size is fixed. `at`: the DIE's attributes, all of them
 * readable. */
static inline uint64_t plan_load(const struct plan_table *table, const struct plan *plan,
				 enum plan_field field, const uint8_t *at)
{
	uint64_t value = 0;

	at += plan->at[field];
	switch (plan->width[field]) {
	case 0: return plan_attribute(table, plan, field)->constant;
	case 1: return *at;
	case 2: __builtin_memcpy(&value, at, 2); return value;
	case 3: __builtin_memcpy(&value, at, 3); return value;
	case 4: __builtin_memcpy(&value, at, 4); return value;
	default: __builtin_memcpy(&value, at, 8); return value;
	}
}

#endif
