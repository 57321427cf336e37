/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts on cachelines as text for a terminal of 80 columns, as JSON and as CSV. */
#ifndef DTPROF_REPORT_C2C_PRINT_SHARING_H
#define DTPROF_REPORT_C2C_PRINT_SHARING_H

#include "profiler/base/strbuf.h"
#include "report/c2c/c2c_table.h"
#include "report/c2c/sharing.h"
#include "report/json.h"

struct sharing_print_options {
	double percent_limit; /* lines below this share of all costs are only counted */
	bool all;             /* also lines with too few samples, and all rows of each line */
	bool quiet;           /* CSV without a line of column names */
	const char *cost;     /* what costs are, in a sentence: "the samples", "the latency" */
	/* Returns the name of a thread or process; NULL: not known. */
	const char *(*name)(void *data, int32_t tid);
	void *name_data;
	uint64_t all_samples; /* also those without a data address */
};

/* Appends a summary and the lines with a verdict, each with its rows, threads and advice. */
void print_sharing(const struct sharing *sharing, const struct sharing_print_options *options,
		   struct strbuf *buffer);
/* Appends a row for each pair of functions that contend. */
void print_sharing_functions(const struct sharing *sharing,
			     const struct sharing_print_options *options, struct strbuf *buffer);
/* Adds the members "lines" and "functions" to the open object. */
void print_sharing_json(const struct sharing *sharing, const struct sharing_print_options *options,
			struct json *json);
/* Appends one line of text for each row of each cacheline, below the names of the columns. */
void print_sharing_csv(const struct sharing *sharing, const struct sharing_print_options *options,
		       struct strbuf *buffer);

#endif
