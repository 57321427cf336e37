/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A quick pass over the DIEs of a C unit, by plans of its abbreviations (dwarf_plan.h): from one DIE that is
 * wanted to the next, without a look at those between them.
 */
#ifndef DTPROF_DWARF_DWARF_PASS_H
#define DTPROF_DWARF_DWARF_PASS_H

#include "dwarf/dwarf_plan.h"

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
