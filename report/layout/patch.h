/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A proposal as a patch of the source that declares the record.
 *
 * The declaration is matched with certainty, or there is no patch: the members' names in order and
 * the words of their types are those of the debug information. Members move with their comments and
 * with the #if around them.
 */
#pragma once

#include "base/strbuf.h"
#include "report/layout/advice.h"
#include "report/layout/source.h"

/* Appends a unified diff of the file `source` to `diff`, with the file's name `name` after "a/" and
 * "b/". Returns false, and appends one sentence without a full stop to `why`, if the declaration
 * cannot be matched or is the same afterwards. The proposal has one part. */
bool patch_make(const struct advice_type *type, const struct advice_proposal *proposal,
		const struct advice_machine *machine, const struct source_text *source,
		const char *name, struct strbuf *diff, struct strbuf *why);

#define PATCH_PARTS_MAX 9 /* records that one is divided into */

/* The declaration of a record, and the members of each part of a proposal. */
struct patch_bodies {
	size_t first, end; /* bytes of the members */
	size_t after;      /* byte after the declaration */
	char *parts[PATCH_PARTS_MAX];
};

/* Finds the declaration and the text of each part. Returns false, and appends a sentence to `why`,
 * if it cannot be matched, or is not at the level of the file. */
bool patch_bodies_init(const struct advice_type *type, const struct advice_proposal *proposal,
		       const struct advice_machine *machine, const struct source_text *source,
		       struct patch_bodies *bodies, struct strbuf *why);
void patch_bodies_deinit(struct patch_bodies *bodies);

/*
 * Appends a unified diff of all files for a proposal with several parts: the record is divided, and
 * each place that `type` lists is changed. `names` are those of the files after "a/" and "b/".
 * *by_pointer is set to whether each object has a pointer to its second part, also where the
 * proposal has parts at the same index of arrays. Returns false, and appends a sentence to `why`,
 * if one place cannot be changed with certainty.
 */
bool split_patch_make(const struct advice_type *type, const struct advice_proposal *proposal,
		      const struct advice_machine *machine, const struct source_text *sources,
		      const char *const *names, size_t count, bool *by_pointer, struct strbuf *diff,
		      struct strbuf *why);

/* Appends the unified diff of two texts, with three lines of context. */
void patch_diff(const char *name, const char *old, size_t old_length, const char *new,
		size_t new_length, struct strbuf *diff);
