/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members that are declared as pointers to void, in the initialized variables of the object.
 *
 * Programs keep tables of records with such a member: the descriptions of formats, drivers or
 * commands, each with private data of its own. The initializers of these variables show which types
 * the member can point to.
 */
#ifndef DTPROF_ANNOTATE_FACTS_INITIALIZERS_H
#define DTPROF_ANNOTATE_FACTS_INITIALIZERS_H

#include "dwarf/types/type.h"

struct solver;
struct symbol;

/* The most types that a member may point to. A member with more belongs to a container. */
#define INITIALIZERS_MAX 8

/* The records to which one member points. */
struct initialized_member {
	const struct type *record; /* canonical */
	int64_t offset;
	uint32_t count;
	const struct type *pointees[INITIALIZERS_MAX]; /* records, each once */
};

/* Zero-initialized is empty. They hold for all functions of the object. */
struct initialized_members {
	struct initialized_member *items;
	size_t count, capacity;
	/* the object's data symbols that are large enough to be such records; listed for the first
	 * member */
	const struct symbol **variables;
	size_t variable_count, variable_capacity;
	bool listed;
};

/* Returns the records to which the member at `offset` of a record points in all initialized
 * variables of that type; `count` is 0 if there are none, or if anything else is there. */
const struct initialized_member *initializers_of(struct solver *solver, const struct type *record,
						 int64_t offset);
void initializers_deinit(struct initialized_members *members);

#endif
