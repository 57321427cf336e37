/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The patch that changes the source of a record to a proposed layout: `dtprof layout --emit=patch`
 * prints it, `dtprof try` applies it to a copy of the source.
 */
#pragma once

#include "report/layout/advice.h"

/* Returns the proposal of this kind, else the advised one, else the present layout. */
const struct advice_proposal *layout_chosen(const struct advice_type *type, enum advice_kind kind);

/* A patch that was made. */
struct layout_patched {
	char *folder; /* in which it is applied: to be freed */
	struct advice_range range;
	enum advice_verdict verdict; /* the prediction */
};

/* Appends the patch of one type, or a comment that says why there is none. Returns whether there is
 * one. The paths are relative to the folder that the compiler ran in, if the file is below it, else
 * to that of the file. A patch that is likely to break the program is made only with `even_if`. */
bool layout_add_patch(const struct advice *advice, const struct advice_type *type,
		      enum advice_kind kind, bool even_if, struct strbuf *text,
		      struct layout_patched *patched);
