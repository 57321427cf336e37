// SPDX-License-Identifier: GPL-2.0-or-later
/* Figures: numbers of a row, one for each event of the table. */
#include "report/keys.h"

#include <inttypes.h>

const char *percent_colour(double percent)
{
	if (percent >= 5.0)
		return "\033[31m";
	return percent >= 0.5 ? "\033[32m" : NULL;
}

static int overhead_order(const struct row_view *a, const struct row_view *b)
{
	int order = 0;

	for (uint32_t event = 0; event < a->event_count && !order; event++)
		order = compare_numbers(a->figures[event].period, b->figures[event].period);
	return order;
}

static int sample_order(const struct row_view *a, const struct row_view *b)
{
	int order = 0;

	for (uint32_t event = 0; event < a->event_count && !order; event++)
		order = compare_numbers(a->figures[event].samples, b->figures[event].samples);
	return order;
}

static unsigned int figure_width(const struct cell_format *format, unsigned int event_width, uint32_t events)
{
	return events == 1 ? format->width : event_width;
}

static void overhead_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	int width = figure_width(format, key_overhead.event_width, row->event_count);

	for (uint32_t event = 0; event < row->event_count; event++) {
		uint64_t total = format->totals[event];
		double percent = total ? 100.0 * row->figures[event].period / total : 0;
		const char *colour = format->colour ? percent_colour(percent) : NULL;

		if (colour)
			strbuf_add_string(buffer, colour);
		strbuf_add_format(buffer, " %*.2f%%", format->separated || width < 2 ? 0 : width - 2,
				  percent);
		if (colour)
			strbuf_add_string(buffer, COLOUR_RESET);
	}
}

static void add_figure(struct strbuf *buffer, const struct cell_format *format, int width, uint64_t figure)
{
	strbuf_add_format(buffer, " %*" PRIu64, format->separated || width < 1 ? 0 : width - 1, figure);
}

static void sample_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	int width = figure_width(format, key_sample.event_width, row->event_count);

	for (uint32_t event = 0; event < row->event_count; event++)
		add_figure(buffer, format, width, row->figures[event].samples);
}

static void period_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	int width = figure_width(format, key_period.event_width, row->event_count);

	for (uint32_t event = 0; event < row->event_count; event++)
		add_figure(buffer, format, width, row->figures[event].period);
}

const struct key key_overhead = {
	.name = "overhead",
	.header = "Overhead",
	.summary = "share of the event's total period",
	.order = overhead_order,
	.cell = overhead_cell,
	.event_width = 8,
};

const struct key key_sample = {
	.name = "sample",
	.header = "Samples",
	.summary = "number of samples",
	.order = sample_order,
	.cell = sample_cell,
	.event_width = 12,
};

const struct key key_period = {
	.name = "period",
	.header = "Period",
	.summary = "sum of the periods",
	.order = overhead_order,
	.cell = period_cell,
	.event_width = 12,
};
