/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined calls of a run of code, as .dtprof.line has them
 * (Documentation/companion.md). The line of a row is written as the distance from the one that is
 * expected there, which the writer and the reader know from the rows before: code goes back and
 * forth between a function and those that are inlined into it.
 */
#pragma once

#include "base/hash.h"

/* An inlined call of a run; the first site of a run is the function itself. */
struct line_site {
	uint64_t name, call_file, call_line; /* the first two are strings of the companion */
	uint32_t parent;                     /* the number of the site around it */
};

/* The last place in a function, or the last line in a file. */
struct line_place {
	uint64_t string; /* the name of the function or of the file */
	uint64_t file, line;
};

/* A zero-initialized one has none. */
struct line_places {
	struct line_place *items;
	size_t count, capacity;
	struct hash_index index;
};

/* Returns the place of a string, at first that of no file; it is valid until the next call. */
struct line_place *line_place_of(struct line_places *places, uint64_t string);
void line_place_move(struct line_places *places, uint64_t function, uint64_t file, uint64_t line);
/* Expects a function that is inlined for the first time where its call is. */
void line_place_begin(struct line_places *places, const struct line_site *site);
void line_places_deinit(struct line_places *places);
