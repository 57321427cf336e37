/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Affinity: which members of a record are used together.
 *
 * Two members are used together by a region (a loop, or a function's code outside of loops) that
 * accesses both through one base pointer. The region counts with its samples, whichever access they
 * are charged to: of several fields in one line, only the first access waits.
 */
#ifndef DTPROF_REPORT_LAYOUT_AFFINITY_H
#define DTPROF_REPORT_LAYOUT_AFFINITY_H

#include "profiler/base/strbuf.h"
#include "report/layout/advice.h"

/* Sets type->affinities. */
void affinity_make(struct advice_type *type, struct arena *arena);

/* Returns the share of the type's regions that use the member through a base that changes, 0 to
 * 1. */
double affinity_use(const struct advice_type *type, uint32_t member);
/* Returns the weight of the two members' affinity, 0 to 1. */
double affinity_between(const struct advice_type *type, uint32_t first, uint32_t second);

/* Appends the graph in the language of Graphviz. */
void affinity_print_dot(const struct advice_type *type, struct strbuf *buffer);

#endif
