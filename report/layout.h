/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * The layout of a table: the keys that rows are sorted by and the columns that are shown. It
 * follows from -s, -F, -n and other options by perf's rules:
 *
 *   -s alone   sort by overhead (unless -s names it) and then by the keys; show overhead, the columns of -n and
 *              --show-total-period, and the keys
 *   -F alone   sort by and show the keys in this order
 *   both       sort by the keys of -s, then by those that only -F has; show those of -F, then those that only
 *              -s has
 *   -s +KEYS   the default keys and these
 *   -F +KEYS   also show these columns, before the keys of -s
 *
 * With --hierarchy each key of -s, then of -F, is one level; so is each {group,of,keys}.
 */
/* clang-format on */
#ifndef DTPROF_REPORT_LAYOUT_H
#define DTPROF_REPORT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"
#include "report/key/key.h"

#define LAYOUT_KEYS_MAX 128

struct key_list {
	const struct key *keys[LAYOUT_KEYS_MAX];
	unsigned int widths[LAYOUT_KEYS_MAX]; /* from -w; 0: as wide as needed */
	size_t count;
};

struct layout {
	struct key_list order;                   /* rows are sorted by these, in this order */
	struct key_list columns;                 /* shown from left to right */
	struct key_list levels[LAYOUT_KEYS_MAX]; /* --hierarchy: the keys of each level */
	size_t level_count;                      /* 0: a flat table */
	bool children; /* callers have rows; the heading of overhead is then "Self" */
	/* The first key of -s, whose value a call graph need not repeat; NULL: none. */
	const struct key *callgraph_root;
};

struct layout_options {
	const char *sort;    /* -s; NULL: default_sort, or nothing if there are fields */
	const char *fields;  /* -F; NULL: only what -s says */
	const char *sort_by; /* sort by these keys before all others; NULL: only by -s and -F */
	const char *widths;  /* -w: "8,12,160", or NULL */
	const char *default_sort;
	const struct key *const *more_keys; /* as in key_find() */
	bool show_samples;
	bool show_period;
	bool show_levels; /* columns with the shares of the kernel and of user space */
	bool children;    /* callers have rows */
	bool latency; /* a column with the share of wall-clock time beside that of processor time */
	bool latency_first; /* sort by the share of wall-clock time first */
	bool hierarchy;
};

/* Sets *layout from the options. Returns an error that names the option if it cannot be
 * understood. The layout points to keys of options->more_keys, which must outlive it. */
struct error *layout_parse(const struct layout_options *options, struct layout *layout);

/* Returns what the keys need to know about each result: a set of enum result_need. */
uint64_t layout_needs(const struct layout *layout);
/* Returns whether the key is among the columns. */
bool layout_has(const struct layout *layout, const struct key *key);
/* Returns whether any key reads struct more_figures. */
bool layout_wants_more(const struct layout *layout);
/* Returns the heading of the key's column. */
const char *layout_header(const struct layout *layout, const struct key *key);
/* Removes the columns that layout_options.latency added. */
void layout_remove_latency(struct layout *layout);
/* Removes the key from the columns, the order and the levels, so that rows no longer differ by
 * it. */
void layout_remove(struct layout *layout, const struct key *key);

#endif
