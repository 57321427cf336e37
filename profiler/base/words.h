/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words that a user has typed: which known word an unknown one may stand for, and sets of numbers. */
#ifndef DTPROF_BASE_WORDS_H
#define DTPROF_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"

/*
 * Keep the best of the candidates seen so far. Zero-initialized but for `word` is ready; `best` is NULL as
 * long as none was near enough to be worth a suggestion. Of equally near ones the first stays.
 */
struct nearest {
	const char *word;
	const char *best;
	unsigned int distance;
};

void nearest_consider(struct nearest *nearest, const char *candidate);

/* ---- sets of numbers: "0-3,8" ---- */

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
