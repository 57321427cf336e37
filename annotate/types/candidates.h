/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The candidates for what an address may be, and the choice among them.
 *
 * A source of candidates says what the address is of, and how strongly it believes that (the rank);
 * it decides nothing. The choice is made in one place: candidates_choose().
 */
#pragma once

#include "annotate/types/field.h"
#include "annotate/types/fit.h"

/* The most candidates for one access. Among more than these, too many fit to choose one. */
#define CANDIDATES_MAX 24

/* Sets of enum fit_kind. */
#define FITS_WHOLE (1U << FIT_MEMBER | 1U << FIT_ELEMENT)
#define FITS_PARTS (1U << FIT_BITS | 1U << FIT_PART | 1U << FIT_PART_OF_POINTER | 1U << FIT_BYTES)
#define FITS_ANY   UINT32_C(0xffff)

struct type_candidate {
	struct field_ref field; /* where the access goes, if the candidate is right */
	uint8_t rank;           /* the smaller, the sooner it is believed */
	uint8_t fit;            /* enum fit_kind */
	bool contests;          /* it cannot be the answer, but nothing else of its rank is then */
};

/* The candidates for one access. */
struct candidates {
	uint64_t size;     /* of the access, in bytes */
	uint32_t fits;     /* those that are believed */
	uint32_t contests; /* those that only contest others */
	uint32_t count;
	bool more;  /* there are more than these, so that none is chosen */
	bool heads; /* a record that begins with the members of another one has it as a part */
	struct field_cache *fields; /* NULL: there is none */
	struct type_candidate items[CANDIDATES_MAX];
};

/* The outcome of a choice. */
enum candidate_choice { CHOICE_NONE, CHOICE_ONE, CHOICE_SEVERAL };

/* Starts a list without candidates. */
static inline void candidates_start(struct candidates *list, uint64_t size, uint32_t fits)
{
	list->size = size;
	list->fits = fits;
	list->contests = list->count = 0;
	list->more = list->heads = false;
	list->fields = NULL;
}
/* Adds the field that the access goes to at offset + stride * x of `type`, if there is one, and if
 * it fits. */
void candidates_add(struct candidates *list, const struct type *type, int64_t offset,
		    uint32_t stride, uint8_t rank);
/* Adds a field that is known already. */
void candidates_put(struct candidates *list, struct field_ref field, uint8_t rank);
/* The same as candidates_add() at a constant offset; the candidate only contests others. */
void candidates_contest(struct candidates *list, const struct type *type, int64_t offset,
			uint8_t rank);

/* An access through a pointer to an `inner` that goes to bytes outside of it: offset + stride * x
 * bytes from its start, with any x. */
struct outside_access {
	const struct type *inner;
	int64_t offset;
	uint32_t stride;
};

/* Adds the places of the access in `record` if its pointer is to an `inner` in the record: a base
 * class of it with this rank, a member with the next one. */
void candidates_around(struct candidates *list, const struct type *record,
		       const struct outside_access *access, uint8_t rank);

/* Chooses among the candidates of the smallest rank. If one is a part of another one at the same
 * field, it is chosen, because the access surely goes to it. CHOICE_ONE: *field is the answer. */
enum candidate_choice candidates_choose(const struct candidates *list, struct field_ref *field);
