/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Building struct function; private to dwarf/. */
#ifndef DTPROF_DWARF_DWARF_FUNCTION_H
#define DTPROF_DWARF_DWARF_FUNCTION_H

#include "dwarf/dwarf_call_site.h"
#include "dwarf/dwarf_frame_base.h"
#include "dwarf/dwarf_location.h"
#include "dwarf/dwarf_object.h"

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

#endif
