/* SPDX-License-Identifier: GPL-2.0-or-later */

#ifndef DTPROF_DWARF_DWARF_NAMES_H
#define DTPROF_DWARF_DWARF_NAMES_H

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/index.h"

struct dwarf_types;
struct dwarf_names;

struct dwarf_names *dwarf_names_create(struct dwarf_files *files);
void dwarf_names_destroy(struct dwarf_names *names);

/* Makes them known, so that nobody waits for that while somebody holds a lock. */
void dwarf_names_prepare(struct dwarf_names *names);

/*
 * DIEs of this plain name and kind, in the order of the files; call until 0. *position is 0 at first. Of C
 * units that is what they declare outside of functions: definitions of types, functions and variables that
 * others see; and of those that look the same the first.
 */
uint64_t dwarf_names_next(struct dwarf_names *names, const char *name, enum name_kind kind,
			  uint32_t *position);
/* The same of all DIEs, those in functions too. */
uint64_t dwarf_names_next_of_all(struct dwarf_names *names, const char *name, enum name_kind kind,
				 uint32_t *position);

/* Whether the DIE, or the declaration that it specifies, has this plain or linkage name. */
bool dwarf_die_is_named(struct dwarf_files *files, const struct die *die, const char *name);

/* The only definition of the struct, class, union or enum that `die` declares under this qualified name; 0:
 * there is none, or there are several that differ. */
uint64_t dwarf_names_definition(struct dwarf_names *names, struct dwarf_types *types, const struct die *die,
				const char *qualified_name);

/* Static variables, sorted. Without `all` not those of C units, which are found by their symbols. */
const struct variable_list *dwarf_names_variables(struct dwarf_names *names, bool all);

#endif
