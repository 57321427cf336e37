/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reader of reports calls types, "struct foo", "robj", "a::b<int>*", and the types that are found for
 * it. Private to dwarf/. */
#ifndef DTPROF_DWARF_TYPE_QUERY_H
#define DTPROF_DWARF_TYPE_QUERY_H

#include "dwarf/type_table.h"

struct type_query {
	char *text;                /* without the stars behind it; freed by type_query_deinit() */
	const char *name;          /* without the keyword before it */
	unsigned int kinds;        /* that the keyword allows: a set of 1 << enum type_kind */
	size_t pointers;           /* stars */
	const struct type **types; /* found, the caller's */
	size_t count;              /* found, also beyond capacity */
	size_t capacity;
};

void type_query_init(struct type_query *query, const char *name, const struct type **types, size_t capacity);
void type_query_deinit(struct type_query *query);
/* Adds the type if it is what was asked for, and not there yet. */
void type_query_offer(struct type_query *query, const struct type *type);

#endif
