/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How indices are made: private to dwarf_index*.c. */
#ifndef DTPROF_DWARF_DWARF_INDEX_BUILD_H
#define DTPROF_DWARF_DWARF_INDEX_BUILD_H

#include "dwarf/dwarf_die.h"
#include "dwarf/dwarf_index.h"
#include "dwarf/dwarf_range.h"

struct index_builder {
	struct unit *unit; /* prepared */
	struct unit_index *index;
	size_t function_capacity, name_capacity;
	struct address_ranges ranges;
	struct die die; /* the one that is added */
};

/* What the DIE says. */
void index_add_function(struct index_builder *builder);
void index_add_variable(struct index_builder *builder);
void index_add_names(struct index_builder *builder, enum name_kind kind);

/* A name of the DIE of this reference. */
void index_add_name(struct index_builder *builder, const char *name, enum name_kind kind, uint64_t reference);

/* Sorts, and gives the index away. */
struct unit_index *index_finish(struct index_builder *builder);

/* Of all DIEs. Never NULL. */
struct unit_index *index_build(struct unit *unit);
/* Of the file level; of static variables alone. NULL: not a unit for a quick pass. */
struct unit_index *index_build_level(struct unit *unit);
struct unit_index *index_build_statics(struct unit *unit);

void index_destroy(struct unit_index *index);

#endif
