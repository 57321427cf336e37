/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Below a layout: how hot each cacheline is, which accessed fields share it, and which of these may be
 * falsely shared: one thread writes a field, and another one, which has nothing to do with that field, uses
 * its neighbours and loses the line each time.
 *
 * Where the samples have addresses, that is said of cachelines of memory in which it was seen. Where they
 * have none, objects are taken together, and for the heat always: lines are counted from the start of the
 * type, as if its objects were aligned; an array's accesses count where it begins, but for those to a known
 * element.
 */
#ifndef DTPROF_REPORT_CACHELINE_HEAT_H
#define DTPROF_REPORT_CACHELINE_HEAT_H

#include "report/annotated.h"

/* Nothing for types of one field, or without options->cacheline. */
void print_cacheline_heat(const struct annotated_type *type, const struct annotated_options *options,
			  struct strbuf *buffer);

#endif
