/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links: nodes of lists and trees.
 *
 * Records that exist to be members of others (struct list_head, hlist_node, rb_node) and hold
 * little but pointers to their own kind. Code that follows one works on the record around it.
 * Without variables (BTF) only uses show that record: the pointer is passed on as a pointer to it,
 * or is accessed beyond the link's end.
 */
#ifndef DTPROF_ANNOTATE_VALUES_LINKS_H
#define DTPROF_ANNOTATE_VALUES_LINKS_H

#include "annotate/values/value.h"

struct solver;

/* True for a record of pointers, at least one of which points to such a record, with at most one
 * more word (a tree's colour). */
bool link_is(const struct type *type);
/* True for an address in a link, or near one, in code without variables. */
bool link_is_followed(const struct solver *solver, const struct value *address);
/* True if the access stays within the link. */
bool link_holds(const struct value *address, uint64_t size);
/* True if the register points before the link or after it. Only code that works on the record
 * around the link has such a pointer. */
bool link_is_from_around(const struct solver *solver, const struct value *address);

#endif
