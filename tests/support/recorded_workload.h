/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A workload that `dtprof record` has recorded once for a group of tests. */
#ifndef DTPROF_TESTS_RECORDED_WORKLOAD_H
#define DTPROF_TESTS_RECORDED_WORKLOAD_H

#include "tests/support/report_rows.h"
#include "tests/support/workload.h"

/* The set-up of a cmocka group. *state becomes the workload, or NULL if this user may not record
 * (workload_or_skip()). */
int recorded_workload_set_up(void **state, const char *source, const char *record_options,
			     const char *arguments);
int recorded_workload_tear_down(void **state);

/* Sets *rows to the rows of `dtprof report` with these options. */
void recorded_report(const char *data, struct report_rows *rows, const char *options);

#endif
