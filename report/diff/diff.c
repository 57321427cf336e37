// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements diff.h: matching, figures and their certainty, and printing.
 *
 * The certainty of a difference follows from variances. The variance of a share p of n samples is
 * p(1 - p)/n, and that of a number s of samples is s (samples are taken independently of each
 * other). The difference of two figures has the sum of their variances. One sample is added to each
 * figure, because otherwise a row without samples in one file would have no variance there, and any
 * difference would seem certain.
 */
#include "report/diff/diff.h"

#include <inttypes.h>
#include <math.h>

#include "report/text.h"

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
	hash_index_deinit(&diff->by_cells);
	string_pool_deinit(&diff->strings);
	arena_deinit(&diff->arena);
	free(diff);
}

static struct diff_row *diff_find_or_create(struct diff *diff, const char *const *cells)
{
	const char **interned =
		arena_alloc(&diff->arena, (diff->key_count + 1) * sizeof(*interned));
	uint64_t hash = 0;

	for (size_t i = 0; i < diff->key_count; i++) {
		interned[i] = string_pool_intern(&diff->strings, cells[i]);
		hash = hash_combine(hash, (uintptr_t)interned[i]);
	}
	hash_index_each (row, &diff->by_cells, hash)
		if (!any_of(i, 0, diff->key_count, diff->rows[row].cells[i] != interned[i]))
			return &diff->rows[row];
	hash_index_add(&diff->by_cells, hash, (uint32_t)diff->row_count);

	struct diff_row *row = &array_add(diff->rows, diff->row_count, diff->row_capacity);

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

static struct diff_row *add_to_row(struct diff *diff, size_t file, const char *const *cells,
				   int64_t offset, uint64_t samples, uint64_t period)
{
	struct diff_row *row = diff_find_or_create(diff, cells);
	struct diff_figure *figure = &row->figures[file];

	figure->samples += samples;
	figure->period += period;
	if (figure->offset == DIFF_NO_OFFSET || offset < figure->offset)
		figure->offset = offset;
	diff_add_total(diff, file, samples, period);
	return row;
}

void diff_add(struct diff *diff, size_t file, const char *const *cells, int64_t offset,
	      uint64_t samples, uint64_t period)
{
	add_to_row(diff, file, cells, offset, samples, period)->untyped = false;
}

void diff_add_untyped(struct diff *diff, size_t file, const char *const *cells, uint64_t samples,
		      uint64_t period)
{
	add_to_row(diff, file, cells, DIFF_NO_OFFSET, samples, period)->untyped = true;
}

double diff_value(const struct diff *diff, const struct diff_options *options,
		  const struct diff_row *row, size_t file)
{
	const struct diff_figure *figure = &row->figures[file];

	switch (options->unit) {
	case DIFF_SAMPLES: return (double)figure->samples / options->per[file];
	case DIFF_PERIOD: return (double)figure->period / options->per[file];
	default: return percent_of(figure->period, diff->totals[file].period);
	}
}

/* The variance of a share of no samples: so large that no difference counts as more than noise. */
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

	return fabs(new - old);
}

static int diff_compare_rows(const void *left, const void *right, void *data)
{
	const struct sorting *sorting = data;
	const struct diff_row *a = left, *b = right;
	double difference = sort_value(sorting, a) - sort_value(sorting, b);

	if (a->untyped != b->untyped)
		return a->untyped - b->untyped;
	if (difference != 0)
		return difference < 0 ? 1 : -1;
	for (size_t i = 0; i < sorting->diff->key_count; i++)
		BY_TEXT(cells[i])
	return 0;
}

static bool diff_is_shown(const struct diff *diff, const struct diff_options *options,
			  const struct diff_row *row)
{
	double most = 0;
	bool sure = false;

	if (options->baseline_only && !row->figures[0].samples)
		return false;
	for (size_t i = 0; i < diff->file_count; i++) {
		double share = percent_of(row->figures[i].period, diff->totals[i].period);

		most = share > most ? share : most;
		sure |= i && diff_deviations(diff, options, row, i) >= DIFF_SURE;
	}
	return most >= options->percent_limit && (sure || !options->sure_only);
}

