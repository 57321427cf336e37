/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages for browsers (--html): one HTML file with the JSON documents of commands, which its script
 * draws (report/html/).
 *
 * The page's JSON has the documents as members, unchanged, so a page shows their figures to the
 * digit:
 *
 *   { "format": "dtprof-html", "version": 2, "command": "report",
 *     "recording": [["captured on", "..."], ...],
 *     "report": {...}, "annotate": {...}, "layout": {...}, "c2c": {...}, "diff": {...},
 *     "store": {...},
 *     "code_left_out": { "functions": 12, "samples": 345 } }
 *
 * A page has those of its command. That of report has all but diff and store.
 */
#pragma once

#include "profiler/cli/input.h"
#include "profiler/resolve/layout_facts.h"
#include "report/filter.h"
#include "report/json.h"

/* ---- any page ---- */

struct html_document {
	const char *path;
	struct html_page *page;
	struct json json; /* its outermost object is open: add members */
};

/* Begins a page in the file `path`. `input` may be NULL; otherwise lines of its header are in the
 * page, and the page does not replace it. The caller ends it with html_close(). */
struct error *html_open(struct html_document *document, const char *path, const char *command,
			const struct input *input);
/* Ends the page. After an error, which may be one of the caller, there is no page. Returns the
 * first error; otherwise says where the page is unless `quiet`. */
struct error *html_close(struct html_document *document, struct error *error, bool quiet);

/* ---- types and code ---- */

/* The types and functions of a page. */
struct html_annotations {
	const char *type;                /* NULL: all with samples */
	const struct name_list *symbols; /* functions; empty: all with samples */
	const struct input_options *input;
	const struct filter *filter;
	const struct grouping *grouping;
	const struct sample_choice *choice; /* NULL: all samples */
	bool no_demangle;
	bool parts; /* as in struct annotate_types_options; the page's tables are those of report */
	/* do not find which threads share cachelines, for which samples are kept apart */
	bool no_sharing;
};

/* Returns what the input must be resolved for: a set of enum result_need. */
uint64_t html_annotations_needs(const struct html_annotations *annotations);
/* Adds "annotate" and "code_left_out". Code comes from the input as it is resolved. Types need data
 * addresses, so samples are charged, counted and resolved again for them, and `input` stays so.
 * With no_sharing, types are counted without addresses. */
struct error *html_add_annotations(const struct html_annotations *annotations, struct input *input,
				   struct json *json);

/* ---- documents that other commands make: layout.c, c2c.c ---- */

struct layout_request {
	const struct input_options *input;
	const struct sample_choice *choice; /* NULL: all samples */
	const char *type;                   /* as --type takes it; NULL: those with most samples */
	unsigned int top;                   /* types at most */
	uint64_t cacheline;                 /* 0: that of the recording */
	bool tells_trouble;                 /* as in struct input_needs */
};

/*
 * Counts and resolves the samples of an open input, which must not be resolved yet, and sets
 * *advice to the advice on its types, or on none. The caller frees it with layout_facts_destroy().
 */
struct error *layout_read(const struct layout_request *request, struct input *input,
			  struct advice **advice);
/* Adds the document of `dtprof layout --json` as a member, or without a name. */
void layout_add_json(const struct advice *advice, struct json *json, const char *name);

/*
 * Counts and resolves the samples of an open input, and adds the document of
 * `dtprof c2c report --json` as the member "c2c". After an error there is none.
 */
struct error *c2c_add_json(const struct input_options *options, struct input *input,
			   struct json *json);

/* ---- the page of report ---- */

/* The keys that the page's table has. The page groups and filters by them. */
#define HTML_SORT   "type,typeoff,acc,sym,dso,pid"
#define HTML_FIELDS "+weight1"

struct html_report {
	const char *path;
	const struct input_options *input;
	const struct filter *filter;
	const struct grouping *grouping;
	const struct sample_choice *choice;
	bool no_demangle;
	bool chooses; /* the table has only a part of the samples: neither layouts nor sharing */
	/* Adds the document of `report --json` as the member "report". */
	void (*add_report)(void *data, struct json *json);
	void *data;
};

/* Writes the page. The input is resolved for the table. For each other document samples are counted
 * and resolved again as its command does it, because the fields that samples are counted by affect
 * how they are charged; `input` stays as the last one left it. */
struct error *html_write(const struct html_report *report, struct input *input);
