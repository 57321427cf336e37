/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call sites of a function, collected while its DIEs are walked; private to dwarf/. */
#ifndef DTPROF_DWARF_DWARF_CALL_SITE_H
#define DTPROF_DWARF_DWARF_CALL_SITE_H

#include "dwarf/dwarf_object.h"

struct found_call_site {
	struct call_site site;
	size_t number; /* in the order of the DIEs */
};

struct call_site_builder {
	struct found_call_site *items;
	size_t count;
	size_t capacity;
};

bool dwarf_is_call_site(const struct die *die);
/* Take a call site DIE; *cursor, which is behind it, is moved past its children. */
void dwarf_call_site_add(struct call_site_builder *builder, struct debug_object *object,
			 const struct die *die, struct cursor *cursor);
/* Sort, and move everything to the function's arena. */
void dwarf_call_sites_finish(struct call_site_builder *builder, struct function *function);

#endif
