/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program of tests/workloads, compiled into a folder of its own, with a place for its recording.
 */
#pragma once

#include <stdbool.h>

#include "tests/support/process.h"

struct workload {
	char *folder;
	char *program; /* folder/NAME */
	char *data;    /* folder/perf.data */
};

/*
 * Compiles the source; `compiler` includes the flags. Without such a compiler, the program is the
 * one that is kept (kept.h), which cannot be run. Returns NULL, with the compiler's messages
 * printed, if it does not compile. workload_destroy() frees the workload.
 */
struct workload *workload_build(const char *compiler, const char *source);
/* Writes workload->data with a sample of each memory access of these functions (NULL-terminated).
 * Returns false, with the reason printed, on an error. */
bool workload_access(const struct workload *workload, const char *const *functions);
/* Compiles the source and writes such samples. Returns NULL, with the reason printed, if either
 * fails. */
struct workload *workload_build_accessed(const char *compiler, const char *source,
					 const char *const *functions);
/* Runs a shell command. Fails the running test with the command's errors if its status is not 0. */
void shell_must(struct process_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* NULL is allowed. */
void workload_destroy(struct workload *workload);
