/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Static variables, prototypes and types by address and name: what debug.h promises of them; private to
 * dwarf/. */
#ifndef DTPROF_DWARF_DWARF_GLOBAL_H
#define DTPROF_DWARF_DWARF_GLOBAL_H

#include "dwarf/dwarf_object.h"

bool dwarf_global_at(struct debug_object *object, uint64_t address, uint64_t from_address,
		     struct global *result);
bool dwarf_tls_at(struct debug_object *object, uint64_t offset, struct global *result);
bool dwarf_global_named(struct debug_object *object, const char *name, uint64_t from_address,
			struct global *result);

const struct prototype *dwarf_prototype_at(struct debug_object *object, uint64_t address,
					   uint64_t from_address);
const struct prototype *dwarf_prototype_named(struct debug_object *object, const char *name,
					      uint64_t from_address);

size_t dwarf_types_named(struct debug_object *object, const char *name, const struct type **types,
			 size_t capacity);

/* The DIE of a function or variable by name: of the unit of `from_address` if it has one, else an external
 * one, definitions before declarations; 0: none. */
uint64_t dwarf_find_named(struct debug_object *object, const char *name, enum name_kind kind,
			  uint64_t from_address);
/* The first of the unit alone. `unit` may be NULL; kind is NAME_FUNCTION or NAME_VARIABLE. */
uint64_t dwarf_find_in_unit(struct debug_object *object, struct unit *unit, const char *name,
			    enum name_kind kind);

#endif
