// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements the printing of diff.h: perf diff's table, JSON and comma-separated values. */
#include <inttypes.h>
#include <string.h>

#include "report/diff/diff.h"
#include "report/text.h"

#define FIGURE_WIDTH 10

static const char *const compute_headers[] = { "Delta Abs", "Delta", "Ratio", "Weighted diff" };

static void add_offset(int64_t offset, struct strbuf *text)
{
	if (offset == DIFF_NO_OFFSET)
		strbuf_add_char(text, '-');
	else
		strbuf_add_format(text, "+%" PRId64, offset);
}

/* Appends "moved +8 -> +40", "new", "gone", or whether the difference is within noise. */
static void add_verdict(const struct diff *diff, const struct diff_options *options,
			const struct diff_row *row, size_t file, struct strbuf *text)
{
	const char *mark = diff_mark(row, file);
	bool sure = diff_deviations(diff, options, row, file) >= DIFF_SURE;

	strbuf_add_string(text, sure ? "yes" : "noise");
	if (!*mark)
		return;
	strbuf_add_format(text, ", %s", mark);
	if (strcmp(mark, "moved") != 0)
		return;
	strbuf_add_char(text, ' ');
	add_offset(row->figures[0].offset, text);
	strbuf_add_string(text, " to ");
	add_offset(row->figures[file].offset, text);
}

static void add_value(const struct diff_options *options, double value, bool sign,
		      struct strbuf *buffer)
{
	if (options->unit == DIFF_SHARE)
		strbuf_add_format(buffer, sign ? "%+*.2f%%" : "%*.2f%%", FIGURE_WIDTH - 1, value);
	else if (value == (double)(int64_t)value && value < 1e12)
		strbuf_add_format(buffer, sign ? "%+*.0f" : "%*.0f", FIGURE_WIDTH, value);
	else
		strbuf_add_format(buffer, sign ? "%+*.4g" : "%*.4g", FIGURE_WIDTH, value);
}

static void add_computed(const struct diff *diff, const struct diff_options *options,
			 const struct diff_row *row, size_t file, struct strbuf *buffer)
{
	double old = diff_value(diff, options, row, 0), new = diff_value(diff, options, row, file);
	int64_t weighed = (int64_t)row->figures[file].period * options->weights[1] -
			  (int64_t)row->figures[0].period * options->weights[0];

	switch (options->compute) {
	case DIFF_RATIO:
		if (old > 0 && new > 0)
			strbuf_add_format(buffer, "%14.6f", new / old);
		else
			strbuf_add_format(buffer, "%14s", "");
		break;
	case DIFF_WDIFF: strbuf_add_format(buffer, "%14" PRId64, weighed); break;
	default: add_value(options, new - old, true, buffer);
	}
}

static size_t computed_width(const struct diff_options *options)
{
	return options->compute == DIFF_RATIO || options->compute == DIFF_WDIFF ? 14 : FIGURE_WIDTH;
}

struct diff_widths {
	size_t verdict;
	size_t keys[128];
};

static void find_widths(const struct diff *diff, const struct diff_options *options,
			struct diff_widths *widths)
{
	*widths = (struct diff_widths){ .verdict = strlen("Sure") };
	for (size_t k = 0; k < diff->key_count; k++)
		widths->keys[k] = text_columns(options->headers[k], strlen(options->headers[k]));
	for (size_t i = 0; i < diff->row_count; i++) {
		const struct diff_row *row = &diff->rows[i];

		for (size_t file = 1; file < diff->file_count; file++) {
			_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

			add_verdict(diff, options, row, file, &text);
			widths->verdict =
				text.length > widths->verdict ? text.length : widths->verdict;
		}
		for (size_t k = 0; k < diff->key_count; k++) {
			size_t columns = text_columns(row->cells[k], strlen(row->cells[k]));

			widths->keys[k] = columns > widths->keys[k] ? columns : widths->keys[k];
		}
	}
}

