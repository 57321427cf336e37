/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of dtprof report: its keys, and the tables that samples are counted into. Private to report*.c. */
#ifndef DTPROF_COMMANDS_REPORT_TABLES_H
#define DTPROF_COMMANDS_REPORT_TABLES_H

#include "profiler/commands/report_options.h"
#include "profiler/commands/trace_keys.h"
#include "report/coverage.h"
#include "report/table.h"

struct report {
	struct layout layout;
	const char *sort; /* as the user wrote it */
	struct strbuf heading;
	struct sample_choice choice;
	regex_t parent, ignored; /* -p, --ignore-callees */
	bool is_usage;           /* the error is of the command line alone */
	struct error *bad_keys;  /* what is no key of all files, and may be one of this */
	struct trace_keys trace_keys;
	bool has_parent, has_ignored;
	bool has_chains;
	unsigned int needs;
	struct event_groups groups;
	struct layout *layouts;     /* one for each group, where keys are of some events alone; else NULL */
	struct table **tables;      /* one for each group */
	struct coverage *coverages; /* the same */
};

/* One for each group of events; after the samples were resolved. */
void report_make_tables(struct report *report, const struct input *input);
void report_fill_tables(struct report *report, const struct input *input);
void report_sort_tables(struct report *report);

/* Is the group's table shown? */
bool report_has_rows(const struct report *report, size_t group);

#endif
