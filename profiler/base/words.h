/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsing of what users type: suggestions for misspelt words, and sets of numbers. */
#ifndef DTPROF_BASE_WORDS_H
#define DTPROF_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"

/*
 * Finds the known word that is closest to a misspelt `word`. Set `word`, zero the rest and call
 * nearest_consider() for each known word; `best` is then the suggestion, or NULL if no word is
 * close enough. Of equally close words the first wins.
 */
struct nearest {
	const char *word;
	const char *best;
	unsigned int distance;
};

/* Remembers `candidate` if it is closer than the words before it. It must outlive `nearest`. */
void nearest_consider(struct nearest *nearest, const char *candidate);

/* ---- sets of small numbers, such as processors: "0-3,8" ---- */

#define NUMBER_SET_SIZE 4096 /* all numbers are below this */

struct number_set {
	uint64_t words[NUMBER_SET_SIZE / 64]; /* one bit for each number */
};

/*
 * Adds the numbers in `text` to `set`, which must be empty. Returns an error if `text` is malformed
 * or a number is below `least` or too large; its message begins with `what`, such as "--cpu takes
 * processors".
 */
struct error *number_set_parse(struct number_set *set, const char *text, unsigned long least,
			       const char *what);

/* Returns whether the set has `number`, which may be any number. */
static inline bool number_set_has(const struct number_set *set, int64_t number)
{
	return number >= 0 && number < NUMBER_SET_SIZE &&
	       set->words[number / 64] >> (number % 64) & 1;
}

#endif
