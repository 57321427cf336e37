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
	return COMPARE_FIGURES(a, b, figures[event].period);
}

static int sample_order(const struct row_view *a, const struct row_view *b)
{
	return COMPARE_FIGURES(a, b, figures[event].samples);
}

static unsigned int figure_width(const struct cell_format *format, unsigned int event_width, uint32_t events)
{
	return events == 1 ? format->width : event_width;
}

/*
 * printf's " %*.2f%%". Two places of a number that is not close to the middle of two such ones can be found
 * in integers; others are left to printf, which knows which way to round.
 */
static void add_percent(struct strbuf *buffer, int width, double percent)
{
	double hundredths = 100.0 * percent;
	bool common = percent >= 0 && percent <= 1e6;
	uint64_t number = common ? (uint64_t)hundredths : 0;
	double rest = hundredths - (double)number;

	if (!common || (rest > 0.499 && rest < 0.501)) {
		strbuf_add_format(buffer, " %*.2f%%", width, percent);
		return;
	}
	number += rest > 0.5;

	char places[] = { '.', (char)('0' + number / 10 % 10), (char)('0' + number % 10), '%' };
	size_t digits = 1;

	for (uint64_t left = number / 1000; left; left /= 10)
		digits++;
	strbuf_add_char(buffer, ' ');
	if (digits + 3 < (size_t)width)
		strbuf_add_repeated(buffer, ' ', (size_t)width - digits - 3);
	strbuf_add_number(buffer, number / 100);
	strbuf_add(buffer, places, sizeof(places));
}

static void add_part(struct strbuf *buffer, const struct cell_format *format, int width, uint64_t part,
		     uint64_t total)
{
	double percent = total ? 100.0 * part / total : 0;
	const char *colour = format->colour ? percent_colour(percent) : NULL;

	if (colour)
		strbuf_add_string(buffer, colour);
	add_percent(buffer, format->separated || width < 2 ? 0 : width - 2, percent);
	if (colour)
		strbuf_add_string(buffer, COLOUR_RESET);
}

/* A share of the event's total. */
static void add_share(struct strbuf *buffer, const struct cell_format *format, int width, uint32_t event,
		      uint64_t period)
{
	add_part(buffer, format, width, period, format->totals[event]);
}

static void overhead_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	int width = figure_width(format, key_overhead.event_width, row->event_count);

	for (uint32_t event = 0; event < row->event_count; event++)
		add_share(buffer, format, width, event, row->figures[event].period);
}

static int latency_order(const struct row_view *a, const struct row_view *b)
{
	return COMPARE_FIGURES(a, b, more[event].latency);
}

static void latency_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	int width = figure_width(format, key_latency_share.event_width, row->event_count);

	for (uint32_t event = 0; event < row->event_count; event++)
		add_part(buffer, format, width, row->more[event].latency, format->more_totals[event].latency);
}

/* Of rows with equal shares the caller stands above what it called, as in perf. */
static int depth_order(const struct row_view *a, const struct row_view *b)
{
	return a->caller_first ? compare_numbers(a->chain_depth, b->chain_depth)
			       : compare_numbers(b->chain_depth, a->chain_depth);
}

static int children_order(const struct row_view *a, const struct row_view *b)
{
	int order = a->children ? COMPARE_FIGURES(a, b, children[event]) : 0;

	return order ? order : depth_order(a, b);
}

/* What a row has together with what it called: not known where there are no rows for callers. */
static void children_cell_of(const struct row_view *row, const struct cell_format *format,
			     struct strbuf *buffer, const struct key *key, bool latency)
{
	int width = figure_width(format, key->event_width, row->event_count);

	for (uint32_t event = 0; event < row->event_count; event++) {
		if (!row->children)
			strbuf_add_format(buffer, " %*s", width - 1, "N/A");
		else if (latency)
			add_part(buffer, format, width, row->more[event].latency_children,
				 format->more_totals[event].latency);
		else
			add_share(buffer, format, width, event, row->children[event]);
	}
}

static void children_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	children_cell_of(row, format, buffer, &key_children, false);
}

static int latency_children_order(const struct row_view *a, const struct row_view *b)
{
	int order = COMPARE_FIGURES(a, b, more[event].latency_children);

	return order ? order : depth_order(a, b);
}

static void latency_children_cell(const struct row_view *row, const struct cell_format *format,
				  struct strbuf *buffer)
{
	children_cell_of(row, format, buffer, &key_latency_children, true);
}

/* Shares of one level: the kernel's, the users' ... */
#define LEVEL_FIGURE(id, key_name, key_header, key_summary, level, key_width)                                \
	static int id##_order(const struct row_view *a, const struct row_view *b)                            \
	{                                                                                                    \
		return COMPARE_FIGURES(a, b, more[event].level_periods[level]);                              \
	}                                                                                                    \
	static void id##_cell(const struct row_view *row, const struct cell_format *format,                  \
			      struct strbuf *buffer)                                                         \
	{                                                                                                    \
		int width = figure_width(format, key_width, row->event_count);                               \
                                                                                                             \
		for (uint32_t event = 0; event < row->event_count; event++)                                  \
			add_share(buffer, format, width, event, row->more[event].level_periods[level]);      \
	}                                                                                                    \
	const struct key key_##id = {                                                                        \
		.name = key_name,                                                                            \
		.header = key_header,                                                                        \
		.summary = key_summary,                                                                      \
		.order = id##_order,                                                                         \
		.cell = id##_cell,                                                                           \
		.event_width = key_width,                                                                    \
		.wants_more = true,                                                                          \
		.needs = NEED_DSO,                                                                           \
	}

LEVEL_FIGURE(system, "overhead_sys", "sys", "share of the total period that is the kernel's", LEVEL_KERNEL,
	     8);
LEVEL_FIGURE(user, "overhead_us", "usr", "share of the total period that is user space's", LEVEL_USER, 8);
LEVEL_FIGURE(guest_system, "overhead_guest_sys", "guest sys",
	     "share of the total period that is a guest kernel's", LEVEL_GUEST_KERNEL, 9);
LEVEL_FIGURE(guest_user, "overhead_guest_us", "guest usr",
	     "share of the total period that is a guest's user space's", LEVEL_GUEST_USER, 9);

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

const struct key key_children = {
	.name = "overhead_children",
	.header = "Children",
	.summary = "share of the total period, with what was called (--children)",
	.order = children_order,
	.cell = children_cell,
	.event_width = 8,
};

#define LATENCY_FIGURE(id, key_name, key_summary, key_order, key_cell)                                       \
	const struct key key_##id = {                                                                        \
		.name = key_name,                                                                            \
		.header = "Latency",                                                                         \
		.summary = key_summary,                                                                      \
		.order = key_order,                                                                          \
		.cell = key_cell,                                                                            \
		.event_width = 8,                                                                            \
		.wants_more = true,                                                                          \
		.needs = NEED_PARALLELISM,                                                                   \
	}

LATENCY_FIGURE(latency_share, "latency",
	       "share of the time on the clock: threads that run together have a part each", latency_order,
	       latency_cell);
LATENCY_FIGURE(latency_children, "latency_children", "the same, with what was called (--children)",
	       latency_children_order, latency_children_cell);

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
