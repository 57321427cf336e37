/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The access paths of .dtprof.exact as text, and the types that they name. */
#pragma once

#include "dwarf/debug.h"

#define EXACT_SECTION ".dtprof.exact"
#define EXACT_PATHS   ".dtprof.exact.paths"

/* The object that an access begins at. */
enum exact_kind {
	EXACT_POINTED = 'p', /* what a pointer points to */
	EXACT_STATIC = 'v',  /* a variable with a fixed place, also one of a thread */
	EXACT_LOCAL = 'l',   /* a variable of the function */
};

/* A path, taken apart. The texts are not terminated, and belong to the section. */
struct exact_path {
	char kind;        /* enum exact_kind */
	const char *type; /* the object's type: name, size and place */
	size_t type_length;
	int64_t offset;  /* of the access in the object; variable indexes are 0 */
	uint32_t stride; /* bytes of the elements of the innermost array that is indexed; 0: none */
	int64_t bit;     /* the bitfield, from `offset` on */
	uint32_t bits;   /* 0: it is none */
	const char *members; /* ".ht_table[].next" */
};

/* False: the text is no path. */
bool exact_path_parse(const char *text, struct exact_path *path);

struct exact_names;

struct exact_names *exact_names_create(struct debug_reader *debug);
void exact_names_destroy(struct exact_names *names);
/* Returns the type of the object, as the unit of the code at an address defines it; NULL: it is not
 * known, or there are several. */
const struct type *exact_names_find(struct exact_names *names, uint64_t address,
				    const struct exact_path *path);
