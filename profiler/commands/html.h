/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing a report as one HTML page (--html): its table, its types with their layouts, and the code
 * of its functions.
 */
#ifndef DTPROF_COMMANDS_HTML_H
#define DTPROF_COMMANDS_HTML_H

#include <stdint.h>

#include "profiler/commands/input.h"
#include "report/filter.h"
#include "report/json.h"

/* The keys that the page's table has. The page groups and filters by them. */
#define HTML_SORT   "type,typeoff,acc,sym,dso,pid"
#define HTML_FIELDS "+weight1"

struct html_report {
	const char *path;
	const struct input_options *input;
	const struct filter *filter;
	const struct grouping *grouping;
	/* Adds the members of `report --json` to the open object. */
	void (*add_report)(void *data, struct json *json);
	void *data;
};

/* Returns what the page needs to know besides the keys of its table: a set of enum result_need. */
uint64_t html_needs(const struct html_report *report);
/* Writes the page. */
struct error *html_write(const struct html_report *report, const struct input *input);

#endif
