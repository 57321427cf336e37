/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that the units declare, by name and (variables) by address. Built once, when first asked for, by
 * indexing all units; then immutable.
 */
#ifndef DTPROF_DWARF_DWARF_NAMES_H
#define DTPROF_DWARF_DWARF_NAMES_H

#include "dwarf/dwarf_die.h"
#include "dwarf/dwarf_index.h"

struct dwarf_types;
struct dwarf_names;

struct dwarf_names *dwarf_names_create(struct dwarf_files *files);
void dwarf_names_destroy(struct dwarf_names *names);

/* DIEs of this plain name and kind, in the order of the files; call until 0. *position is 0 at first. */
uint64_t dwarf_names_next(struct dwarf_names *names, const char *name, enum name_kind kind,
			  uint32_t *position);

/* Whether the DIE, or the declaration that it specifies, has this plain or linkage name. */
bool dwarf_die_is_named(struct dwarf_files *files, const struct die *die, const char *name);

/* The only definition of the struct, class, union or enum that `die` declares under this qualified name; 0:
 * there is none, or there are several that differ. */
uint64_t dwarf_names_definition(struct dwarf_names *names, struct dwarf_types *types, const struct die *die,
				const char *qualified_name);

/* Static variables sorted by address; thread-local ones after the others. */
const struct variable_entry *dwarf_names_variables(struct dwarf_names *names, size_t *count,
						   size_t *thread_local_count);

#endif
