/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs dtprof record in a scratch folder, or once on a workload for a group of tests. */
#pragma once

#include <stdbool.h>

#include "tests/support/perf_data_file.h"
#include "tests/support/process.h"
#include "tests/support/report_rows.h"
#include "tests/support/workload.h"

/* A shell command that works for half a second; $STATUS is its exit status. */
#define BUSY "sh -c 'i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; exit '${STATUS:-0}"

/*
 * Removes earlier recordings from the scratch folder, and runs a shell command in it. $D is dtprof.
 */
void record_run_shell(struct process_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Opens a file of the scratch folder; fails the running test if it cannot be read. */
struct perf_data_file record_open_result(const char *name);
/* Asserts that the program's messages contain these words. */
void record_check_said(const struct process_result *result, const char *words);
/* Returns the number in "(N samples) ]". */
size_t record_samples_said(const struct process_result *result);
/* Skips the running test with a message if performance events are not permitted. */
void record_need_permission(void);
bool record_permitted(void);
const char *record_folder(void);

/* For cmocka's group. */
int record_set_up(void **state);
int record_tear_down(void **state);

/* ---- a workload that is recorded once for a group of tests ---- */

/* The set-up of a cmocka group. *state becomes the workload, or NULL if this user may not
 * record. */
int recorded_workload_set_up(void **state, const char *source, const char *record_options,
			     const char *arguments);
int recorded_workload_tear_down(void **state);
/* Returns the group's workload. Skips the running test if this user may not record. */
struct workload *recorded_workload(void **state);

/* Sets *rows to the rows of `dtprof report` with these options. */
void recorded_report(const char *data, struct report_rows *rows, const char *options);
