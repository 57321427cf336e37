/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types from DIEs, under the type table of an object. */
#pragma once

#include "dwarf/dwarf/die.h"
#include "dwarf/types/type.h"
#include "dwarf/types/type_table.h"
#include "base/parallel.h"
#include "base/strbuf.h"

struct dwarf_names;

/* The results of slow work on a type, done before the lock is taken. */
struct prepared_type {
	uint64_t die; /* reference of a record; 0: there is no result */
	uint64_t fingerprint;
};

/* Several units share a lock for their fingerprints. */
#define FINGERPRINT_LOCKS 32

struct dwarf_types {
	struct dwarf_files *files;
	struct dwarf_names *names; /* to find definitions */
	struct type_table *table;
	struct concurrent_map by_die; /* reference -> const struct type * */
	/* hash of a declared name -> struct definition; see dwarf/dwarf/type.c */
	struct concurrent_map definitions;
	/* hashes of records that are parts, and which names are ambiguous: see dwarf/dwarf/type.c
	 */
	struct concurrent_map parts;
	pthread_mutex_t parts_lock; /* for adding to them */
	/* under the lock: DIEs that are being loaded, outermost first */
	uint64_t loading[TYPE_NESTING_MAX];
	size_t loading_count;
	/* under the lock: how many records, one within the other, are searched for raw storage */
	unsigned int storage_depth;
	struct prepared_type prepared; /* under the lock */
	/* taken with or without the table's lock; while one is held, only the locks of the units'
	 * files, of names and of parts are taken */
	pthread_mutex_t fingerprint_locks[FINGERPRINT_LOCKS];
};

void dwarf_types_init(struct dwarf_types *types, struct dwarf_files *files,
		      struct dwarf_names *names);
void dwarf_types_deinit(struct dwarf_types *types);

/* Returns the type of a DIE: void for reference 0, never NULL. Thread-safe; no lock if known. */
const struct type *dwarf_type(struct dwarf_types *types, uint64_t reference);
/* Returns the type of a variable, parameter or member, from DW_AT_type of the DIE or of its
 * abstract origin or specification; the unknown type if none of them has one. */
const struct type *dwarf_type_of(struct dwarf_types *types, const struct die *die);

/* The name of a namespace of C++ without one. */
#define ANONYMOUS_NAMESPACE "(anonymous namespace)"

/* Appends the name of a DIE, in C++ and Rust after namespaces and classes. False: no name. */
bool dwarf_qualified_name(struct dwarf_types *types, const struct die *die, struct strbuf *buffer);
/* Returns the DIE's name without the C++ modules that gcc adds to names of theirs outside of them:
 * there "node" is "node@lib.shelf" or "node@lib.shelf:part". NULL: it has none. The caller frees
 * it. */
char *dwarf_name_without_modules(const struct die *die);

/* Returns the constant size of a type's object by its attributes, or `otherwise`. */
uint64_t die_byte_size(const struct die *die, uint64_t otherwise);
/* Returns the type of a DW_TAG_array_type. Call it under the table's lock. */
const struct type *dwarf_array_type(struct dwarf_types *types, const struct die *array,
				    const struct type *element);

/* Returns a hash of a record's members (names, offsets, shapes), or of an enum's enumerators. */
uint64_t dwarf_fingerprint(struct dwarf_types *types, const struct die *die);

/* True if the record may declare the members of its cases side by side. */
bool dwarf_has_cases(const struct die *record);
/* Makes a member of those that are in one place: see cases.c. `size` is the record's. Call it under
 * the table's lock. */
void dwarf_fold_cases(struct dwarf_types *types, const struct die *record, uint64_t size,
		      struct member *members, size_t *count);

/* Walks over the members of a struct, class, union or Rust enum. */
struct member_walk {
	struct unit *unit;
	struct cursor cursor;
	size_t depth;          /* variant parts and variants that are open */
	size_t variant_depth;  /* depth of the outermost open variant; 0: none */
	bool has_discriminant; /* of that variant, as in struct member */
	uint64_t discriminant;
	uint64_t slots; /* that are read of each member */
};

/* `slots` (DIE_SLOT() bits) are those that the caller asks for. */
void member_walk_start(struct member_walk *walk, const struct die *record, uint64_t slots);
/* Reads the next data member or base class; static members are left out. False: no more. */
bool member_walk_next(struct member_walk *walk, struct die *member);
static inline bool member_walk_in_variant(const struct member_walk *walk)
{
	return walk->variant_depth;
}
