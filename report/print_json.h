/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables for programs: JSON, as Documentation/json.md and report.schema.json say, and comma-separated values.
 */
#ifndef DTPROF_REPORT_PRINT_JSON_H
#define DTPROF_REPORT_PRINT_JSON_H

#include "report/coverage.h"
#include "report/json.h"
#include "report/print.h"
#include "report/table.h"

struct machine_table {
	const char *const *events; /* names, table->event_count of them */
	const char *group;         /* the table's name: the event's, or the group's */
	const struct coverage *coverage;
	bool has_types; /* they were asked for, so that the coverage is of them, too */
};

/* An element of the array that is open. `table` is sorted. */
void print_table_json(const struct table *table, const struct machine_table *machine,
		      const struct print_options *options, struct json *json);
/*
 * A line with the names of the columns, if `heading`, then one for each row and chain (RFC 4180, but lines
 * end with a newline alone). Written to `buffer`, which `flush` empties as it grows.
 */
void print_table_csv(const struct table *table, const struct machine_table *machine,
		     const struct print_options *options, bool heading, struct strbuf *buffer,
		     void (*flush)(struct strbuf *buffer));

#endif
