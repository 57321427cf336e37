/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dtprof record, run in a scratch folder as people run it. */
#ifndef DTPROF_TESTS_RECORDING_H
#define DTPROF_TESTS_RECORDING_H

#include <stdbool.h>

#include "tests/support/perf_data_file.h"
#include "tests/support/process.h"

/* Half a second of work for a shell; $STATUS is its exit status. */
#define BUSY "sh -c 'i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; exit '${STATUS:-0}"

/* Run a shell command in the scratch folder, where $D is dtprof; earlier recordings there are
 * removed. */
void record_run_shell(struct process_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A file of the scratch folder; fails the test if it cannot be read. */
struct perf_data_file record_open_result(const char *name);
/* The program's messages hold these words. */
void record_check_said(const struct process_result *result, const char *words);
/* The number in "(N samples) ]". */
size_t record_samples_said(const struct process_result *result);
/* Skips the test, saying so, where performance events are not permitted. */
void record_need_permission(void);
bool record_permitted(void);
const char *record_folder(void);

/* For cmocka's group. */
int record_set_up(void **state);
int record_tear_down(void **state);

#endif
