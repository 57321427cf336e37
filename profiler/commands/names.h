/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that a user chose samples by (-c, -d, -S, --types), compared with those that the samples
 * have. A name that no sample has is an error that lists what there is; a type that is spelt a
 * little differently is taken.
 */
#ifndef DTPROF_COMMANDS_NAMES_H
#define DTPROF_COMMANDS_NAMES_H

#include "profiler/base/error.h"
#include "profiler/commands/input.h"
#include "report/filter.h"

/*
 * OPTION_CALLs of lists that are separated by commas. They replace `value`, a struct word_list, by
 * the words, or by the numbers of processes or threads.
 */
struct error *parse_words_option(void *value, const char *argument);
struct error *parse_pids_option(void *value, const char *argument);
struct error *parse_tids_option(void *value, const char *argument);

enum chosen_by { NAME_COMM, NAME_DSO, NAME_SYMBOL, NAME_TYPE };

/*
 * Returns an error if no sample has a name that `word` means. For NAME_TYPE, *instead is set to the
 * only type whose name is the same without scope, case and underscores, if there is one; the caller
 * frees it. `option` is for the message. Call after input_resolve() with the needs of a filter by
 * such names.
 */
struct error *name_check(enum chosen_by kind, const char *option, const char *word,
			 const struct input *input, char **instead);

/* Checks all words of a filter. Words that mean a type of another spelling are replaced, with a
 * warning. */
struct error *names_check(struct filter *filter, const struct input *input);

/* Returns an error if there are samples in the file and none in the chosen times. */
struct error *times_check(const struct sample_choice *choice, const char *time,
			  const struct input *input);

#endif
