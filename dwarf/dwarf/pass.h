/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quick passes over the DIEs of C units, from one wanted DIE to the next.
 *
 * A plan of each abbreviation says where in a DIE the few attributes lie that a pass looks at, so
 * that most DIEs are passed by adding a number. Passes look at all units of a file (names, static
 * variables, functions of the file scope). libdw would take 2.2 times as long.
 */
#ifndef DTPROF_DWARF_DWARF_PASS_H
#define DTPROF_DWARF_DWARF_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/unit.h"
#include "profiler/base/hash.h"

enum plan_field {
	/* these may be the same in all DIEs of a plan: */
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
	FIELDS_PLACED, /* the others are found only by plan_walk() */
	FIELD_LOCATION = FIELDS_PLACED,
	FIELD_CODE, /* DW_AT_low_pc or DW_AT_ranges: only whether the DIE has one */
	/* of root DIEs: */
	FIELD_LANGUAGE,
	FIELD_STR_OFFSETS_BASE,
	FIELD_ADDR_BASE,
	FIELD_DWO_NAME,
	FIELD_COUNT,
	FIELD_NONE = 0xff,
};

/*
 * One attribute of an abbreviation. Consecutive ones of fixed size that are no fields are merged.
 */
struct plan_attribute {
	uint16_t form;
	uint8_t field; /* enum plan_field */
	int32_t size;  /* bytes of the value; -1: they vary */
	/* the value if all DIEs have the same: DW_FORM_implicit_const, a flag's 1 */
	uint32_t constant;
};

struct plan {
	uint16_t tag;
	uint16_t fields; /* a bit for each enum plan_field */
	int16_t size;    /* of all attributes; -1: they vary */
	uint8_t count;   /* of attributes */
	uint8_t kind;    /* this and the next are for the pass's own use */
	bool plain;
	bool built;                  /* the plan was made; if not, nothing else is set */
	uint32_t first;              /* in the table's attributes */
	uint8_t number[FIELD_COUNT]; /* index from `first` */
	/* the offset of each field after the code, if `size` is not -1, and its bytes. A field that
	 * the plan does not have takes 0 bytes. More than 8 bytes count as 8. */
	uint16_t at[FIELDS_PLACED];
	uint8_t width[FIELDS_PLACED];
	uint32_t constant[FIELDS_CONSTANT];
};

_Static_assert(FIELD_COUNT <= 16, "a bit for each field");

/* The way from a DIE to the next. It is apart from the plan because most DIEs need nothing else. */
struct plan_step {
	int16_t size;    /* as in the plan */
	int16_t sibling; /* the offset of DW_AT_sibling, if it has four bytes; else -1 */
	bool has_children;
	bool simple; /* the size is known, and the sibling if the children are to be passed */
	/* set by pass_choice: */
	bool wanted; /* the pass stops at such DIEs */
	bool within; /* the pass looks into their children */
};

#define PLAN_FORMS 64

/* A plan that is kept for the abbreviations of other units. */
struct known_plan {
	const uint8_t *tag; /* as in struct plan_table */
	uint16_t size;
	struct plan plan;
	struct plan_step step;
};

/*
 * A plan is made when a DIE first needs it: half of a unit's abbreviations are for DIEs in
 * functions, which most passes do not look at. Units have much the same abbreviations, so plans
 * are kept for those with the same bytes.
 */
struct plan_table {
	struct plan *plans;      /* by code - 1 */
	struct plan_step *steps; /* the same; `simple` is false if there is no plan yet */
	const uint8_t **tags;    /* the same: where the abbreviation's tag is */
	uint16_t *sizes;         /* the same: bytes from the tag to the end of the attributes */
	const uint8_t *end;      /* of .debug_abbrev */
	size_t count;
	size_t capacity;                   /* of the four */
	struct plan_attribute *attributes; /* first those of the known plans */
	size_t attribute_count;
	size_t attribute_capacity;
	struct hash_map known_by_bytes; /* hash -> index in `known` */
	struct known_plan *known;
	size_t known_count, known_capacity;
	size_t known_attributes;
	/* sizes of forms in units of this version and these sizes */
	int8_t form_size[PLAN_FORMS];
	uint8_t version, offset_size, address_size;
};

/* The values of a DIE's fields; 0 for missing ones. */
struct plan_values {
	uint64_t value[FIELD_COUNT];       /* of a block: its length */
	const uint8_t *bytes[FIELD_COUNT]; /* of a block or an inline string: its bytes */
};

static inline bool plan_has(const struct plan *plan, enum plan_field field)
{
	return plan->fields >> field & 1;
}

