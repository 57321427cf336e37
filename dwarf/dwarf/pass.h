/* SPDX-License-Identifier: GPL-2.0-or-later */

#ifndef DTPROF_DWARF_DWARF_PASS_H
#define DTPROF_DWARF_DWARF_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/unit.h"

/*
 * Abbreviations for a quick pass over many DIEs: where the few attributes lie that it looks at, so that most
 * DIEs are passed by adding a number.
 *
 * This is the one reader of DIEs besides libdw (dwarf/dwarf/die.h). It exists for the passes over all units of a
 * file (names, static variables, functions at file level), which libdw makes 2.2 times slower.
 */

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

/*
 * A quick pass over the DIEs of a C unit, by plans of its abbreviations (dwarf/dwarf/pass.h): from one DIE that is
 * wanted to the next, without a look at those between them.
 */

/* Its tables' memory is used again from unit to unit. Zero-initialized is ready to use. */
struct pass {
	struct plan_table plans;
	struct unit unit; /* a copy: the unit itself may not be prepared */
	const uint8_t *section;
	const uint8_t *section_end;
	const uint8_t *at;  /* the next DIE; `end`: there is none */
	const uint8_t *end; /* of the unit */
	size_t depth;       /* below the unit's root, in what is passed within */
	size_t short_codes; /* of so many plans the codes take one byte */
};

struct pass_die {
	const struct plan *plan;
	const uint8_t *attributes;
	uint64_t offset; /* in the section */
};

/* What is to be looked at, and within: sets it in *step, which else is false for both. */
typedef void (*pass_choice)(const struct plan_table *table, struct plan *plan, struct plan_step *step);

/*
 * Starts at the unit's first DIE behind its root. False: not a unit that can be passed over so (another
 * language than C, whose names may be nested; split debug information): it has to be read as a whole.
 */
bool pass_start(struct pass *pass, const struct unit *unit, pass_choice choose);
/* All fields of the DIE; false: they cannot be read. */
bool pass_values(const struct pass *pass, const struct pass_die *die, struct plan_values *values);
void pass_deinit(struct pass *pass);

/* Bytes that are asked for before they are looked at. */
#define PASS_AHEAD 512

/* The next DIE, whatever it is; false: there is none, or it cannot be read. */
bool pass_step(struct pass *pass, struct pass_die *die);

/* The next DIE that is wanted; false: there is none, or it cannot be read. */
static inline bool pass_next(struct pass *pass, struct pass_die *die)
{
	const uint8_t *at = pass->at, *section = pass->section, *end = pass->end;

	for (;;) {
		/* most are passed by adding their size, or go where their sibling is */
		while (at < end && *at - 1u < pass->short_codes) {
			const struct plan_step *step = &pass->plans.steps[*at - 1];
			const uint8_t *attributes = at + 1, *next = attributes + step->size;
			uint64_t sibling;
			uint32_t word;

			/* jumps over children are short, but the processor does not follow them */
			__builtin_prefetch(at + PASS_AHEAD);
			if (!step->simple || step->size > end - attributes)
				break;
			if (step->has_children) {
				__builtin_memcpy(&word, attributes + step->sibling, sizeof(word));
				sibling = pass->unit.offset + word;
				if (sibling <= (uint64_t)(at - section) || sibling >= pass->unit.end)
					break;
				next = section + sibling;
			}
			if (step->wanted) {
				*die = (struct pass_die){ &pass->plans.plans[*at - 1], attributes,
							  (uint64_t)(at - section) };
				pass->at = next;
				return true;
			}
			at = next;
		}
		pass->at = at;
		if (!pass_step(pass, die))
			return false;
		if (pass->plans.steps[die->plan - pass->plans.plans].wanted)
			return true;
		at = pass->at;
	}
}

/* Whether plan_value() gives the fields of the DIE. */
static inline bool pass_is_fixed(const struct pass *pass, const struct pass_die *die)
{
	return die->plan->size >= 0 && die->plan->size + PLAN_MARGIN <= pass->section_end - die->attributes;
}

/* The DIE at an offset in the unit; false: it cannot be read. */
bool pass_die_at(const struct pass *pass, uint64_t offset, struct pass_die *die);

struct pass_text {
	const char *string; /* NULL: none */
	uint64_t key;       /* of equal strings equal */
};

/* A string, of which values has the value and the bytes. */
struct pass_text pass_text(const struct pass *pass, const struct plan *plan, enum plan_field field,
			   uint64_t value, const uint8_t *bytes);

#endif
