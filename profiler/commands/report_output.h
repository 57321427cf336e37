/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What dtprof report writes to standard output. Private to report*.c. */
#ifndef DTPROF_COMMANDS_REPORT_OUTPUT_H
#define DTPROF_COMMANDS_REPORT_OUTPUT_H

#include "profiler/commands/report_tables.h"

/* The tables, which are sorted. */
void report_print_text(struct report *report, const struct input *input);
void report_print_json(struct report *report, const struct input *input);
void report_print_csv(struct report *report, const struct input *input);

/* --header-only */
void report_print_header(const struct input *input);
/* --stats, --tasks, --mmaps */
struct error *report_print_records(struct input *input);

#endif
