/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters: which results a table shows, by --comms, --dsos, --symbols, --pid, --tid, --types and
 * other options; and how a user's name of a type is matched. */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "report/table.h"
#include "report/result.h"

/* Each list accepts everything if it is empty. */
struct filter {
	struct name_list comms;
	struct name_list dsos; /* short names or paths */
	struct name_list symbols;
	struct name_list pids; /* decimal numbers */
	struct name_list tids;
	struct name_list types;  /* patterns for type_name_matches() */
	const char *symbol_part; /* a part of the symbol's name; NULL: any */
	bool resolved;           /* only results with a symbol */
	/* accept samples of virtual machines, which are left out otherwise, as in perf */
	bool guests;
};

/* Replaces the list by the words of `text`, which commas separate. */
void word_list_parse(struct name_list *list, const char *text);
/* The same, but returns an error that names `option` if a word is not a number. */
struct error *word_list_parse_numbers(struct name_list *list, const char *text, const char *option);
/* Frees the lists of words. */
void filter_deinit(struct filter *filter);

/* Returns what the filter must know about each result: a set of enum result_need. */
uint64_t filter_needs(const struct filter *filter);
/* Returns whether the result passes every condition of the filter. */
bool filter_accepts(const struct filter *filter, const struct result *result);

/* Removes the columns that can have only one value because of the filter, and appends a line for
 * each to `text` ("# dso: lua"), or for a screen's one line of heading ", dso lua". Does nothing if
 * no key would be left. */
void filter_elide(const struct filter *filter, struct layout *layout, bool screen,
		  struct strbuf *text);
