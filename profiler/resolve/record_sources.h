/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source of records: where each is declared, and the places in the object's sources that depend
 * on the order of its members.
 */
#pragma once

#include "dwarf/debug.h"
#include "base/files.h"
#include "base/error.h"
#include "report/layout/advice.h"
#include "report/layout/source.h"

/* A record and the facts that are added to. */
struct record_source {
	const struct type *type;
	struct advice_type *facts;
};

/* Sets `source` of the facts of records of one object, and adds constraints: those that the sources
 * show, and the refusal to change a record that a system header declares. Sources that are not on
 * this machine, those that may not be read, and those beyond a limit are counted as missing. Texts
 * belong to the arena. */
void record_sources_read(struct debug_object *debug, const struct record_source *records,
			 size_t count, const struct source_rights *rights, unsigned int threads,
			 struct arena *arena);

/* Returns whether a file of source is one of the system's or of a language's own library. */
bool source_is_of_system(const char *path);
bool source_is_header(const char *name);
#define INLINED_MAX 32 /* calls inlined into each other */

/* Sets the line of the innermost call at `address` that the user has written: code of the system's
 * libraries that was inlined there says little. Returns false if there is none. */
bool source_call_line(struct debug_reader *reader, uint64_t address, const char **file,
		      unsigned int *line);

/* Returns how many inlined calls all jumps of a loop are in, if most of its instructions are in
 * them, too; else, how many all instructions are in. */
size_t source_inlined_depth(struct debug_reader *reader, const uint64_t *jumps, size_t jump_count,
			    const uint64_t *all, size_t count);
/* Sets the first line of these instructions in the code that their first `*depth` inlined calls
 * lead to, or around these, if that is of the system, and how many calls lead to it: what is
 * inlined into it counts as the calls' lines. Returns false if it is not known. */
bool source_first_line(struct debug_reader *reader, const uint64_t *addresses, size_t count,
		       size_t *depth, const char **file, unsigned int *line);

/* Returns the contents of a file of source, to be freed, or NULL if it cannot be read. */
char *record_source_text(const char *path, const struct source_rights *rights, size_t *length);
