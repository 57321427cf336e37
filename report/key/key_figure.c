// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Figures: numbers of a row, one for each event of the table. Breakdowns are figures with several
 * columns; their fields and bits are those of union perf_mem_data_src in perf_event_open(2).
 */
#include <linux/perf_event.h>
#include <math.h>

#include "report/key/keys.h"
#include "base/memory.h"

bool begin_percent_colour(struct strbuf *buffer, double percent, bool colour)
{
	if (!colour || percent < 0.5)
		return false;
	strbuf_add_trusted(buffer, percent >= 5.0 ? "\033[31m" : "\033[32m");
	return true;
}

/* Returns the width of an event's number: of one event, the column's, as chosen. */
static int figure_width(const struct key *key, const struct row_view *row,
			const struct cell_format *format)
{
	return (int)(row->event_count == 1 ? format->width : key->event_width);
}

/*
 * Appends what printf prints for " %*.2f%%", which rounds the exact value, and a tie to the even
 * number. Close to the middle, fma() tells on which side of it the value is:
 * it rounds the exact difference, so the sign is right.
 */
static void key_figure_add_percent(struct strbuf *buffer, int width, double percent)
{
	double hundredths = 100.0 * percent;
	bool common = percent >= 0 && percent <= 1e6;
	uint64_t number = common ? (uint64_t)hundredths : 0;
	double rest = hundredths - (double)number;

	if (!common) {
		strbuf_add_format(buffer, " %*.2f%%", width, percent);
		return;
	}
	if (rest > 0.499 && rest < 0.501) {
		double side = fma(200.0, percent, -(2.0 * (double)number + 1.0));

		number += side > 0 || (side == 0 && number % 2);
	} else {
		number += rest > 0.5;
	}

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

/* Appends part / total as a percentage, in colour if the format says so. */
static void add_part(struct strbuf *buffer, const struct cell_format *format, int width,
		     uint64_t part, uint64_t total)
{
	double percent = percent_of(part, total);
	bool coloured = begin_percent_colour(buffer, percent, format->colour);

	key_figure_add_percent(buffer, format->separated || width < 2 ? 0 : width - 2, percent);
	if (coloured)
		strbuf_add_string(buffer, COLOUR_RESET);
}

/* ---- callbacks of figures: key->figure gives the number of a row for an event ---- */

static KEY_ORDER(figure_order)
{
	int order = 0;

	for (uint32_t event = 0; event < a->event_count && !order; event++)
		order = compare_numbers(key->figure(key, a, event), key->figure(key, b, event));
	return order;
}

/* Shows the figure as a share of the event's total period. */
static KEY_CELL(key_figure_share_cell)
{
	for (uint32_t event = 0; event < row->event_count; event++)
		add_part(buffer, format, figure_width(key, row, format),
			 key->figure(key, row, event), format->totals[event]);
}

static KEY_CELL(figure_cell)
{
	int width = figure_width(key, row, format);

	for (uint32_t event = 0; event < row->event_count; event++)
		strbuf_add_format(buffer, " %*" PRIu64,
				  format->separated || width < 1 ? 0 : width - 1,
				  key->figure(key, row, event));
}

#define FIGURE(figure_, cell_, width_)                                                             \
	.figure = figure_, .order = figure_order, .cell = cell_, .event_width = width_

/* ---- samples, periods and their shares ---- */

static uint64_t period_of(const struct key *key _unused_, const struct row_view *row,
			  uint32_t event)
{
	return row->figures[event].period;
}

static uint64_t key_figure_samples_of(const struct key *key _unused_, const struct row_view *row,
				      uint32_t event)
{
	return row->figures[event].samples;
}

const struct key key_overhead = {
	KEY("overhead", "Overhead", "share of the event's total period"),
	FIGURE(period_of, key_figure_share_cell, 8),
};

const struct key key_sample = {
	KEY("sample", "Samples", "number of samples"),
	FIGURE(key_figure_samples_of, figure_cell, 12),
};

const struct key key_period = {
	KEY("period", "Period", "sum of the periods"),
	FIGURE(period_of, figure_cell, 12),
};

/* ---- figures including callees ---- */

static uint64_t children_of(const struct key *key _unused_, const struct row_view *row,
			    uint32_t event)
{
	return row->children ? row->children[event] : 0;
}

/* Orders rows with equal shares: the caller stands above its callees, as in perf. */
static KEY_ORDER(children_order)
{
	int order = figure_order(key, a, b);

	if (order)
		return order;
	return a->caller_first ? compare_numbers(a->chain_depth, b->chain_depth)
			       : compare_numbers(b->chain_depth, a->chain_depth);
}

/* Prints "N/A" if callers have no rows, since figures including callees are then not kept. */
static KEY_CELL(children_cell)
{
	if (row->children) {
		key_figure_share_cell(key, row, format, buffer);
		return;
	}
	for (uint32_t event = 0; event < row->event_count; event++)
		strbuf_add_format(buffer, " %*s", figure_width(key, row, format) - 1, "N/A");
}

const struct key key_children = {
	KEY("overhead_children", "Children",
	    "share of the total period, including callees (--children)"),
	.figure = children_of,
	.order = children_order,
	.cell = children_cell,
	.event_width = 8,
};

/* ---- mean weights: key->index is that of a part of PERF_SAMPLE_WEIGHT_STRUCT ---- */

static uint64_t key_figure_weight_of(const struct key *key, const struct row_view *row,
				     uint32_t event)
{
	return row->more[event].weights[key->index];
}

static KEY_CELL(mean_cell)
{
	int width = figure_width(key, row, format);

	for (uint32_t event = 0; event < row->event_count; event++) {
		uint64_t samples = row->figures[event].samples;

		strbuf_add_format(buffer, " %*.1f", format->separated || width < 1 ? 0 : width - 1,
				  samples ? (double)key_figure_weight_of(key, row, event) / samples
					  : 0);
	}
}

#define MEAN_WEIGHT(part)                                                                          \
	.index = part, .wants_more = true, FIGURE(key_figure_weight_of, mean_cell, 8)

const struct key key_weight1 = {
	KEY("weight1", "Weight1", "mean weight of the samples"),
	.alias = "weight",
	.needs = NEED_WEIGHT,
	MEAN_WEIGHT(0),
};
const struct key key_weight2 = {
	KEY("weight2", "Weight2", "mean of the second weight: the instruction's latency on Intel"),
	.alias = "ins_lat",
	.needs = NEED_WEIGHT2,
	MEAN_WEIGHT(1),
};
const struct key key_weight3 = {
	KEY("weight3", "Weight3", "mean of the third weight: the retire latency on Intel"),
	.alias = "retire_lat",
	.needs = NEED_WEIGHT3,
	MEAN_WEIGHT(2),
};
const struct key key_mean_stage = {
	KEY("p_stage_cyc", "Weight3", "the same as weight3, of --fields"),
	.needs = NEED_WEIGHT3,
	MEAN_WEIGHT(2),
};

/* ---- breakdowns ---- */

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
static const struct breakdown tlbs = {
	"D-TLB", 24, 5, { "L1-Hit", "L2-Hit", "L?-Hit", "Miss", "Other" }
};

static unsigned int operation_of(union perf_mem_data_src source)
{
	switch (source.mem_op) {
	case PERF_MEM_OP_LOAD: return 0;
	case PERF_MEM_OP_STORE: return 1;
	case PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE: return 2;
	default:
		return source.mem_op & PERF_MEM_OP_PFETCH ? 3
		       : source.mem_op & PERF_MEM_OP_EXEC ? 4
							  : 5;
	}
}

static unsigned int cache_of(union perf_mem_data_src source)
{
	switch (source.mem_lvl_num) {
	case SOURCE_L1:
	case SOURCE_L2:
	case SOURCE_L3:
	case SOURCE_L4: return source.mem_lvl_num - SOURCE_L1;
	case SOURCE_LFB: return 4;
	case SOURCE_L2_MHB: return 5;
	default: return 6;
	}
}

static unsigned int memory_of(union perf_mem_data_src source)
{
	switch (source.mem_lvl_num) {
	case SOURCE_RAM: return 0;
	case SOURCE_MEMORY_SIDE: return 1;
	case SOURCE_UNCACHED: return 2;
	case SOURCE_CXL: return 3;
	case SOURCE_IO: return 4;
	case SOURCE_PMEM: return 5;
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

bool breakdown_shows(const struct breakdown *breakdown, unsigned int index,
		     const struct more_figures *totals, uint32_t events)
{
	return any_of(event, 0, events, totals[event].parts[breakdown->first + index]);
}

/* Prints the shares of all classes that have a column, for all events together. */
static KEY_CELL(breakdown_cell)
{
	const struct breakdown *breakdown = key->breakdown;
	uint64_t total = sum_over(uint64_t, event, 0, row->event_count, format->totals[event]);

	for (unsigned int i = 0; i < breakdown->count; i++) {
		if (!breakdown_shows(breakdown, i, format->more_totals, row->event_count))
			continue;
		uint64_t part = sum_over(uint64_t, event, 0, row->event_count,
					 row->more[event].parts[breakdown->first + i]);

		strbuf_add_format(buffer, "%*.1f%%", BREAKDOWN_WIDTH - 1, percent_of(part, total));
	}
}

/* Never decides: as in perf, rows are not sorted by breakdowns. */
static KEY_ORDER(no_order)
{
	return 0;
}

#define BREAKDOWN(classes)                                                                         \
	.needs = NEED_DATA_SOURCE, .order = no_order, .cell = breakdown_cell,                      \
	.breakdown = &(classes), .wants_more = true

const struct key key_operation_breakdown = {
	KEY("op", "Mem Op", "-F: shares of loads, stores, prefetches ..."),
	BREAKDOWN(operations),
};
const struct key key_cache_breakdown = {
	KEY("cache", "Cache", "-F: shares of the caches that data came from"),
	BREAKDOWN(caches),
};
const struct key key_memory_breakdown = {
	KEY("memory", "Memory", "-F: shares of the memories that data came from"),
	.alias = "mem",
	BREAKDOWN(memories),
};
const struct key key_snoop_breakdown = {
	KEY("snoop", "Snoop", "-F: shares of the states in other caches"),
	BREAKDOWN(snoops),
};
const struct key key_tlb_breakdown = {
	KEY("dtlb", "D-TLB", "-F: shares of how addresses were translated"),
	BREAKDOWN(tlbs),
};
