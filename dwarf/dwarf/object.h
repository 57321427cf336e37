/* SPDX-License-Identifier: GPL-2.0-or-later */

#ifndef DTPROF_DWARF_DWARF_OBJECT_H
#define DTPROF_DWARF_DWARF_OBJECT_H

#include <stddef.h>

#include "dwarf/btf/object.h"
#include "dwarf/debug.h"
#include "dwarf/dwarf/frame.h"
#include "dwarf/dwarf/location.h"
#include "dwarf/dwarf/names.h"
#include "dwarf/dwarf/type.h"
#include "dwarf/dwarf/unit.h"

/* The parts of a debug_object; private to dwarf/. */

struct unit_span {
	uint64_t low;
	uint64_t high;
	struct unit *unit;
};

struct debug_object {
	const struct debug_operations *operations; /* see debug.c */
	struct btf_object *btf;                    /* of BTF alone: then nothing below is used; else NULL */
	const struct elf_image *image;
	const struct elf_image *debug_image;
	bool has_all_symbols; /* each variable has one */
	struct dwarf_files *files;
	struct dwarf_names *names;
	struct dwarf_types types;
	struct unit_span *spans; /* sorted by low: which unit an address is in */
	size_t span_count;
	/* all are inserted into under the type table's lock */
	struct concurrent_map prototypes;   /* DIE -> struct dwarf_prototype */
	struct concurrent_map globals;      /* variable's DIE -> its struct global */
	struct concurrent_map lines;        /* unit -> struct line_table */
	struct concurrent_map flexible;     /* unit -> struct flexible_records */
	struct concurrent_map inline_casts; /* unit -> struct inline_casts */
	struct frame_table frames;
	size_t functions_read;                /* atomic */
	struct dwarf_sections image_sections; /* where `image` is another file than `debug_image` */
};

/* dwarf/dwarf/object.c: fill in spans */
void dwarf_spans_build(struct debug_object *object);
/* The function that covers `address`, and its unit; NULL: none. */
const struct function_entry *dwarf_function_entry(struct debug_object *object, uint64_t address);

/* The unit that `address` is in; NULL: none. */
struct unit *dwarf_unit_at(struct debug_object *object, uint64_t address);

/* A prototype with what is needed to number parameters. */
struct dwarf_prototype {
	struct prototype prototype;
	uint64_t *parameter_dies; /* references of the DIEs that the parameters were read from */
};

/* Of the subprogram DIE at a reference, be it abstract, a declaration or a concrete instance; NULL: it is no
 * subprogram. */
const struct dwarf_prototype *dwarf_prototype(struct debug_object *object, uint64_t reference);

/* The call sites of a function, collected while its DIEs are walked; private to dwarf/. */

struct found_call_site {
	struct call_site site;
	size_t number; /* in the order of the DIEs */
};

struct call_site_builder {
	struct found_call_site *items;
	size_t count;
	size_t capacity;
};

/* Building struct function; private to dwarf/. */

struct scope_item {
	struct scope scope;
	size_t first_range;
	uint32_t parameter_count;             /* met so far */
	const struct dwarf_prototype *callee; /* of the function or the inlined one */
};

struct variable_item {
	struct variable variable;
	size_t first_location;
};

/* What grows while a function is read; kept from one function to the next. Zero-initialized is ready to use.
 */
struct function_scratch {
	struct scope_item *scopes;
	size_t scope_count, scope_capacity;
	struct variable_item *variables;
	size_t variable_count, variable_capacity;
	struct location_list locations;
	struct address_ranges ranges;
	struct address_range *range_items;
	size_t range_count, range_capacity;
	uint32_t *levels; /* scope by depth of the walk */
	size_t level_capacity;
	struct call_site_builder calls;
	struct frame_rows rows;
	struct frame_base_list bases; /* the function's, where it has more than one */
};

void function_scratch_deinit(struct function_scratch *scratch);

/* The function of a subprogram DIE with code; NULL: it is none. */
struct function *dwarf_function_build(struct debug_object *object, struct function_scratch *scratch,
				      uint64_t reference);

/* Static variables, prototypes and types by address and name: what debug.h promises of them; private to
 * dwarf/. */

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

/*
 * What is called and which variable is meant, of the addresses that were asked for lately: the functions of a
 * unit ask for the same ones again and again. Private to dwarf/; one thread's.
 */

struct dwarf_memo;

/* Owned by the caller: dwarf_memo_destroy(). */
struct dwarf_memo *dwarf_memo_create(void);
void dwarf_memo_destroy(struct dwarf_memo *memo);

/* dwarf_prototype_at() and dwarf_global_at(), always of the same object. */
const struct prototype *dwarf_memo_prototype_at(struct dwarf_memo *memo, struct debug_object *object,
						uint64_t address, uint64_t from_address);
bool dwarf_memo_global_at(struct dwarf_memo *memo, struct debug_object *object, uint64_t address,
			  uint64_t from_address, struct global *result);

/* The calls that were inlined at an address. Private to dwarf/: see debug_reader_inlined(). */

struct address_ranges;

/* `ranges` is for the walk. Of more than `capacity` calls the innermost are left out. */
size_t dwarf_inlined_calls(struct debug_object *object, struct address_ranges *ranges, uint64_t address,
			   struct inlined_call *calls, size_t capacity);

/* Records that end in a flexible array, by unit; private to dwarf/. */

/* Those that the unit defines outside of functions, in the order of its DIEs; found once a unit, then kept by
 * the object. `unit` is prepared. */
const struct type *const *dwarf_flexible_records(struct debug_object *object, struct unit *unit,
						 size_t *count);
void dwarf_flexible_deinit(struct debug_object *object);

/* Inline functions that turn one pointer to a record into another, by unit; private to dwarf/. */

/* Those that the unit inlines somewhere, in the order of its DIEs; found once a unit, then kept by the
 * object.
 */
const struct inline_cast *dwarf_inline_casts(struct debug_object *object, struct unit *unit, size_t *count);
void dwarf_inline_casts_deinit(struct debug_object *object);

#endif
