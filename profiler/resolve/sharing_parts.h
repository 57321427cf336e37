/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the starts of the parts of an array that loops go over.
 *
 * A sample in a loop tells where the loop will end (operands.c), but not where it began. If all
 * loops of an instruction go over parts of one length, the end tells the start as well. At both, a
 * part borders on those of other threads, although hardly any samples fall there.
 */
#pragma once

#include "profiler/resolve/sharing_uses.h"

/* Bytes that a loop goes over. The ends of longer parts are hardly used. */
#define SHARING_WALK_MAX 4096

/* A use by a loop that goes over a part of an array of numbers. */
struct sharing_part {
	size_t use;    /* index */
	uint64_t last; /* address of the last element */
};

/* Zero-initialized is empty. */
struct sharing_parts {
	struct sharing_part *items;
	size_t count, capacity;
	const struct sharing_uses *uses; /* that the items index */
};

/* Notes a use by a loop whose last access is at the address `last`; 0: not known. Call it before
 * the use is added to `uses`. Only uses of numbers are noted. */
void sharing_parts_note(struct sharing_parts *parts, const struct sharing_uses *uses,
			const struct sharing_use *use, uint64_t last);
/* Adds the first elements of the parts, up to the end of their line, as implied uses. */
void sharing_parts_add(struct sharing_parts *parts, struct sharing_uses *uses, uint64_t cacheline);
void sharing_parts_deinit(struct sharing_parts *parts);
