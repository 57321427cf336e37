/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A layout as C source with its assertions, and as rules for dtprof check. */
#ifndef DTPROF_REPORT_LAYOUT_EMIT_H
#define DTPROF_REPORT_LAYOUT_EMIT_H

#include "profiler/base/strbuf.h"
#include "report/layout/advice.h"

/*
 * Appends a proposal (or type->current) as C11 that compiles by itself: stand-ins for the names
 * that the members use, the records, and assertions of their sizes, offsets and lines. For a type
 * that C cannot declare, or whose layout is not to be changed, it appends only a comment that says
 * why.
 */
void emit_c(const struct advice_type *type, const struct advice_proposal *proposal,
	    const struct advice_machine *machine, struct strbuf *buffer);

/* Appends the rules that the type keeps with this profile: its size, and the lines of its hot
 * members. */
void emit_rules(const struct advice_type *type, const struct advice_machine *machine,
		struct strbuf *buffer);

#endif
