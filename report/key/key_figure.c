// SPDX-License-Identifier: GPL-2.0-or-later
/* Figures: numbers of a row, one for each event of the table. */
#include <inttypes.h>
#include <linux/perf_event.h>

#include "report/key/keys.h"

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

/* ---- figures of several columns ---- */

/* Numbers of mem_lvl_num that headers of older systems do not name. */
enum {
	LEVEL_L2_MHB = 5,
	LEVEL_MEMORY_SIDE = 6,
	LEVEL_UNCACHED = 8,
	LEVEL_CXL = 9,
	LEVEL_IO = 10,
	LEVEL_LFB = 12,
	LEVEL_RAM = 13,
	LEVEL_PMEM = 14,
};

static const struct breakdown operations = {
	"Mem Op", 0, 6, { "Load", "Store", "Ld+St", "Pfetch", "Exec", "Other" }
};
static const struct breakdown caches = {
	"Cache", 6, 7, { "L1", "L2", "L3", "L4", "L1-buf", "L2-buf", "Other" }
};
static const struct breakdown memories = {
	"Memory", 13, 7, { "RAM", "MSC", "Uncach", "CXL", "IO", "PMEM", "Other" }
};
static const struct breakdown snoops = { "Snoop", 20, 4, { "Hit", "HitM", "Miss", "Other" } };
static const struct breakdown tlbs = { "D-TLB", 24, 5, { "L1-Hit", "L2-Hit", "L?-Hit", "Miss", "Other" } };

static unsigned int operation_of(union perf_mem_data_src source)
{
	switch (source.mem_op) {
	case PERF_MEM_OP_LOAD: return 0;
	case PERF_MEM_OP_STORE: return 1;
	case PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE: return 2;
	default: return source.mem_op & PERF_MEM_OP_PFETCH ? 3 : source.mem_op & PERF_MEM_OP_EXEC ? 4 : 5;
	}
}

static unsigned int cache_of(union perf_mem_data_src source)
{
	switch (source.mem_lvl_num) {
	case 1:
	case 2:
	case 3:
	case 4: return source.mem_lvl_num - 1;
	case LEVEL_LFB: return 4;
	case LEVEL_L2_MHB: return 5;
	default: return 6;
	}
}

static unsigned int memory_of(union perf_mem_data_src source)
{
	switch (source.mem_lvl_num) {
	case LEVEL_RAM: return 0;
	case LEVEL_MEMORY_SIDE: return 1;
	case LEVEL_UNCACHED: return 2;
	case LEVEL_CXL: return 3;
	case LEVEL_IO: return 4;
	case LEVEL_PMEM: return 5;
	default: return 6;
	}
}

static unsigned int snoop_of(union perf_mem_data_src source)
{
	switch (source.mem_snoop) {
	case PERF_MEM_SNOOP_HIT: return 0;
	case PERF_MEM_SNOOP_HITM: return 1;
	case PERF_MEM_SNOOP_MISS: return 2;
	default: return 3;
	}
}

static unsigned int tlb_of(union perf_mem_data_src source)
{
	switch (source.mem_dtlb) {
	case PERF_MEM_TLB_L1 | PERF_MEM_TLB_HIT: return 0;
	case PERF_MEM_TLB_L2 | PERF_MEM_TLB_HIT: return 1;
	case PERF_MEM_TLB_L1 | PERF_MEM_TLB_L2 | PERF_MEM_TLB_HIT: return 2;
	default: return source.mem_dtlb & PERF_MEM_TLB_MISS ? 3 : 4;
	}
}

void breakdown_add(uint64_t parts[BREAKDOWN_PARTS], const struct result *result)
{
	union perf_mem_data_src source = { .val = result->data_source };

	parts[operations.first + operation_of(source)] += result->period;
	parts[caches.first + cache_of(source)] += result->period;
	parts[memories.first + memory_of(source)] += result->period;
	parts[snoops.first + snoop_of(source)] += result->period;
	parts[tlbs.first + tlb_of(source)] += result->period;
}

bool breakdown_shows(const struct breakdown *breakdown, unsigned int index, const struct more_figures *totals,
		     uint32_t events)
{
	for (uint32_t event = 0; event < events; event++)
		if (totals[event].parts[breakdown->first + index])
			return true;
	return false;
}