void diff_finish(struct diff *diff, const struct diff_options *options)
{
	struct sorting sorting = { diff, options };

	array_keep(i, diff->rows, diff->row_count, diff_is_shown(diff, options, &diff->rows[i]));
	if (diff->row_count)
		qsort_r(diff->rows, diff->row_count, sizeof(*diff->rows), diff_compare_rows,
			&sorting);
}

/* ---- printing ---- */

#define FIGURE_WIDTH 10

static void add_offset(int64_t offset, struct strbuf *text)
{
	if (offset == DIFF_NO_OFFSET)
		strbuf_add_char(text, '-');
	else
		strbuf_add_format(text, "+%" PRId64, offset);
}

/* The forms of a verdict: "noise, moved +8 to +40", "noise, moved", "moved?". */
enum verdict_form { VERDICT_LONG, VERDICT_SHORT, VERDICT_WORD, VERDICT_FORMS };

/* Appends whether the difference is within noise, and whether the row moved, is new or is gone. */
static void add_verdict(const struct diff *diff, const struct diff_options *options,
			const struct diff_row *row, size_t file, enum verdict_form form,
			struct strbuf *text)
{
	const char *mark = diff_mark(row, file);
	bool sure = diff_deviations(diff, options, row, file) >= DIFF_SURE;

	if (form == VERDICT_WORD && *mark) {
		strbuf_add_format(text, "%s%s", mark, sure ? "" : "?");
		return;
	}
	strbuf_add_string(text, sure ? "yes" : "noise");
	if (!*mark)
		return;
	strbuf_add_format(text, ", %s", mark);
	if (form != VERDICT_LONG || strcmp(mark, "moved") != 0)
		return;
	strbuf_add_char(text, ' ');
	add_offset(row->figures[0].offset, text);
	strbuf_add_string(text, " to ");
	add_offset(row->figures[file].offset, text);
}

static void diff_add_value(const struct diff_options *options, double value, bool sign,
			   struct strbuf *buffer)
{
	if (options->unit == DIFF_SHARE)
		strbuf_add_format(buffer, sign ? "%+*.2f%%" : "%*.2f%%", FIGURE_WIDTH - 1, value);
	else if (value == (double)(int64_t)value && value < 1e12)
		strbuf_add_format(buffer, sign ? "%+*.0f" : "%*.0f", FIGURE_WIDTH, value);
	else
		strbuf_add_format(buffer, sign ? "%+*.4g" : "%*.4g", FIGURE_WIDTH, value);
}

#define KEY_WIDTH_MIN  12 /* columns that names keep on a narrow terminal, */
#define KEY_WIDTH_GOOD 24 /* and those that they get before verdicts get shorter */

struct diff_widths {
	enum verdict_form form;
	size_t verdicts[DIFF_FILES_MAX]; /* of each file */
	size_t keys[128];
};

/* Returns the columns of a row without its keys. */
static size_t used_width(const struct diff *diff, const struct diff_widths *widths)
{
	return FIGURE_WIDTH + sum_over(size_t, file, 1, diff->file_count,
				       4 + FIGURE_WIDTH + widths->verdicts[file]);
}

/* Makes the widest columns of keys narrower until a row fits the terminal. */
static void fit_keys(const struct diff *diff, const struct diff_options *options,
		     struct diff_widths *widths)
{
	size_t used = used_width(diff, widths);

	for (;;) {
		size_t sum = used, widest = 0;

		for (size_t k = 0; k < diff->key_count; k++) {
			sum += 2 + widths->keys[k];
			if (widths->keys[k] > widths->keys[widest])
				widest = k;
		}
		if (sum <= options->width || !diff->key_count ||
		    widths->keys[widest] <= KEY_WIDTH_MIN)
			return;
		widths->keys[widest]--;
	}
}

static void find_verdict_widths(const struct diff *diff, const struct diff_options *options,
				enum verdict_form form, struct diff_widths *widths)
{
	widths->form = form;
	for (size_t file = 0; file < DIFF_FILES_MAX; file++)
		widths->verdicts[file] = strlen("Sure");
	for (size_t i = 0; i < diff->row_count; i++)
		for (size_t file = 1; file < diff->file_count; file++) {
			size_t *width = &widths->verdicts[file];
			_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

			add_verdict(diff, options, &diff->rows[i], file, form, &text);
			*width = text.length > *width ? text.length : *width;
		}
}

