// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements diff.h: matching, figures and their certainty. diff_print.c prints.
 *
 * Certainty. A share p of n samples has the variance p(1 - p)/n, a number of samples s the variance
 * s (samples are taken independently of each other). The difference of two figures has the sum of
 * their variances. One sample is added to each figure, because otherwise a row without samples in
 * one file would have no variance there, and any difference would seem certain.
 */
#include "report/diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct diff *diff_create(size_t file_count, size_t key_count)
{
	struct diff *diff = xcalloc(1, sizeof(*diff));

	diff->file_count = file_count < DIFF_FILES_MAX ? file_count : DIFF_FILES_MAX;
	diff->key_count = key_count;
	return diff;
}

void diff_destroy(struct diff *diff)
{
	if (!diff)
		return;
	free(diff->rows);
	free(diff->next);
	hash_map_deinit(&diff->by_cells);
	string_pool_deinit(&diff->strings);
	arena_deinit(&diff->arena);
	free(diff);
}

/* Cells are interned, so equal texts are equal pointers. */
static bool same_cells(const struct diff *diff, const struct diff_row *row,
		       const char *const *cells)
{
	for (size_t i = 0; i < diff->key_count; i++)
		if (row->cells[i] != cells[i])
			return false;
	return true;
}

static struct diff_row *find_or_create(struct diff *diff, const char *const *cells)
{
	const char **interned =
		arena_alloc(&diff->arena, (diff->key_count + 1) * sizeof(*interned));
	uint64_t hash = 0;
	uint32_t *first, before;
	bool created;

	for (size_t i = 0; i < diff->key_count; i++) {
		interned[i] = string_pool_intern(&diff->strings, cells[i]);
		hash = hash_combine(hash, (uintptr_t)interned[i]);
	}
	first = hash_map_insert(&diff->by_cells, hash, &created);
	before = created ? 0 : *first;
	for (uint32_t at = before; at; at = diff->next[at - 1])
		if (same_cells(diff, &diff->rows[at - 1], interned))
			return &diff->rows[at - 1];
	array_reserve(diff->next, diff->row_count, diff->next_capacity);
	array_reserve(diff->rows, diff->row_count, diff->row_capacity);
	diff->next[diff->row_count] = before;

	struct diff_row *row = &diff->rows[diff->row_count++];

	*first = (uint32_t)diff->row_count;
	row->cells = interned;
	row->figures = arena_alloc(&diff->arena, diff->file_count * sizeof(*row->figures));
	for (size_t i = 0; i < diff->file_count; i++)
		row->figures[i].offset = DIFF_NO_OFFSET;
	return row;
}

void diff_add_total(struct diff *diff, size_t file, uint64_t samples, uint64_t period)
{
	diff->totals[file].samples += samples;
	diff->totals[file].period += period;
}

void diff_add(struct diff *diff, size_t file, const char *const *cells, int64_t offset,
	      uint64_t samples, uint64_t period)
{
	struct diff_figure *figure = &find_or_create(diff, cells)->figures[file];

	figure->samples += samples;
	figure->period += period;
	if (figure->offset == DIFF_NO_OFFSET || offset < figure->offset)
		figure->offset = offset;
	diff_add_total(diff, file, samples, period);
}

double diff_value(const struct diff *diff, const struct diff_options *options,
		  const struct diff_row *row, size_t file)
{
	const struct diff_figure *figure = &row->figures[file];

	switch (options->unit) {
	case DIFF_SAMPLES: return (double)figure->samples / options->per[file];
	case DIFF_PERIOD: return (double)figure->period / options->per[file];
	default:
		return diff->totals[file].period
			       ? 100.0 * (double)figure->period / (double)diff->totals[file].period
			       : 0;
	}
}

/* The variance of a share of no samples: so large that no difference is told from noise. */
#define VARIANCE_UNKNOWN 1e9

/* Returns the variance of a row's figure in the unit of diff_value(): a share is in percent. */
static double variance(const struct diff *diff, const struct diff_options *options,
		       const struct diff_row *row, size_t file)
{
	double samples = (double)row->figures[file].samples,
	       total = (double)diff->totals[file].samples, share, unit;

	if (options->unit == DIFF_SHARE) {
		if (total < 1)
			return VARIANCE_UNKNOWN;
		share = (samples + 1) / (total + 2);
		return 100.0 * 100.0 * share * (1 - share) / total;
	}
	/* the value of one sample */
	unit = options->unit == DIFF_PERIOD && diff->totals[file].samples
		       ? (double)diff->totals[file].period / total
		       : 1;
	unit /= options->per[file];
	return (samples + 1) * unit * unit;
}

double diff_deviations(const struct diff *diff, const struct diff_options *options,
		       const struct diff_row *row, size_t file)
{
	double difference =
		diff_value(diff, options, row, file) - diff_value(diff, options, row, 0);

	return fabs(difference) /
	       sqrt(variance(diff, options, row, 0) + variance(diff, options, row, file));
}

const char *diff_mark(const struct diff_row *row, size_t file)
{
	const struct diff_figure *old = &row->figures[0], *new = &row->figures[file];

	if (!old->samples && new->samples)
		return "new";
	if (old->samples && !new->samples)
		return "gone";
	if (old->samples && old->offset != new->offset)
		return "moved";
	return "";
}

/* ---- order ---- */

struct sorting {
	const struct diff *diff;
	const struct diff_options *options;
};

static double sort_value(const struct sorting *sorting, const struct diff_row *row)
{
	size_t file = sorting->options->order;
	double old = diff_value(sorting->diff, sorting->options, row, 0),
	       new = diff_value(sorting->diff, sorting->options, row, file);

	switch (sorting->options->compute) {
	case DIFF_DELTA: return new - old;
	case DIFF_RATIO: return old > 0 ? new / old : new > 0 ? 1e300 : 0;
	case DIFF_WDIFF:
		return (double)row->figures[file].period * (double)sorting->options->weights[1] -
		       (double)row->figures[0].period * (double)sorting->options->weights[0];
	default: return fabs(new - old);
	}
}

static int compare_rows(const void *left, const void *right, void *data)
{
	const struct sorting *sorting = data;
	const struct diff_row *a = left, *b = right;
	double difference = sort_value(sorting, a) - sort_value(sorting, b);

	if (difference != 0)
		return difference < 0 ? 1 : -1;
	for (size_t i = 0; i < sorting->diff->key_count; i++) {
		int order = strcmp(a->cells[i], b->cells[i]);

		if (order)
			return order;
	}
	return 0;
}

static bool is_shown(const struct diff *diff, const struct diff_options *options,
		     const struct diff_row *row)
{
	double most = 0;
	bool sure = false;

	if (options->baseline_only && !row->figures[0].samples)
		return false;
	for (size_t i = 0; i < diff->file_count; i++) {
		double share = diff->totals[i].period ? 100.0 * (double)row->figures[i].period /
								(double)diff->totals[i].period
						      : 0;

		most = share > most ? share : most;
		sure |= i && diff_deviations(diff, options, row, i) >= DIFF_SURE;
	}
	return most >= options->percent_limit && (sure || !options->sure_only);
}

void diff_finish(struct diff *diff, const struct diff_options *options)
{
	struct sorting sorting = { diff, options };
	size_t kept = 0;

	for (size_t i = 0; i < diff->row_count; i++)
		if (is_shown(diff, options, &diff->rows[i]))
			diff->rows[kept++] = diff->rows[i];
	diff->row_count = kept;
	if (kept)
		qsort_r(diff->rows, kept, sizeof(*diff->rows), compare_rows, &sorting);
}
