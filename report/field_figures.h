/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that is counted of a field, for programs: --json and --csv of annotate. */
#ifndef DTPROF_REPORT_FIELD_FIGURES_H
#define DTPROF_REPORT_FIELD_FIGURES_H

#include "annotate/access_count.h"
#include "report/json.h"

/* An array "figures" with an object for each event. Percentages are of `totals`' periods; NULL: there are
 * none. */
void field_figures_json(struct json *json, const struct access_count *counts,
			const struct access_count *totals, size_t event_count);
/* ",samples,period ..." with ":EVENT" behind each name where there are more events than one. */
void field_figures_csv_heading(const char *const *events, size_t event_count, struct strbuf *buffer);
void field_figures_csv(const struct access_count *counts, const struct access_count *totals,
		       size_t event_count, struct strbuf *buffer);

#endif
