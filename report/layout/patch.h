/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A proposal as a patch of the source that declares the record.
 *
 * The declaration is matched with certainty, or there is no patch: the members' names in order and
 * the words of their types are those of the debug information. Members move with their comments and
 * with the #if around them.
 */
#ifndef DTPROF_REPORT_LAYOUT_PATCH_H
#define DTPROF_REPORT_LAYOUT_PATCH_H

#include "base/strbuf.h"
#include "report/layout/advice.h"
#include "report/layout/source.h"

/*
 * Appends a unified diff of the file `source` to `diff`, with the file's name `name` after "a/" and
 * "b/". Returns false, and appends one sentence without a full stop to `why`, if the declaration
 * cannot be matched or is the same afterwards. The proposal has one part.
 */
bool patch_make(const struct advice_type *type, const struct advice_proposal *proposal,
		const struct advice_machine *machine, const struct source_text *source,
		const char *name, struct strbuf *diff, struct strbuf *why);

/* Appends the unified diff of two texts, with three lines of context. */
void patch_diff(const char *name, const char *old, size_t old_length, const char *new,
		size_t new_length, struct strbuf *diff);

#endif
