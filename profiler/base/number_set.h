/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of small numbers, as of processors, that somebody wrote as "0-3,8". */
#ifndef DTPROF_BASE_NUMBER_SET_H
#define DTPROF_BASE_NUMBER_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/error.h"

#define NUMBER_SET_LIMIT 4096 /* its numbers are below */

struct number_set {
	uint64_t words[NUMBER_SET_LIMIT / 64]; /* a bit each */
};

/* Into an empty set; numbers are from `least` on. `what` begins the message: "--cpu takes processors". */
struct error *number_set_parse(struct number_set *set, const char *text, unsigned long least,
			       const char *what);

static inline bool number_set_has(const struct number_set *set, int64_t number)
{
	return number >= 0 && number < NUMBER_SET_LIMIT && set->words[number / 64] >> (number % 64) & 1;
}

#endif
