/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One type with its figures as report/ prints it: its lines, their parts, and for layouts its cachelines. */
#ifndef DTPROF_COMMANDS_ANNOTATE_PAGE_H
#define DTPROF_COMMANDS_ANNOTATE_PAGE_H

#include "annotate/histogram_lines.h"
#include "profiler/base/memory.h"
#include "profiler/commands/annotate_types.h"

struct annotate_page {
	struct annotated_type type;
	/* what it points to */
	struct histogram_lines lines;
	struct arena texts;
};

/* `events` are the names of the histogram's events. To be released. */
void annotate_page_init(struct annotate_page *page, const struct annotate_types_options *options,
			const struct histogram *histogram, const char *const *events, uint32_t event_count);
void annotate_page_release(struct annotate_page *page);

#endif
