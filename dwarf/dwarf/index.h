/* SPDX-License-Identifier: GPL-2.0-or-later */

#ifndef DTPROF_DWARF_DWARF_INDEX_H
#define DTPROF_DWARF_DWARF_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/dwarf/pass.h"
#include "dwarf/dwarf/unit.h"

/* The variables of units that are at one place in the object or in thread-local memory, in functions too. */

struct variable_entry {
	uint64_t address; /* or offset in the TLS block */
	uint64_t die;
	bool thread_local_;
};

/* Zero-initialized is empty. */
struct variable_list {
	struct variable_entry *items;
	size_t count;
	size_t capacity;
	size_t thread_local_count;
};

/* All of `others`. */
void variable_list_append(struct variable_list *list, const struct variable_list *others);
/* By address, thread-local ones after the others; then by DIE. */
void variable_list_sort(struct variable_list *list);
void variable_list_deinit(struct variable_list *list);

/* Adds the unit's in one quick pass. False: pass_start() says so. */
bool scan_variables(struct pass *pass, const struct unit *unit, struct variable_list *variables);

/*
 * What one walk over all DIEs of a unit finds: its functions and static variables by address, the names that
 * it declares, and which namespaces and classes its DIEs are in. Built once for a unit, when first asked for,
 * then immutable.
 */

struct function_entry {
	uint64_t low;
	uint64_t high;
	uint64_t entry; /* lowest address of the function's first range */
	uint64_t die;   /* reference */
};

enum name_kind {
	NAME_RECORD,   /* defined struct, class or union */
	NAME_ENUM,     /* defined */
	NAME_TYPEDEF,  /* or base type */
	NAME_FUNCTION, /* definition or declaration at file or namespace level, or a class's member */
	NAME_VARIABLE,
};

struct name_entry {
	uint32_t hash; /* of the plain or the linkage name */
	uint8_t kind;  /* enum name_kind */
	uint64_t die;
};

#define NO_CONTAINER UINT32_MAX

/* A namespace, record or function that other DIEs are in. Sorted by start; nested ones after those around
 * them. */
struct container {
	uint64_t start;
	uint64_t end;    /* section offset behind its last child */
	uint32_t parent; /* index, or NO_CONTAINER */
	uint16_t tag;
	const char *name; /* NULL: anonymous */
};

struct unit_index {
	struct function_entry *functions; /* sorted by low, then by DIE */
	size_t function_count;
	struct variable_list variables; /* sorted */
	struct name_entry *names;       /* by DIE */
	size_t name_count;
	uint32_t *name_slots; /* where functions and variables are in names, + 1: a hash table */
	uint32_t name_slot_mask;
	struct container *containers;
	size_t container_count;
};

/* Never NULL. For a skeleton unit it is that of the split unit. Thread-safe. */
const struct unit_index *unit_index_get(struct unit *unit);
/*
 * The same of C units, quicker: of the file level its functions, its static variables and the names of both,
 * nothing else; or the static variables alone, those in functions, too. Of other units it is all.
 */
const struct unit_index *unit_level_get(struct unit *unit);
const struct unit_index *unit_statics_get(struct unit *unit);
void unit_indices_destroy(struct unit *unit);

/* The function that covers `address` in this unit; NULL: none. */
const struct function_entry *unit_index_function(const struct unit_index *index, uint64_t address);
/* DIEs of functions or variables that may have the name of this hash, in their order; call until 0. *position
 * is 0 at first. */
uint64_t unit_index_next(const struct unit_index *index, uint32_t hash, enum name_kind kind,
			 uint32_t *position);
/* The innermost container of the DIE at a section offset, not counting itself; NULL: none. */
const struct container *unit_index_container(const struct unit_index *index, uint64_t offset);

uint32_t name_hash(const char *name);

#endif
