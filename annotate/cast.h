/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses that do not fit what is declared where they go: the source has cast the pointer. With variables,
 * one of them says to what. Without (BTF), the access itself is all that tells, and a type that was cast away
 * must not be answered. Private to annotate/.
 */
#ifndef DTPROF_ANNOTATE_CAST_H
#define DTPROF_ANNOTATE_CAST_H

#include "annotate/place.h"

struct solver;

/* Records that one function reads in words, both halves of long integers among them: for a hash or a
 * checksum. */
#define WORDS_MAXIMUM 16

struct word_records {
	const struct type *items[WORDS_MAXIMUM]; /* canonical */
	uint32_t count;
};

/* Notes what an access tells of the others of the same function: in the pass that gathers. */
void cast_gather(struct solver *solver, const struct place *place, uint64_t size);

#endif
