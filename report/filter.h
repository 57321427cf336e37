/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which results a table shows: --comms, --dsos, --symbols, --pid, --tid, --types ... */
#ifndef DTPROF_REPORT_FILTER_H
#define DTPROF_REPORT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"
#include "profiler/base/words.h"
#include "report/layout.h"
#include "report/result.h"

/* Words with commas between; no words: everything passes. */
struct word_list {
	char **words;
	size_t count;
};

struct filter {
	struct word_list comms;
	struct word_list dsos; /* short names or paths */
	struct word_list symbols;
	struct word_list pids; /* numbers */
	struct word_list tids;
	struct word_list types;  /* patterns, with or without "struct "; nested names by their end, too */
	const char *symbol_part; /* NULL: any */
	bool resolved;           /* only what has a symbol */
	bool has_parent;         /* only what has one */
	bool has_parallelism;
	struct number_set parallelism; /* --parallelism: how many threads may have run */
	bool has_socket;
	unsigned int socket; /* of the processor */
	bool guests;         /* samples of virtual machines, too, which are left out as in perf */
};

/* Instead of the words that were there. */
void word_list_parse(struct word_list *list, const char *text);
void word_list_add(struct word_list *list, const char *word);
void word_list_release(struct word_list *list);
/* Every word must be a number; `option` is for the message. */
struct error *word_list_parse_numbers(struct word_list *list, const char *text, const char *option);
void filter_release(struct filter *filter);

/* A set of enum result_need. */
unsigned int filter_needs(const struct filter *filter);
bool filter_accepts(const struct filter *filter, const struct result *result);

/*
 * A key of which the filter leaves one value is not worth a column: say it in a line ("# dso: lua") and take
 * it out, unless no key would be left.
 */
void filter_elide(const struct filter *filter, struct layout *layout, struct strbuf *lines);

/* Whether a type's name is the one that somebody asked for. */

/*
 * `wanted` is a name as C, C++ and Rust write it, or a pattern as for the shell; with or without "struct" in
 * front, and of a qualified name any part up to its end: "list", "struct list", "app::list", "list<a::item>",
 * "list<*". A name without arguments means all instances of the template, and one without brackets arrays of
 * the type, too. Blanks do not matter, nor do the
 * spellings of integers ("unsigned long" is "long unsigned int").
 */
bool type_name_matches(const char *wanted, const char *name);

/* "struct list_head" without its first word. */
const char *type_name_without_keyword(const char *name);

#endif