static void find_widths(const struct diff *diff, const struct diff_options *options,
			struct diff_widths *widths)
{
	size_t keys = 0;

	*widths = (struct diff_widths){ 0 };
	for (size_t k = 0; k < diff->key_count; k++) {
		size_t *width = &widths->keys[k], good;

		*width = text_columns(options->headers[k], strlen(options->headers[k]));
		for (size_t i = 0; i < diff->row_count; i++) {
			const char *cell = diff->rows[i].cells[k];
			size_t columns = text_columns(cell, strlen(cell));

			*width = columns > *width ? columns : *width;
		}
		good = *width < KEY_WIDTH_GOOD ? *width : KEY_WIDTH_GOOD;
		keys += 2 + good;
	}
	for (enum verdict_form form = VERDICT_LONG; form < VERDICT_FORMS; form++) {
		find_verdict_widths(diff, options, form, widths);
		if (!options->width || used_width(diff, widths) + keys <= options->width)
			break;
	}
	if (options->width)
		fit_keys(diff, options, widths);
}

static void end_row(struct strbuf *buffer, size_t start)
{
	strbuf_trim(buffer, start);
	strbuf_end_line(buffer, start);
}

static const char *baseline_header(const struct diff_options *options)
{
	return options->unit == DIFF_SHARE     ? "Baseline"
	       : options->unit == DIFF_SAMPLES ? "Samples"
					       : "Period";
}

static void print_headings(const struct diff *diff, const struct diff_options *options,
			   const struct diff_widths *widths, struct strbuf *buffer)
{
	size_t start = buffer->length;

	strbuf_add_format(buffer, "%s%*s", options->width ? "  " : "# ", FIGURE_WIDTH - 2,
			  baseline_header(options));
	for (size_t file = 1; file < diff->file_count; file++) {
		_cleanup_strbuf_ struct strbuf header = STRBUF_INIT;

		strbuf_add_string(&header, "Delta Abs");
		if (diff->file_count > 2)
			strbuf_add_format(&header, "/%zu", file);
		strbuf_add_format(buffer, "%*s  %-*s", FIGURE_WIDTH + 2, header.data,
				  (int)widths->verdicts[file], "Sure");
	}
	for (size_t k = 0; k < diff->key_count; k++) {
		strbuf_add_string(buffer, "  ");
		text_add_columns(buffer, options->headers[k], widths->keys[k]);
	}
	end_row(buffer, start);
	if (options->width)
		return;
	start = buffer->length;
	strbuf_add_string(buffer, "# ");
	strbuf_add_repeated(buffer, '.', FIGURE_WIDTH - 2);
	for (size_t file = 1; file < diff->file_count; file++) {
		strbuf_add_string(buffer, "  ");
		strbuf_add_repeated(buffer, '.', FIGURE_WIDTH);
		strbuf_add_string(buffer, "  ");
		strbuf_add_repeated(buffer, '.', widths->verdicts[file]);
	}
	for (size_t k = 0; k < diff->key_count; k++) {
		strbuf_add_string(buffer, "  ");
		strbuf_add_repeated(buffer, '.', widths->keys[k]);
	}
	end_row(buffer, start);
	strbuf_add_string(buffer, "#\n");
}

/* Appends a name in a column of `width`, shortened if it is wider. */
static void diff_add_name(const struct diff_options *options, const char *name, size_t width,
			  struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_add_string(&text, name);
	if (text_columns(text.data, text.length) > width)
		text_shorten_name(&text, 0, width, options->ellipsis);
	text_add_columns(buffer, text.data, width);
}

static void print_row(const struct diff *diff, const struct diff_options *options,
		      const struct diff_widths *widths, const struct diff_row *row,
		      struct strbuf *buffer)
{
	double old = diff_value(diff, options, row, 0);
	size_t start = buffer->length;

	if (row->figures[0].samples)
		diff_add_value(options, old, false, buffer);
	else
		strbuf_add_repeated(buffer, ' ', FIGURE_WIDTH);
	for (size_t file = 1; file < diff->file_count; file++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		strbuf_add_string(buffer, "  ");
		diff_add_value(options, diff_value(diff, options, row, file) - old, true, buffer);
		add_verdict(diff, options, row, file, widths->form, &text);
		strbuf_add_format(buffer, "  %-*s", (int)widths->verdicts[file], text.data);
	}
	for (size_t k = 0; k < diff->key_count; k++) {
		strbuf_add_string(buffer, "  ");
		diff_add_name(options, row->cells[k], widths->keys[k], buffer);
	}
	end_row(buffer, start);
}

