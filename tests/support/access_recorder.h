/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A perf.data file as if a program had been recorded, and each of its memory instructions had been
 * hit: no right to record, no PMU and no luck needed, and nothing is left out.
 */
#ifndef DTPROF_TESTS_ACCESS_RECORDER_H
#define DTPROF_TESTS_ACCESS_RECORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "profiler/base/error.h"

struct access_request {
	const char *object; /* an executable or shared object with a symbol table */
	const char *output; /* the perf.data file */
	/* only these functions, cold parts included; NULL-terminated. NULL: all */
	const char *const *functions;
	unsigned int repeat; /* samples an instruction, at least 1 */
	bool shuffle;        /* in a random, but always the same order */
};

/* *samples is how many were written. An object without any is an error. */
struct error *access_recorder_write(const struct access_request *request, size_t *samples)
	__attribute__((warn_unused_result));

#endif
