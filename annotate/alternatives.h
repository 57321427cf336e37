/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pointers that are loaded from where a union has several (page->mapping, skb->dev). Which of them was meant,
 * the accesses through the pointer say, if in just one of the pointees all of them go to whole members, and
 * in none of the others could they go anywhere.
 */
#ifndef DTPROF_ANNOTATE_ALTERNATIVES_H
#define DTPROF_ANNOTATE_ALTERNATIVES_H

#include "annotate/place.h"
#include "annotate/value.h"

struct origins;

#define ALTERNATIVES_MAXIMUM 8

/* One origin that is such a pointer. */
struct alternatives {
	uint32_t origin;
	uint32_t count;
	const struct type *pointees[ALTERNATIVES_MAXIMUM];
	uint8_t possible; /* by bit: may all accesses go into this one? */
	uint8_t whole;    /* by bit: do they all go to whole members of it? */
	bool accessed;
};

/* Zero-initialized is empty; owned by the solver. */
struct alternative_list {
	struct alternatives *items;
	uint32_t count, capacity;
};

/* The pointer at this place is what the origin gives. Nothing, if there is but one. */
void alternatives_note(struct alternative_list *list, uint32_t origin, const struct place *place);
/* An access of `size` bytes to this address, which is unknown but for its origin. */
void alternatives_access(struct alternative_list *list, const struct value *address, uint64_t size);
/* Tell what was meant where that is sure, and forget the accesses. */
void alternatives_use(struct alternative_list *list, struct origins *origins);

#endif