void diff_print(const struct diff *diff, const struct diff_options *options, struct strbuf *buffer)
{
	struct diff_widths widths;

	for (size_t file = 0; file < diff->file_count; file++) {
		size_t start = buffer->length;

		strbuf_add_format(buffer, "%s[%zu] %s: %" PRIu64 " samples%s",
				  options->width ? "" : "# ", file, options->files[file],
				  diff->totals[file].samples, file ? "" : " (Baseline)");
		strbuf_end_line(buffer, start);
	}
	strbuf_add_trusted(buffer, options->width ? "" : "#\n");
	find_widths(diff, options, &widths);
	print_headings(diff, options, &widths, buffer);
	for (size_t i = 0; i < diff->row_count; i++)
		print_row(diff, options, &widths, &diff->rows[i], buffer);
}

/* ---- for programs ---- */

static void json_figures(const struct diff *diff, const struct diff_options *options,
			 const struct diff_row *row, struct json *json)
{
	json_array(json, "figures");
	array_indexed (const struct diff_figure, figure, file, row->figures, diff->file_count) {
		double old = diff_value(diff, options, row, 0),
		       new = diff_value(diff, options, row, file);

		json_object(json, NULL);
		json_unsigned(json, "samples", figure->samples);
		json_unsigned(json, "period", figure->period);
		json_double(json, "value", new);
		if (figure->offset != DIFF_NO_OFFSET)
			json_signed(json, "offset", figure->offset);
		if (file) {
			json_double(json, "delta", new - old);
			if (old > 0)
				json_double(json, "ratio", new / old);
			else
				json_null(json, "ratio");
			json_double(json, "deviations", diff_deviations(diff, options, row, file));
			json_bool(json, "within_noise",
				  diff_deviations(diff, options, row, file) < DIFF_SURE);
			json_string(json, "mark", diff_mark(row, file));
		}
		json_end(json);
	}
	json_end(json);
}

void diff_print_json(const struct diff *diff, const struct diff_options *options, struct json *json)
{
	json_each (json, "files", const char *const, path, options->files, diff->file_count) {
		const size_t file = (size_t)(path - options->files);

		json_string(json, "path", *path);
		json_unsigned(json, "samples", diff->totals[file].samples);
		json_unsigned(json, "period", diff->totals[file].period);
	}
	json_each (json, "rows", const struct diff_row, row, diff->rows, diff->row_count) {
		json_object(json, "keys");
		for (size_t k = 0; k < diff->key_count; k++)
			json_string(json, options->names[k], row->cells[k]);
		json_end(json);
		json_figures(diff, options, row, json);
	}
}

void diff_print_csv(const struct diff *diff, const struct diff_options *options,
		    struct strbuf *buffer)
{
	for (size_t k = 0; k < diff->key_count; k++)
		strbuf_add_format(buffer, "%s,", options->names[k]);
	strbuf_add_string(buffer, "samples,value");
	for (size_t file = 1; file < diff->file_count; file++)
		strbuf_add_format(buffer,
				  ",samples:%zu,value:%zu,delta:%zu,deviations:%zu,mark:%zu", file,
				  file, file, file, file);
	strbuf_add_char(buffer, '\n');
	array_each (const struct diff_row, row, diff->rows, diff->row_count) {
		double old = diff_value(diff, options, row, 0);

		for (size_t k = 0; k < diff->key_count; k++) {
			csv_add_text(buffer, row->cells[k]);
			strbuf_add_char(buffer, ',');
		}
		strbuf_add_format(buffer, "%" PRIu64 ",%g", row->figures[0].samples, old);
		for (size_t file = 1; file < diff->file_count; file++) {
			double new = diff_value(diff, options, row, file);

			strbuf_add_format(buffer, ",%" PRIu64 ",%g,%g,%.2f,%s",
					  row->figures[file].samples, new, new - old,
					  diff_deviations(diff, options, row, file),
					  diff_mark(row, file));
		}
		strbuf_add_char(buffer, '\n');
	}
}
