/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of structs, classes, unions and Rust enums, as DWARF has them. */
#ifndef DTPROF_DWARF_DWARF_MEMBER_H
#define DTPROF_DWARF_DWARF_MEMBER_H

#include "dwarf/dwarf_die.h"
#include "dwarf/type.h"

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

/* Offset and bits of a member from its DIE; `type_size` is for old bitfields that do not give their storage's
 * size. False: it has no fixed place (a virtual base class), or no bits (an unnamed bitfield of width 0). */
bool member_place(const struct die *die, uint64_t type_size, struct member *member);

#endif