/* Reads the fields into *values, if that is not NULL. `at` is where the DIE's attributes begin.
 * Returns the end of the DIE, or NULL if it cannot be read. */
const uint8_t *plan_walk(const struct plan_table *table, const struct plan *plan, const uint8_t *at,
			 const uint8_t *end, struct plan_values *values);

static inline const struct plan_attribute *plan_attribute(const struct plan_table *table,
							  const struct plan *plan,
							  enum plan_field field)
{
	return &table->attributes[plan->first + plan->number[field]];
}

/* Bytes past the DIE that plan_value() may load. */
#define PLAN_MARGIN 8

/* Returns the value of a field with a place, if the plan's size is fixed. `at` is where the
 * attributes begin. All of them and PLAN_MARGIN more bytes must be readable. */
static inline uint64_t plan_value(const struct plan *plan, enum plan_field field, const uint8_t *at)
{
	static const uint64_t masks[] = {
		0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0, 0, 0, UINT64_MAX
	};
	uint64_t word;

	__builtin_memcpy(&word, at + plan->at[field], sizeof(word));
	word &= masks[plan->width[field]];
	return field < FIELDS_CONSTANT ? word | plan->constant[field] : word;
}

/* Chooses by setting `wanted` and `within` in *step, which are false at first. */
typedef void (*pass_choice)(const struct plan_table *table, struct plan *plan,
			    struct plan_step *step);

/* A pass over one unit. Its memory is used again for the next unit. Zero-initialized is ready to
 * use. */
struct pass {
	struct plan_table plans;
	pass_choice choose;
	struct unit unit; /* a copy: the unit itself may not be prepared */
	const uint8_t *section;
	const uint8_t *section_end;
	const uint8_t *at;  /* the next DIE, or `end` */
	const uint8_t *end; /* of the unit */
	size_t depth;       /* levels of children that are being looked into */
	size_t short_codes; /* the codes of so many plans take one byte */
};

struct pass_die {
	const struct plan *plan;
	const uint8_t *attributes;
	uint64_t offset; /* in the section */
};

/* Starts at the DIE after the unit's root. False: the unit has to be read as a whole, because names
 * may be nested in its language, or its debug information is split. */
bool pass_start(struct pass *pass, const struct unit *unit, pass_choice choose);
/* Reads all fields of the DIE; false: they cannot be read. */
bool pass_values(const struct pass *pass, const struct pass_die *die, struct plan_values *values);
void pass_deinit(struct pass *pass);

/* The distance in bytes at which DIEs ahead are prefetched. */
#define PASS_AHEAD 512

/* Moves to the next DIE, wanted or not; false: there is none, or it cannot be read. */
bool pass_step(struct pass *pass, struct pass_die *die);

/* Moves to the next wanted DIE; false: there is none, or it cannot be read. */
static inline bool pass_next(struct pass *pass, struct pass_die *die)
{
	const uint8_t *at = pass->at, *section = pass->section, *end = pass->end;

	for (;;) {
		/* most are passed by adding their size, or by their sibling */
		while (at < end && *at - 1u < pass->short_codes) {
			const struct plan_step *step = &pass->plans.steps[*at - 1];
			const uint8_t *attributes = at + 1, *next = attributes + step->size;
			uint64_t sibling;
			uint32_t word;

			/* jumps over children are short, but the processor does not predict them */
			__builtin_prefetch(at + PASS_AHEAD);
			if (!step->simple || step->size > end - attributes)
				break;
			if (step->has_children) {
				__builtin_memcpy(&word, attributes + step->sibling, sizeof(word));
				sibling = pass->unit.offset + word;
				if (sibling <= (uint64_t)(at - section) ||
				    sibling >= pass->unit.end)
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

/* True if plan_value() gives the fields of the DIE. */
static inline bool pass_is_fixed(const struct pass *pass, const struct pass_die *die)
{
	return die->plan->size >= 0 &&
	       die->plan->size + PLAN_MARGIN <= pass->section_end - die->attributes;
}

/* Finds the DIE at an offset in the unit; false: it cannot be read. */
bool pass_die_at(struct pass *pass, uint64_t offset, struct pass_die *die);

struct pass_text {
	const char *string; /* NULL: none */
	uint64_t key;       /* equal for equal strings */
};

/* Returns a string by its value and bytes in struct plan_values. */
struct pass_text pass_text(const struct pass *pass, const struct plan *plan, enum plan_field field,
			   uint64_t value, const uint8_t *bytes);

#endif