/* Of all events of the table together. */
static void breakdown_cell(const struct breakdown *breakdown, const struct row_view *row,
			   const struct cell_format *format, struct strbuf *buffer)
{
	uint64_t total = 0;

	for (uint32_t event = 0; event < row->event_count; event++)
		total += format->totals[event];
	for (unsigned int i = 0; i < breakdown->count; i++) {
		uint64_t part = 0;

		if (!breakdown_shows(breakdown, i, format->more_totals, row->event_count))
			continue;
		for (uint32_t event = 0; event < row->event_count; event++)
			part += row->more[event].parts[breakdown->first + i];
		strbuf_add_format(buffer, "%*.1f%%", BREAKDOWN_WIDTH - 1, total ? 100.0 * part / total : 0);
	}
}

/* Rows are not sorted by it, as in perf. */
static int no_order(const struct row_view *a, const struct row_view *b)
{
	(void)a;
	(void)b;
	return 0;
}

#define BREAKDOWN_KEY(id, key_name, key_alias, key_header, key_summary)                                      \
	static void id##_cell(const struct row_view *row, const struct cell_format *format,                  \
			      struct strbuf *buffer)                                                         \
	{                                                                                                    \
		breakdown_cell(&id, row, format, buffer);                                                    \
	}                                                                                                    \
	const struct key key_breakdown_##id = {                                                              \
		.name = key_name,                                                                            \
		.alias = key_alias,                                                                          \
		.header = key_header,                                                                        \
		.summary = key_summary,                                                                      \
		.needs = NEED_DATA_SOURCE,                                                                   \
		.order = no_order,                                                                           \
		.cell = id##_cell,                                                                           \
		.breakdown = &id,                                                                            \
		.wants_more = true,                                                                          \
	}

BREAKDOWN_KEY(operations, "op", NULL, "Mem Op", "-F: shares of loads, stores, prefetches ...");
BREAKDOWN_KEY(caches, "cache", NULL, "Cache", "-F: shares of the caches that data came from");
BREAKDOWN_KEY(memories, "memory", "mem", "Memory", "-F: shares of the memories that data came from");
BREAKDOWN_KEY(snoops, "snoop", NULL, "Snoop", "-F: shares of what other caches had of it");
BREAKDOWN_KEY(tlbs, "dtlb", NULL, "D-TLB", "-F: shares of how addresses were translated");

/* ---- weights ---- */

/* Means over the samples of a row, of each part of a PERF_SAMPLE_WEIGHT_STRUCT. */
#define WEIGHT_FIGURE(id, key_name, key_alias, key_header, key_summary, part, key_needs)                     \
	static double id##_mean(const struct row_view *row, uint32_t event)                                  \
	{                                                                                                    \
		uint64_t samples = row->figures[event].samples;                                              \
                                                                                                             \
		return samples ? (double)row->more[event].weights[part] / samples : 0;                       \
	}                                                                                                    \
	static int id##_order(const struct row_view *a, const struct row_view *b)                            \
	{                                                                                                    \
		return COMPARE_FIGURES(a, b, more[event].weights[part]);                                     \
	}                                                                                                    \
	static void id##_cell(const struct row_view *row, const struct cell_format *format,                  \
			      struct strbuf *buffer)                                                         \
	{                                                                                                    \
		int width = row->event_count == 1 ? (int)format->width : 8;                                  \
                                                                                                             \
		for (uint32_t event = 0; event < row->event_count; event++)                                  \
			strbuf_add_format(buffer, " %*.1f", format->separated || width < 1 ? 0 : width - 1,  \
					  id##_mean(row, event));                                            \
	}                                                                                                    \
	const struct key key_##id = {                                                                        \
		.name = key_name,                                                                            \
		.alias = key_alias,                                                                          \
		.header = key_header,                                                                        \
		.summary = key_summary,                                                                      \
		.needs = key_needs,                                                                          \
		.order = id##_order,                                                                         \
		.cell = id##_cell,                                                                           \
		.event_width = 8,                                                                            \
		.wants_more = true,                                                                          \
	}

WEIGHT_FIGURE(weight1, "weight1", "weight", "Weight1", "mean weight of the samples", 0, NEED_WEIGHT);
WEIGHT_FIGURE(weight2, "weight2", "ins_lat", "Weight2",
	      "mean of the second weight: the instruction's latency on Intel", 1, NEED_WEIGHT2);
WEIGHT_FIGURE(weight3, "weight3", "retire_lat", "Weight3",
	      "mean of the third weight: the retire latency on Intel", 2, NEED_WEIGHT3);
WEIGHT_FIGURE(mean_stage, "p_stage_cyc", NULL, "Weight3", "the same as weight3, of --fields", 2,
	      NEED_WEIGHT3);
