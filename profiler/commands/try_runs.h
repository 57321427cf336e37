/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two copies of a source tree, of which the second is changed by a patch: both are built, and then
 * run in turn until it is clear which is faster. Nothing outside of the copies is written, unless
 * the commands do so.
 *
 * Times are in seconds.
 */
#ifndef DTPROF_COMMANDS_TRY_RUNS_H
#define DTPROF_COMMANDS_TRY_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum try_copy { TRY_BEFORE, TRY_AFTER, TRY_COPIES };

/* By the clock, and as processors spent it on the command and on what it started, in its own code
 * and in the kernel. Other programs on the machine disturb the second less. */
enum try_clock { TRY_WALL, TRY_CPU, TRY_CLOCKS };

/* The words that messages and folders use: "before", "after". */
extern const char *const try_copy_names[TRY_COPIES];

/* The most pairs of runs. */
#define TRY_PAIRS_MAX 200

struct try_trees {
	char *root; /* a folder with one folder for each copy */
	bool keep;  /* try_trees_remove() leaves it */
};

struct try_times {
	double of[TRY_CLOCKS][TRY_COPIES][TRY_PAIRS_MAX];
	size_t pairs;
};

/* The factor by which the second copy is faster: the median, and its range of above 97 %. */
struct try_ratio {
	double middle, low, high;
	bool known; /* there are enough pairs for a range */
};

/* From now on signals end the running command, with all that it started, in an error. */
void try_catch_signals(void);

/* Copies `source`, with modes, times and links, twice. */
struct error *try_trees_make(const char *source, struct try_trees *trees);
/* Removes the copies. */
void try_trees_remove(struct try_trees *trees);

/* Applies the patch in a folder of the second copy ("" is the copy itself). */
struct error *try_trees_patch(const struct try_trees *trees, const char *folder, const char *patch,
			      size_t length);
/* Runs a command in both copies. An error has its last line, and the copies are kept. */
struct error *try_trees_build(struct try_trees *trees, char *const *command);
/*
 * Runs a command in both copies in turn, after one run of each that does not count, until it is
 * clear which is faster by the clock, or that both are the same within 1 %, or for `most` pairs.
 * *differs: the copies print different things, though each prints the same again.
 */
struct error *try_trees_run(struct try_trees *trees, char *const *command, size_t most,
			    struct try_times *times, bool *differs);

struct try_ratio try_ratio_of(const struct try_times *times, enum try_clock clock);
double try_median(const struct try_times *times, enum try_clock clock, enum try_copy copy);

#endif
