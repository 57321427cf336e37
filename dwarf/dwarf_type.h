/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DIEs to types. */
#ifndef DTPROF_DWARF_DWARF_TYPE_H
#define DTPROF_DWARF_DWARF_TYPE_H

#include "dwarf/concurrent_map.h"
#include "dwarf/dwarf_die.h"
#include "dwarf/type_table.h"
#include "profiler/base/strbuf.h"

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
		definitions; /* hash of a declared name -> struct definition; see dwarf_type.c */
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
/* The same of what stands `depth` levels deep among the template arguments of another name. */
bool dwarf_qualified_name_within(struct dwarf_types *types, const struct die *die, struct strbuf *buffer,
				 int depth);
/* Append "<int, 3>" for a template's instance of C++ whose name lacks it; nothing where the name has its
 * arguments, or where one of them cannot be spelled. */
void dwarf_template_arguments(struct dwarf_types *types, const struct die *die, struct strbuf *buffer,
			      int depth);

/* dwarf_type_prepare.c: what takes long, before the lock is taken for a type that is not known. */
void dwarf_type_prepare(struct dwarf_types *types, uint64_t reference, struct prepared_type *prepared);
/* struct type_loader */
void dwarf_type_prepare_members(void *data, const struct type *type);

/* A hash of a record's members by name, offset and the look of their types, or of an enum's enumerators. */
uint64_t dwarf_fingerprint(struct dwarf_types *types, const struct die *die);

#endif