static void end_row(struct strbuf *buffer, size_t start)
{
	while (buffer->length > start && buffer->data[buffer->length - 1] == ' ')
		buffer->length--;
	buffer->data[buffer->length] = '\0';
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

	strbuf_add_format(buffer, "# %*s", FIGURE_WIDTH - 2, baseline_header(options));
	for (size_t file = 1; file < diff->file_count; file++) {
		_cleanup_strbuf_ struct strbuf header = STRBUF_INIT;

		strbuf_add_string(&header, compute_headers[options->compute]);
		if (diff->file_count > 2)
			strbuf_add_format(&header, "/%zu", file);
		strbuf_add_format(buffer, "  %*s  %-*s", (int)computed_width(options), header.data,
				  (int)widths->verdict, "Sure");
	}
	for (size_t k = 0; k < diff->key_count; k++) {
		strbuf_add_string(buffer, "  ");
		text_add_columns(buffer, options->headers[k], widths->keys[k]);
	}
	end_row(buffer, start);
	start = buffer->length;
	strbuf_add_string(buffer, "# ");
	strbuf_add_repeated(buffer, '.', FIGURE_WIDTH - 2);
	for (size_t file = 1; file < diff->file_count; file++) {
		strbuf_add_string(buffer, "  ");
		strbuf_add_repeated(buffer, '.', computed_width(options));
		strbuf_add_string(buffer, "  ");
		strbuf_add_repeated(buffer, '.', widths->verdict);
	}
	for (size_t k = 0; k < diff->key_count; k++) {
		strbuf_add_string(buffer, "  ");
		strbuf_add_repeated(buffer, '.', widths->keys[k]);
	}
	end_row(buffer, start);
	strbuf_add_string(buffer, "#\n");
}

static void print_row(const struct diff *diff, const struct diff_options *options,
		      const struct diff_widths *widths, const struct diff_row *row,
		      struct strbuf *buffer)
{
	size_t start = buffer->length;

	if (row->figures[0].samples)
		add_value(options, diff_value(diff, options, row, 0), false, buffer);
	else
		strbuf_add_repeated(buffer, ' ', FIGURE_WIDTH);
	for (size_t file = 1; file < diff->file_count; file++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		strbuf_add_string(buffer, "  ");
		add_computed(diff, options, row, file, buffer);
		add_verdict(diff, options, row, file, &text);
		strbuf_add_format(buffer, "  %-*s", (int)widths->verdict, text.data);
	}
	for (size_t k = 0; k < diff->key_count; k++) {
		strbuf_add_string(buffer, "  ");
		text_add_columns(buffer, row->cells[k], widths->keys[k]);
	}
	end_row(buffer, start);
}

void diff_print(const struct diff *diff, const struct diff_options *options, struct strbuf *buffer)
{
	struct diff_widths widths;

	for (size_t file = 0; file < diff->file_count; file++) {
		size_t start = buffer->length;

		strbuf_add_format(buffer, "# [%zu] %s: %" PRIu64 " samples%s", file,
				  options->files[file], diff->totals[file].samples,
				  file ? "" : " (Baseline)");
		strbuf_end_line(buffer, start);
	}
	strbuf_add_string(buffer, "#\n");
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
	for (size_t file = 0; file < diff->file_count; file++) {
		const struct diff_figure *figure = &row->figures[file];
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
	json_array(json, "files");
	for (size_t file = 0; file < diff->file_count; file++) {
		json_object(json, NULL);
		json_string(json, "path", options->files[file]);
		json_unsigned(json, "samples", diff->totals[file].samples);
		json_unsigned(json, "period", diff->totals[file].period);
		json_end(json);
	}
	json_end(json);
	json_array(json, "rows");
	for (size_t i = 0; i < diff->row_count; i++) {
		json_object(json, NULL);
		json_object(json, "keys");
		for (size_t k = 0; k < diff->key_count; k++)
			json_string(json, options->names[k], diff->rows[i].cells[k]);
		json_end(json);
		json_figures(diff, options, &diff->rows[i], json);
		json_end(json);
	}
	json_end(json);
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
	for (size_t i = 0; i < diff->row_count; i++) {
		const struct diff_row *row = &diff->rows[i];
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
