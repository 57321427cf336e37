/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a perf.data file with a sample of each memory instruction of a program. It needs neither
 * the right to record nor a PMU, and leaves no instruction out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct access_request {
	const char *object;  /* an executable or shared object with a symbol table */
	const char *library; /* another shared object that the process maps; NULL: none */
	const char *output;  /* the perf.data file */
	/* only these functions, cold parts included; NULL-terminated. NULL: all */
	const char *const *functions;
	unsigned int repeat; /* samples of each instruction, at least 1 */
	unsigned int first;  /* only so many instructions of each function; 0: all */
	bool shuffle;        /* in a random order, which is the same in each run */
	/* the data addresses of the samples of one repetition; NULL: they have none */
	uint64_t (*address)(unsigned int repetition);
	/* the repetitions are in turn those of so many processes, of which each runs the object; 0
	 * is 1 */
	unsigned int processes;
	uint64_t data_map; /* bytes that are mapped from the page of each address on; 0: none */
	bool shared; /* they are of one memory, and the last 32 bits of an address the offset in it
		      */
};

/* Writes the file and sets *samples to the number of samples. Returns an error if the object has no
 * memory instructions. */
struct error *access_recorder_write(const struct access_request *request, size_t *samples)
	__attribute__((warn_unused_result));
