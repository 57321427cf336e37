/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The advice on a type as text for a terminal of 80 columns, and as JSON. */
#ifndef DTPROF_REPORT_LAYOUT_ADVICE_TEXT_H
#define DTPROF_REPORT_LAYOUT_ADVICE_TEXT_H

#include "profiler/base/strbuf.h"
#include "report/json.h"
#include "report/layout/advice.h"

/* Appends the page of one type. */
void advice_print(const struct advice_type *type, const struct advice_machine *machine,
		  struct strbuf *buffer);

/*
 * Appends the layouts of a type in two recordings side by side, with the samples of each member.
 * Members are matched by name. A mark says which of them moved (>), are new (+) or are gone (-).
 */
void advice_print_layouts(const struct advice_type *old, const struct advice_type *new,
			  const struct advice_machine *machine, struct strbuf *buffer);

/* Adds the type as an element of the open array; Documentation/json.md describes it. */
void advice_print_json(const struct advice_type *type, const struct advice_machine *machine,
		       struct json *json);

#endif
