/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which keys a report sorts by and which columns it shows, from -s, -F, -n and the like, by perf's rules:
 *
 *   -s alone   rows are sorted by overhead (unless -s itself names it) and then by the keys, and shown as
 * overhead, -n's and --show-total-period's columns, and the keys -F alone   sorted and shown in that order
 *   both       sorted by -s, then by what -F adds; shown as -F says, then what -s adds
 *   -s +KEYS   the default keys and these
 *   -F +KEYS   these columns, too, before those of the keys
 *
 * With --hierarchy each key of -s, then of -F, or {group,of,keys}, is one level.
 */
#ifndef DTPROF_REPORT_LAYOUT_H
#define DTPROF_REPORT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "profiler/base/error.h"
#include "report/key/key.h"

#define LAYOUT_KEYS 128

struct key_list {
	const struct key *keys[LAYOUT_KEYS];
	unsigned int widths[LAYOUT_KEYS]; /* -w; 0: as wide as needed */
	size_t count;
};

struct layout {
	struct key_list order;               /* rows are sorted by these, the first first */
	struct key_list columns;             /* shown, from the left */
	struct key_list levels[LAYOUT_KEYS]; /* --hierarchy: the keys of each level */
	size_t level_count;                  /* 0: a flat table */
	const struct key
		*callgraph_root; /* the key of -s that the frames of a graph may repeat; NULL: none */
	bool children;           /* callers have rows: what is overhead without them is called Self */
};

struct layout_options {
	const char *sort;    /* NULL: default_sort unless there are fields */
	const char *fields;  /* NULL: as -s */
	const char *sort_by; /* rows are in the order of these keys first; NULL: as -s and -F say */
	const char *widths;  /* "8,12,160", or NULL */
	const char *default_sort;
	const struct key *const *more_keys; /* as in key_find() */
	bool show_samples;
	bool show_period;
	bool show_levels;   /* the kernel's and user space's share */
	bool children;      /* callers have rows */
	bool latency;       /* shares of the time on the clock are shown beside those of processor time, */
	bool latency_first; /* and decide */
	bool hierarchy;
};

struct error *layout_parse(const struct layout_options *options, struct layout *layout);

/* What the keys need of each result: a set of enum result_need. */
unsigned int layout_needs(const struct layout *layout);
bool layout_has(const struct layout *layout, const struct key *key);
/* Whether a figure of struct more_figures is shown. */
bool layout_wants_more(const struct layout *layout);
/* A column's heading. */
const char *layout_header(const struct layout *layout, const struct key *key);
/* Take out what layout_options.latency has brought in. */
void layout_remove_latency(struct layout *layout);
/* Take a column out, and its key out of what rows are told apart by. */
void layout_remove(struct layout *layout, const struct key *key);

#endif
