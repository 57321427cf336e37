/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The DWARF of one object, and the operations on it that dwarf/types/operations.h asks for. Private
 * to dwarf/dwarf/ except for dwarf_object_open().
 *
 * All threads share the object. Results that are asked for again and again are kept in its maps,
 * which are read without a lock and inserted into under the lock of the type table
 * (type_table_publish()).
 */
#pragma once

#include "dwarf/dwarf/frame.h"
#include "dwarf/dwarf/location.h"
#include "dwarf/dwarf/names.h"
#include "dwarf/dwarf/type.h"
#include "dwarf/dwarf/unit.h"
#include "dwarf/types/operations.h"

/* The code of a unit. */
struct unit_span {
	uint64_t low, high;
	uint64_t reach; /* the greatest `high` up to here: beyond it, no earlier one has an address
			 */
	struct unit *unit;
};

struct dwarf_object {
	struct debug_object base;
	const struct elf_image *image;
	const struct elf_image *debug_image;
	bool has_all_symbols; /* each variable has one */
	struct dwarf_files *files;
	struct dwarf_names *names;
	struct dwarf_types types;
	struct unit_span *spans; /* sorted by low: which unit an address is in */
	size_t span_count;
	struct concurrent_map prototypes;             /* DIE -> struct dwarf_prototype */
	struct concurrent_map methods;                /* class's DIE -> its virtual functions */
	struct concurrent_map tables;                 /* class's DIE -> its struct virtual_table */
	struct concurrent_map tables_by_type;         /* id of a table's type + 1 -> the same */
	struct concurrent_map globals;                /* variable's DIE -> its struct global */
	struct concurrent_map lines;                  /* unit -> struct line_table */
	struct concurrent_map line_tables;            /* line_table_key() -> the same, owned */
	struct concurrent_map unit_lists[UNIT_LISTS]; /* unit -> the list */
	struct concurrent_map unit_types;             /* unit -> enum unit_types */
	struct concurrent_map linked_functions; /* the first unit -> struct linked_functions */
	struct concurrent_map go_words;         /* unit -> types by the words of Go's runtime */
	struct frame_table frames;
	struct dwarf_sections image_sections; /* if `image` is another file than `debug_image` */
};

/* The memory with which one thread reads the object. */
struct dwarf_reader {
	struct debug_reader base;
	struct function_scratch *scratch;
};

static inline struct dwarf_object *dwarf_object_of(const struct debug_reader *reader)
{
	return (struct dwarf_object *)reader->object; /* `base` is its first member */
}

static inline struct dwarf_reader *dwarf_reader_of(struct debug_reader *reader)
{
	return (struct dwarf_reader *)reader;
}

/* ---- object.c ---- */

struct error *dwarf_object_open(const struct elf_image *image, const struct elf_image *debug_image,
				struct debug_object **result);

/* Returns the function that covers `address`, or NULL. */
const struct function_entry *dwarf_function_entry(struct dwarf_object *object, uint64_t address);
struct unit *dwarf_unit_at(struct dwarf_object *object, uint64_t address);
/* Return the unit with the declarations that the code of a function sees, or NULL. It is another
 * one than the code's after link-time optimization. The function is given by its DIE, or by an
 * address in it. */
struct unit *dwarf_source_unit(struct dwarf_object *object, uint64_t reference);
struct unit *dwarf_source_unit_at(struct dwarf_object *object, uint64_t address);

/* Returns the result of `create` for the unit. It is made at first use, and kept in `map`. Several
 * threads may make it at the same time, because reading types takes the lock; `destroy` frees the
 * results of those that came too late. */
void *dwarf_unit_fact(struct dwarf_object *object, struct concurrent_map *map, struct unit *unit,
		      void *(*create)(struct dwarf_object *object, struct unit *unit),
		      void (*destroy)(void *fact));

/* ---- function.c ---- */

/* Creates the memory for reading functions, which is kept from one function to the next. */
struct function_scratch *function_scratch_create(void);
void function_scratch_destroy(struct function_scratch *scratch);

/* Reads the function of a subprogram DIE. If the DIE has no code, that of the symbol `place` is its
 * code: only the prototype is known then. NULL: the DIE is no subprogram. */
struct function *dwarf_function_build(struct dwarf_object *object, struct function_scratch *scratch,
				      uint64_t reference, const struct symbol *place);

/* A prototype, and the DIEs of its parameters, by which a parameter's position is found. */
struct dwarf_prototype {
	struct prototype prototype;
	uint64_t *parameter_dies; /* references of the DIEs that the parameters were read from */
};

/* Returns the prototype of the subprogram DIE at a reference: an abstract or concrete instance, or
 * a declaration. NULL: the DIE is no subprogram. */
const struct dwarf_prototype *dwarf_prototype(struct dwarf_object *object, uint64_t reference);

/* Operation `inlined`. */
OPERATION(inlined) dwarf_inlined_calls;
/* The same for `outline`. */
const struct function_outline *dwarf_function_outline(struct debug_reader *reader, uint64_t address,
						      struct arena *arena);

/* ---- each.c: operation ---- */

OPERATION(each) dwarf_each;

/* ---- lookup.c: operations ---- */

/* Describes a variable of an index. Its name may be NULL. NULL: it cannot be read. */
const struct global *dwarf_indexed_global(struct dwarf_object *object,
					  const struct variable_entry *variable);

/* Returns the DIE of a function that has code in a unit, but no DIE with a place: gcc folds equal
 * functions (-fipa-icf), and describes only one of them. 0: there is none. */
uint64_t dwarf_unplaced_function(struct dwarf_object *object, const struct symbol *symbol);

/* Returns the prototype of a function's DIE; NULL: it is none, or damaged. */
const struct prototype *dwarf_prototype_of(struct dwarf_object *object, uint64_t reference);
OPERATION(prototype_at) dwarf_prototype_at;
/* The same for `prototype_named` and `global_named`, for declarations of the C library that no unit
 * describes: library.c. */
OPERATION(prototype_named) dwarf_library_prototype;
OPERATION(global_named) dwarf_library_variable;
OPERATION(prototype_named) dwarf_prototype_named;
OPERATION(global_at) dwarf_global_at;
OPERATION(global_named) dwarf_global_named;
OPERATION(tls_at) dwarf_tls_at;
OPERATION(types_called) dwarf_types_called;
OPERATION(types_named) dwarf_types_named;

/* ---- virtual_tables.c: operations ---- */

OPERATION(virtual_method) dwarf_virtual_method;
OPERATION(virtual_table) dwarf_virtual_table;
OPERATION(virtual_table_of) dwarf_virtual_table_of;

/* Frees what was read of classes' virtual tables. */
void dwarf_virtual_tables_deinit(struct dwarf_object *object);

/* ---- cast types ---- */

/* The types that are a fact of one unit. */
struct type_list {
	const struct type **types;
	size_t count, capacity;
};

/* ---- unit_facts.c: operations ---- */

OPERATION(unit_list) dwarf_unit_list;
OPERATION(unit_functions) dwarf_unit_functions;
OPERATION(unit_types) dwarf_unit_types;
void dwarf_unit_facts_deinit(struct dwarf_object *object);

/* ---- go_types.c: operations ---- */

OPERATION(go_type) dwarf_go_type;
void dwarf_go_types_deinit(struct dwarf_object *object);
