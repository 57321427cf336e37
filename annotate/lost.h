/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables that an instruction's scopes declare, and of which nothing says where they are there: the
 * compiler kept their values in registers, or as parts of addresses, and lost track. What an access goes
 * through may be one of them; the inlined function that the instruction comes from has mostly but one or two.
 */
#ifndef DTPROF_ANNOTATE_LOST_H
#define DTPROF_ANNOTATE_LOST_H

#include "annotate/place.h"
#include "dwarf/function.h"

/*
 * An access of `size` bytes `offset` bytes from the start of something that is not known: what a lost
 * variable of the inlined function that the instruction comes from points to, if it has such a scalar just
 * there and nothing else that this function points to has. Where the address was made of a `number`
 * (page_address()) and the inlined function knows but bytes (get_unaligned_le32()), the one that called it is
 * asked.
 */
bool lost_pointer(const struct function *function, uint64_t address, bool number, int64_t offset,
		  uint64_t size, struct place *place);

/*
 * An access to bytes of a buffer of `whole`, to whose start a pointer was: it was cast. To what the one
 * variable there points to, lost or not, that place_unpacks() it; NULL: none, or several.
 */
const struct type *lost_cast(const struct function *function, uint64_t address, const struct type *whole,
			     int64_t offset, uint64_t size);

/*
 * container_of(): an access of `size` bytes to a scalar `offset` bytes from the start of an `inner`, outside
 * of it, in the one record that has both of those that the variables of one scope point to, from the inside
 * out. False: none has, or several of a scope.
 */
bool lost_enclosing(const struct function *function, uint64_t address, const struct type *inner,
		    int64_t offset, uint64_t size, struct place *place);

/* What is allocated together with a `front`, behind it (netdev_priv()): what a variable in scope points to
 * that is said to be there somewhere, or of which nothing is said at all. False: none, or several. */
bool lost_behind(const struct function *function, uint64_t address, const struct type *front, int64_t offset,
		 uint64_t size, struct place *place);

#endif
