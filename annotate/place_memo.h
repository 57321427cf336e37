/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was asked of places in types last (place.h): a function, and those around it, access few types, and
 * the same members again and again. One solver's, for all its functions; the answers depend on the types
 * alone, which live as long as their object does. Private to annotate/.
 */
#ifndef DTPROF_ANNOTATE_PLACE_MEMO_H
#define DTPROF_ANNOTATE_PLACE_MEMO_H

#include "annotate/place.h"

struct place_memo;

/* Owned by the caller: place_memo_destroy(). */
struct place_memo *place_memo_create(void);
void place_memo_destroy(struct place_memo *memo);

/* place_find() */
enum access_reason place_memo_find(struct place_memo *memo, const struct type *type, int64_t offset,
				   uint32_t stride, uint64_t size, struct place *place);
/* place_in_buffer() */
bool place_memo_in_buffer(struct place_memo *memo, const struct type *type, int64_t offset, uint64_t size);
/* place_scalar() */
const struct type *place_memo_scalar(struct place_memo *memo, const struct type *type, int64_t offset,
				     uint64_t size);

#endif
