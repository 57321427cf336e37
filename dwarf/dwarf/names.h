/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names that all units declare, and their variables by address. Each list is built when it is
 * first asked for; then it is immutable. The names of the file scope come from one quick pass, in
 * which all threads that ask take part. For all other names every function of every unit has to be
 * read, so they are built only for callers that ask for them.
 */
#pragma once

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/index.h"
#include "base/type_name.h"

struct dwarf_types;
struct dwarf_names;

struct dwarf_names *dwarf_names_create(struct dwarf_files *files);
void dwarf_names_destroy(struct dwarf_names *names);

/* Builds the names of the file scope, without a lock, which others may wait for. */
void dwarf_names_prepare(struct dwarf_names *names);

/* Makes each unit stand for itself from now on, for few questions about a large object: no
 * definition is found of what a unit only declares, and names of types mean the same in all units,
 * so that the pass over all of them is spared. Call it before others ask. */
void dwarf_names_separate(struct dwarf_names *names);
/* Returns whether dwarf_names_separate() was called. */
bool dwarf_names_are_separate(const struct dwarf_names *names);

/*
 * Returns the next DIE of this plain name and kind, in the order of the files; 0: there are no
 * more. *position is 0 at the first call. Of C units only DIEs of the file scope are returned:
 * definitions of types, and functions and variables that other units see. Of several DIEs that look
 * the same only the first is returned.
 */
uint64_t dwarf_names_next(struct dwarf_names *names, const char *name, enum name_kind kind,
			  uint32_t *position);
/* The same for all DIEs, also those in functions. */
uint64_t dwarf_names_next_of_all(struct dwarf_names *names, const char *name, enum name_kind kind,
				 uint32_t *position);

/* Returns the next type, among all, whose plain name is what a user means by `wanted`
 * (type_name_matches(), or, in languages that ignore case, the same but for case). *meant becomes
 * the name to look for: `wanted`, or as the compiler writes it. Reads the names of all types. */
uint64_t dwarf_names_next_meant(struct dwarf_names *names, const struct meant_type *wanted,
				uint32_t *position, const char **meant);

/* Returns the next type with a name of the file scope; 0: no more. *position begins at 0. */
uint64_t dwarf_names_next_type(struct dwarf_names *names, uint32_t *position);

/* True if the DIE, or the declaration that it specifies, has this plain or linkage name. */
bool dwarf_die_is_named(struct dwarf_files *files, const struct die *die, const char *name);

/* Returns the only definition of the struct, class, union or enum that `die` declares under this
 * qualified name; 0 if there is none, or if several differ. */
uint64_t dwarf_names_definition(struct dwarf_names *names, struct dwarf_types *types,
				const struct die *die, const char *qualified_name);

/* Returns static variables, sorted; without `all` not those of C: symbols lead to them. */
const struct variable_list *dwarf_names_variables(struct dwarf_names *names, bool all);
