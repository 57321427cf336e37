/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program of tests/workloads, compiled into a folder of its own, with a place for its recording.
 */
#ifndef DTPROF_TESTS_WORKLOAD_H
#define DTPROF_TESTS_WORKLOAD_H

#include <stdbool.h>

#include "tests/support/process.h"

struct workload {
	char *folder;
	char *program; /* folder/NAME; not there if it was not built */
	char *data;    /* folder/perf.data */
};

/*
 * COMPILER -o PROGRAM SOURCE, `compiler` with its flags. NULL, with the compiler's words printed:
 * it does not compile. To be freed by workload_destroy().
 */
struct workload *workload_build(const char *compiler, const char *source);
/* A sample for each memory access of these functions (NULL-terminated), into workload->data; false:
 * printed why not. */
bool workload_access(const struct workload *workload, const char *const *functions);
/* Builds the program and records it so; NULL if either failed, with the reason printed. */
struct workload *workload_build_accessed(const char *compiler, const char *source,
					 const char *const *functions);
/* That of a group of tests; where its set-up left none, because something is missing here, the test
 * is skipped. */
struct workload *workload_or_skip(void **state);
/* A shell command that must be done with status 0, or the running test fails with what it said. */
void shell_must(struct process_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* NULL is allowed. */
void workload_destroy(struct workload *workload);

#endif
