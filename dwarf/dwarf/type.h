/* SPDX-License-Identifier: GPL-2.0-or-later */

#ifndef DTPROF_DWARF_DWARF_TYPE_H
#define DTPROF_DWARF_DWARF_TYPE_H

#include "dwarf/dwarf/die.h"
#include "dwarf/types/type.h"
#include "dwarf/types/type_table.h"
#include "profiler/base/concurrent_map.h"
#include "profiler/base/strbuf.h"

/* DIEs to types. */

struct dwarf_names;

/* What was found out of a type before the lock was taken. */
struct prepared_type {
	uint64_t die; /* of a record; 0: nothing was */
	uint64_t fingerprint;
};

/* Locks of what units keep of fingerprints: several units have one. */
#define FINGERPRINT_LOCKS 32

struct dwarf_types {
	struct dwarf_files *files;
	struct dwarf_names *names; /* to find definitions */
	struct type_table *table;
	struct concurrent_map by_die; /* reference -> const struct type * */
	struct concurrent_map
		definitions; /* hash of a declared name -> struct definition; see dwarf/dwarf/type.c */
	uint64_t
		loading[TYPE_MAXIMUM_DEPTH]; /* under the lock: DIEs that are being loaded, outermost first */
	size_t loading_count;
	struct prepared_type prepared; /* under the lock */
	/* taken when the table's lock is held, or without; nothing else is locked under them but a unit's
	 * file
	 */
	pthread_mutex_t fingerprint_locks[FINGERPRINT_LOCKS];
};

void dwarf_types_init(struct dwarf_types *types, struct dwarf_files *files, struct dwarf_names *names);
void dwarf_types_deinit(struct dwarf_types *types);

/* The type of a DIE; of reference 0, void. Never NULL. Thread-safe; no lock is taken for a type that is
 * known. */
const struct type *dwarf_type(struct dwarf_types *types, uint64_t reference);
/* The type of a variable, parameter or member: what DW_AT_type of the DIE, or of its abstract origin or
 * specification, names; the unknown type where none of them has one. */
const struct type *dwarf_type_of(struct dwarf_types *types, const struct die *die);

/* The name of a DIE with those of its namespaces and classes before it in C++ and Rust; false: it has none.
 */
bool dwarf_qualified_name(struct dwarf_types *types, const struct die *die, struct strbuf *buffer);

/* A hash of a record's members by name, offset and the look of their types, or of an enum's enumerators. */
uint64_t dwarf_fingerprint(struct dwarf_types *types, const struct die *die);

/* The members of structs, classes, unions and Rust enums, as DWARF has them. */

/* One member of a record after the other. */
struct member_walk {
	struct unit *unit;
	struct cursor cursor;
	size_t depth;         /* of variant parts and variants that are open */
	size_t variant_depth; /* of the outermost open variant; 0: none */
};

void member_walk_start(struct member_walk *walk, const struct die *record);
/* The next data member or base class, static ones left out; false: there is no more. */
bool member_walk_next(struct member_walk *walk, struct die *member);
static inline bool member_walk_in_variant(const struct member_walk *walk)
{
	return walk->variant_depth;
}

#endif
