/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The indices of a unit: its functions and static variables by address, the names that it declares,
 * and the namespaces and classes that its DIEs are in. An index is built when it is first asked
 * for; then it is immutable.
 */
#pragma once

#include "dwarf/dwarf/pass.h"
#include "dwarf/dwarf/unit.h"

/* A variable, or a piece of one, at a fixed place in the object or thread-local memory. */
struct variable_entry {
	uint64_t address; /* or offset in the TLS block */
	uint64_t die;
	uint32_t piece_offset; /* bytes into the variable */
	uint32_t piece_size;   /* 0: all of it is here */
	bool thread_local_;
};

/* Zero-initialized is empty. */
struct variable_list {
	struct variable_entry *items;
	size_t count, capacity, thread_local_count;
};

void variable_list_append(struct variable_list *list, const struct variable_list *others);
/* Sorts by address and DIE, thread-local variables after the others. */
void variable_list_sort(struct variable_list *list);
void variable_list_deinit(struct variable_list *list);

/* Adds the unit's variables in one quick pass. False: pass_start() does not allow it. */
bool scan_variables(struct pass *pass, const struct unit *unit, struct variable_list *variables);

struct function_entry {
	uint64_t low, high;
	uint64_t entry; /* start of the function's first range */
	uint64_t size;  /* bytes of all its ranges */
	uint64_t die;   /* reference */
};

enum name_kind {
	NAME_RECORD,  /* defined struct, class or union */
	NAME_ENUM,    /* defined */
	NAME_TYPEDEF, /* or base type */
	/* definition or declaration at file or namespace level, or member of a class */
	NAME_FUNCTION,
	NAME_VARIABLE,
};

/* Finds the kind of the DIEs of a tag. False: their names are not looked up. */
bool name_kind_of_tag(unsigned int tag, uint8_t *kind);

struct name_entry {
	uint32_t hash; /* of the plain or the linkage name */
	uint8_t kind;  /* enum name_kind */
	uint64_t die;
};

#define NO_CONTAINER UINT32_MAX

/* A namespace, record or function with DIEs inside, by start: nested ones follow. */
struct container {
	uint64_t start;
	uint64_t end;    /* section offset after its last child */
	uint32_t parent; /* index, or NO_CONTAINER */
	uint16_t tag;
	const char *name; /* NULL: anonymous */
};

struct unit_index {
	struct function_entry *functions; /* sorted by low, then by DIE */
	size_t function_count;
	struct function_entry *dropped; /* at address 0, as linkers put them: by DIE */
	size_t dropped_count;
	struct variable_list variables; /* sorted */
	struct name_entry *names;       /* by DIE */
	size_t name_count;
	uint32_t
		*name_slots; /* a hash table of the functions and variables in `names`: index + 1 */
	uint32_t name_slot_mask;
	struct container *containers;
	size_t container_count;
};

/* Returns the index of all DIEs, never NULL. A skeleton has that of its split unit. Thread-safe. */
const struct unit_index *unit_index_get(struct unit *unit);
/* Return a part of that index for C units, which is built faster: the functions and static
 * variables of the file scope with their names; or the static variables alone, also those in
 * functions. For other units they return the index of all DIEs. */
const struct unit_index *unit_file_scope_get(struct unit *unit);
const struct unit_index *unit_statics_get(struct unit *unit);
/* NULL is nothing to destroy. */
void unit_index_destroy(struct unit_index *index);
void unit_indices_destroy(struct unit *unit);

const struct function_entry *unit_index_function(const struct unit_index *index, uint64_t address);
/* Returns the next DIE of a function or variable whose name may have this hash, in the order of the
 * DIEs; 0: there are no more. *position is 0 at the first call. */
uint64_t unit_index_next(const struct unit_index *index, uint32_t hash, enum name_kind kind,
			 uint32_t *position);
/* Returns the innermost container around the DIE at a section offset, or NULL. */
const struct container *unit_index_container(const struct unit_index *index, uint64_t offset);

uint32_t name_hash(const char *name);
