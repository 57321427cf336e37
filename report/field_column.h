/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of annotated types: what can be told of a field's accesses. */
#ifndef DTPROF_REPORT_FIELD_COLUMN_H
#define DTPROF_REPORT_FIELD_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

#include "annotate/access_count.h"
#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"

struct field_column {
	const char *name; /* for --columns and machines */
	const char *header;
	const char *summary;   /* for --help; one line */
	unsigned int needs;    /* set of enum result_need */
	unsigned int width;    /* of one event's number, with a blank before it */
	unsigned int decimals; /* of the number */
	bool percentage;       /* which is coloured by its size */
	/* Of a field, in a type with `total`; false: it cannot be told (no sample says it). */
	bool (*value)(const struct access_count *count, const struct access_count *total, double *value);
};

/* All columns, NULL-terminated, in the order of --help. */
extern const struct field_column *const all_field_columns[];
extern const struct field_column field_percent, field_samples, field_period;

#define FIELD_COLUMNS 32

struct field_columns {
	const struct field_column *items[FIELD_COLUMNS];
	size_t count;
};

/* "percent,l1,ram"; "+ram" adds to those that are there. An unknown name's error has the nearest one. */
struct error *field_columns_parse(const char *text, struct field_columns *columns);
/* Set of enum result_need. */
unsigned int field_columns_needs(const struct field_columns *columns);

/* All columns of all events, one column's events side by side; `counts` and `total` have one for each event.
 */
void field_columns_print(const struct field_columns *columns, const struct access_count *counts,
			 const struct access_count *total, size_t event_count, bool colour,
			 struct strbuf *buffer);
void field_columns_print_headings(const struct field_columns *columns, size_t event_count,
				  struct strbuf *buffer);
size_t field_columns_width(const struct field_columns *columns, size_t event_count);

#endif
