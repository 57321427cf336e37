/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records that a function speaks of: those that its variables, and the parameters and results of what is
 * inlined in it, point to, also of variables of which nothing is left but their type. Where a pointer is used
 * as if it led to more than it was declared for (container_of, a header cast down) or was declared as nothing
 * (void *), what it was cast to is among them: a cast is written with a type, even if no variable of it is
 * left.
 */
#ifndef DTPROF_ANNOTATE_VOCABULARY_H
#define DTPROF_ANNOTATE_VOCABULARY_H

#include "annotate/place.h"
#include "disasm/code.h"
#include "dwarf/debug.h"
#include "dwarf/function.h"

struct vocabulary;

/* Owned by the caller: vocabulary_destroy(). */
struct vocabulary *vocabulary_create(void);
void vocabulary_destroy(struct vocabulary *vocabulary);
/* Of another function from here on. */
void vocabulary_clear(struct vocabulary *vocabulary);
/* Does nothing the second time. */
void vocabulary_build(struct vocabulary *vocabulary, const struct function *function);

/* How many records would do. */
enum vocabulary_choice { VOCABULARY_NONE, VOCABULARY_ONE, VOCABULARY_SEVERAL };

/*
 * An access of `size` bytes to a scalar `offset` bytes from the start of an `inner`, outside of it: the place
 * in the one record of the vocabulary that has an `inner` and, there, such a scalar. Several that disagree
 * are none.
 */
enum vocabulary_choice vocabulary_enclosing(const struct vocabulary *vocabulary, const struct type *inner,
					    int64_t offset, uint64_t size, struct place *place);

/* The same, among these records. */
enum vocabulary_choice vocabulary_among(const struct type *const *records, size_t count,
					const struct type *inner, int64_t offset, uint64_t size,
					struct place *place);

/* An access of `size` bytes `offset` bytes from the start of something that has an `inner` `at` bytes in: the
 * place in the one record of the vocabulary that has both. False: none, or several that disagree. */
bool vocabulary_around(const struct vocabulary *vocabulary, const struct type *inner, int64_t at,
		       int64_t offset, uint64_t size, struct place *place);

/* vocabulary_enclosing() in what inline functions of the unit cast an `inner` to; false: none, or several
 * that disagree. */
bool vocabulary_cast(const struct inline_cast *casts, size_t count, const struct type *inner, int64_t offset,
		     uint64_t size, struct place *place);

/*
 * What a void pointer that is a member of `record`, `offset` bytes into it, points to: what the function
 * inlines to get from such a record to it (EXT4_SB(), which returns sb->s_fs_info) gives, or, if nothing is
 * left of that here, the one among the inline functions of the unit that may be for that. NULL: not known.
 */
const struct type *vocabulary_of_private(const struct function *function, const struct code *code,
					 const struct inline_cast *casts, size_t cast_count,
					 const struct type *record, int64_t offset);

#endif
