/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call graph below a row, as text in the form of perf report --stdio. */
#ifndef DTPROF_REPORT_PRINT_CALLGRAPH_H
#define DTPROF_REPORT_PRINT_CALLGRAPH_H

#include <stdbool.h>

#include "profiler/base/strbuf.h"
#include "report/callgraph.h"

struct callgraph_print {
	uint64_t total;     /* of the event: what percentages are of */
	uint64_t row_total; /* of the row and, with children, of what it called */
	const struct result_place
		*skip; /* a first frame in its function is left out: it stands above. NULL: none is */
	bool colour;
	unsigned int max_name; /* as in struct print_options */
	const char *separator; /* of the frames of a folded chain; NULL: ";" */
};

/* `head`: the row's last entry of `graph`. Nothing where no chain is above the threshold. */
void print_callgraph(const struct callgraph *graph, uint32_t head, const struct callgraph_print *print,
		     struct strbuf *buffer);

#endif
