/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quick passes over the DIEs of C units, from one wanted DIE to the next.
 *
 * Most DIEs are skipped by adding their size, which their layout (dwarf/dwarf/die.h) has. Passes
 * look at all units of a file (for names, static variables, functions of the file scope). libdw
 * would take 2.2 times as long.
 */
#pragma once

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/unit.h"

/* The way from a DIE with one abbreviation to the next. It is worked out when first needed:
 * half of them are for DIEs in functions. */
struct pass_step {
	const struct die_layout *layout; /* NULL: not made yet */
	int16_t size;                    /* as in the layout */
	int16_t sibling; /* the offset of DW_AT_sibling, if it is DW_FORM_ref4; else -1 */
	bool has_children : 1;
	/* the size is known, and so is the sibling if the children are to be skipped */
	bool simple : 1;
	/* set by pass_choice: */
	bool wanted : 1; /* the pass stops at such DIEs */
	bool within : 1; /* the pass looks into their children */
	uint8_t kind;    /* the pass does not use it: pass_choice may set it for its caller */
};

/* Chooses by setting `wanted` and `within`, which are false at first. */
typedef void (*pass_choice)(struct pass_step *step);

/* A pass over one unit. Its memory is used again. Zero-initialized is ready to use. */
struct pass {
	struct pass_step *steps; /* by code - 1 */
	size_t count;
	size_t capacity;
	pass_choice choose;
	struct unit unit; /* a copy: the unit itself may not be prepared */
	bool owns_abbreviations;
	const uint8_t *section;
	const uint8_t *at;  /* the next DIE, or `end` */
	const uint8_t *end; /* of the unit */
	size_t depth;       /* levels of children that are being looked into */
	size_t short_codes; /* codes up to this number take one byte */
};

struct pass_die {
	const struct pass_step *step;
	const uint8_t *attributes;
	uint64_t offset; /* in the section */
};

/* Starts at the DIE after the unit's root. False: the unit has to be read as a whole, because names
 * may be nested in its language, or its debug information is split. */
bool pass_start(struct pass *pass, const struct unit *unit, pass_choice choose);
/* Reads the DIE as one of `unit`: the pass's copy, or the prepared unit. False: it cannot. */
static inline bool pass_read(struct unit *unit, const struct pass_die *from, struct die *die)
{
	return die_read_layout(unit, from->offset, from->step->layout, from->attributes, die);
}
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
		/* most are skipped by adding their size, or by their sibling */
		while (at < end && *at - 1u < pass->short_codes) {
			const struct pass_step *step = &pass->steps[*at - 1];
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
				*die = (struct pass_die){ step, attributes,
							  (uint64_t)(at - section) };
				pass->at = next;
				return true;
			}
			at = next;
		}
		pass->at = at;
		if (!pass_step(pass, die))
			return false;
		if (die->step->wanted)
			return true;
		at = pass->at;
	}
}
