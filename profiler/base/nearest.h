/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The word that somebody may have meant: for unknown sort keys, options and commands. */
#ifndef DTPROF_BASE_NEAREST_H
#define DTPROF_BASE_NEAREST_H

#include <stddef.h>

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

#endif
