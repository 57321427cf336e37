/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that a user chose samples by (-c, -d, -S, --types), compared with those that the samples
 * have. A name that no sample has is an error that lists what there is; a type that is spelt a
 * little differently is accepted.
 */
#pragma once

#include "base/error.h"
#include "profiler/cli/input.h"
#include "report/filter.h"

/* OPTION_CALLs of lists that are separated by commas. They replace `value`, a struct name_list, by
 * the words, or by the numbers of processes or threads. */
struct error *parse_words_option(void *value, const char *argument);
struct error *parse_pids_option(void *value, const char *argument);
struct error *parse_tids_option(void *value, const char *argument);

/* The rows of an option table that choose samples by the names in `filter`, a struct filter. */
// clang-format off
#define NAME_OPTION_SPECS(filter) \
	{ OPTION_CALL, 'c', "comms", &(filter).comms, "LIST", "of these commands", parse_words_option }, \
	{ OPTION_CALL, 'd', "dsos", &(filter).dsos, "LIST", "in these programs and libraries", parse_words_option }, \
	{ OPTION_CALL, 'S', "symbols", &(filter).symbols, "LIST", "in these functions", parse_words_option }, \
	{ OPTION_CALL, 0, "types", &(filter).types, "LIST", "of accesses to these types; * and ? are wildcards", \
	  parse_words_option }
// clang-format on

enum chosen_by { NAME_COMM, NAME_DSO, NAME_SYMBOL, NAME_TYPE };

/* Returns an error if no sample has a name that `word` means. For NAME_TYPE, *instead is set to the
 * only type whose name is the same without scope, case and underscores, if there is one; the caller
 * frees it. `option` is for the message. Call after input_resolve() with the needs of a filter by
 * such names. */
struct error *name_check(enum chosen_by kind, const char *option, const char *word,
			 const struct input *input, char **instead);

/* Returns the error that no sample has `word`, with names like it. */
struct error *name_unknown(enum chosen_by kind, const char *word, const struct input *input);

/* Checks all words of a filter. A misspelt type is replaced by its name, with a warning. */
struct error *names_check(struct filter *filter, const struct input *input);

/* Returns an error if there are samples in the file and none in the chosen times. */
struct error *times_check(const struct sample_choice *choice, const struct input *input);
