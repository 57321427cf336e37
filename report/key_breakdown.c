// SPDX-License-Identifier: GPL-2.0-or-later
/* Figures of several columns: see breakdown.h. Fields and bits: union perf_mem_data_src, perf_event_open(2).
 */
#include "report/keys.h"

#include <linux/perf_event.h>

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
