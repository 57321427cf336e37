/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Differences between recordings: rows that are matched by the text of their keys, with perf diff's
 * columns, and whether the numbers of samples can tell the difference from noise.
 *
 * The first file is the baseline. Fields are matched by name, so a field that moved is one row,
 * with its offset in each file.
 *
 *   struct diff *diff = diff_create(2, key_count);
 *   diff_add(diff, 0, cells, offset, samples, period);      for each result of each file
 *   diff_finish(diff, &options);
 *   diff_print(diff, &options, buffer);
 */
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "report/json.h"

#define DIFF_FILES_MAX 16
#define DIFF_NO_OFFSET INT64_MIN

enum diff_unit {
	DIFF_SHARE,   /* percent of the file's samples, by period */
	DIFF_SAMPLES, /* number of samples */
	DIFF_PERIOD,  /* sum of the periods: nanoseconds of a timer */
};

struct diff_options {
	enum diff_unit unit;
	/* divides the figures of each file; 1 leaves them as they are */
	double per[DIFF_FILES_MAX];
	unsigned int order;   /* index of the file whose difference rows are sorted by, from 1 */
	bool baseline_only;   /* only rows that the baseline has */
	bool sure_only;       /* only rows whose difference is not within noise */
	double percent_limit; /* only rows with this share in some file */
	const char *const *headers; /* of the keys */
	const char *const *names;   /* of the keys, for JSON and CSV */
	const char *const *files;   /* paths */
	unsigned int width;         /* of the terminal that the table is for; 0: whole names */
	const char *ellipsis;       /* stands for what is cut out of a name */
};

struct diff_figure {
	uint64_t samples, period;
	int64_t offset; /* of a field in its type; DIFF_NO_OFFSET: none */
};

struct diff_row {
	const char *const *cells; /* one for each key */
	bool untyped; /* the samples have no type, so the row comes after those that do */
	struct diff_figure *figures; /* one for each file */
};

struct diff {
	size_t file_count, key_count;
	struct diff_row *rows;
	size_t row_count, row_capacity;
	struct diff_figure totals[DIFF_FILES_MAX];
	struct hash_index by_cells;
	struct string_pool strings;
	struct arena arena;
};

/* Returns an empty diff, which diff_destroy() frees. DIFF_FILES_MAX files are kept. */
struct diff *diff_create(size_t file_count, size_t key_count);
void diff_destroy(struct diff *diff);

/* Adds samples of one file. `cells` are copied; `offset` as in struct diff_figure. */
void diff_add(struct diff *diff, size_t file, const char *const *cells, int64_t offset,
	      uint64_t samples, uint64_t period);
/* The same for samples that have no type though their rows are of types. */
void diff_add_untyped(struct diff *diff, size_t file, const char *const *cells, uint64_t samples,
		      uint64_t period);
/* Adds samples to the total of a file, but to no row: a filter keeps them out. */
void diff_add_total(struct diff *diff, size_t file, uint64_t samples, uint64_t period);

/* Sorts the rows and removes those that the options leave out. */
void diff_finish(struct diff *diff, const struct diff_options *options);

double diff_value(const struct diff *diff, const struct diff_options *options,
		  const struct diff_row *row, size_t file);

#define DIFF_SURE 3.0 /* standard deviations: a difference of at least as many is not noise */

/* Returns by how many standard deviations a row's figure differs from the baseline. Only the
 * numbers of samples are considered, not how much runs of the program vary. */
double diff_deviations(const struct diff *diff, const struct diff_options *options,
		       const struct diff_row *row, size_t file);
/* Returns "new" or "gone" (only one has it), "moved" (different offsets), else "". */
const char *diff_mark(const struct diff_row *row, size_t file);

/* Appends the rows as a table of text, below a heading that names the files. */
void diff_print(const struct diff *diff, const struct diff_options *options, struct strbuf *buffer);
/* Adds the members "files" and "rows" to the open object; Documentation/json.md describes them. */
void diff_print_json(const struct diff *diff, const struct diff_options *options,
		     struct json *json);
/* Appends a line with the names of the columns, and one for each row. */
void diff_print_csv(const struct diff *diff, const struct diff_options *options,
		    struct strbuf *buffer);
