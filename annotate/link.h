/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links: records that are there to be members of others (struct list_head, hlist_node, rb_node) and hold
 * little but pointers to their own kind. Who follows one means what it is a member of. Where no variable says
 * what that is (BTF), what the same pointer is used as does: passed on as a record around it, or accessed
 * beyond its end. Private to annotate/.
 */
#ifndef DTPROF_ANNOTATE_LINK_H
#define DTPROF_ANNOTATE_LINK_H

#include "annotate/place.h"
#include "annotate/value.h"

struct solver;

/* Pointers, at least one of them to another link, and no more than a word beside them (a tree's colour). */
bool link_is(const struct type *type);
/* Is that an address in, or near, a link that somebody had a pointer to, in code without variables? */
bool link_is_followed(const struct solver *solver, const struct value *address);
/* Is that a link that this join gave? */
bool link_is_joined(const struct solver *solver, const struct value *value, uint64_t key);
/* Notes what an access of `size` bytes says of the link: in the pass that gathers. */
void link_gather(struct solver *solver, const struct value *address, uint64_t size);
/* What was noted says this of where links come from; before origins_infer(). */
void link_conclude(struct solver *solver);
/*
 * Where such an access goes in what the link is a member of. REASON_NONE: to *place; REASON_OUTSIDE: it is
 * known to be one of something, but not of what; REASON_NO_VALUE: nothing speaks against the link alone.
 */
enum access_reason link_place(const struct solver *solver, const struct value *address, uint64_t size,
			      struct place *place);

#endif
