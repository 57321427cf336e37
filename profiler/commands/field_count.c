// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the data was, from either generation of the data source: mem_lvl (a hit or a miss of some levels), or
 * mem_lvl_num with mem_remote and mem_hops, which newer drivers set. Source: perf_event_open(2), union
 * perf_mem_data_src.
 */
#include "profiler/commands/field_count.h"

#include <linux/perf_event.h>

/* Values of mem_lvl_num; headers of older systems do not name all of them. */
enum {
	NUMBER_NONE = 0x0, /* not set */
	NUMBER_L1 = 0x1,
	NUMBER_L2 = 0x2,
	NUMBER_L3 = 0x3,
	NUMBER_L2_MHB = 0x5,
	NUMBER_MEMORY_SIDE_CACHE = 0x6,
	NUMBER_CXL = 0x9,
	NUMBER_LINE_FILL_BUFFER = 0xc,
	NUMBER_RAM = 0xd,
	NUMBER_PMEM = 0xe,
	NUMBER_NOT_AVAILABLE = 0xf,
};

#define LEVELS_REMOTE                                                                                        \
	(PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2 | PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2)

static void count_numbered_level(union perf_mem_data_src source, uint64_t samples, struct access_count *count)
{
	switch (source.mem_lvl_num) {
	case NUMBER_L1:
	case NUMBER_LINE_FILL_BUFFER: count->l1 = samples; break;
	case NUMBER_L2:
	case NUMBER_L2_MHB: count->l2 = samples; break;
	case NUMBER_L3:
	case NUMBER_MEMORY_SIDE_CACHE: count->l3 = samples; break;
	case NUMBER_RAM:
	case NUMBER_CXL:
	case NUMBER_PMEM: count->ram = samples; break;
	}
	if (source.mem_remote)
		count->remote = samples;
}

static void count_level(union perf_mem_data_src source, uint64_t samples, struct access_count *count)
{
	uint64_t level = source.mem_lvl;

	if (level & PERF_MEM_LVL_MISS)
		return;
	if (source.mem_lvl_num != NUMBER_NONE && source.mem_lvl_num != NUMBER_NOT_AVAILABLE) {
		count_numbered_level(source, samples, count);
		return;
	}
	if (level & (PERF_MEM_LVL_L1 | PERF_MEM_LVL_LFB))
		count->l1 = samples;
	else if (level & PERF_MEM_LVL_L2)
		count->l2 = samples;
	else if (level & PERF_MEM_LVL_L3)
		count->l3 = samples;
	else if (level & (PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2))
		count->ram = samples;
	if (level & LEVELS_REMOTE)
		count->remote = samples;
}

/* Whether anything is said at all: software events have a data source of "not available" in every part. */
static bool has_source(union perf_mem_data_src source)
{
	return (source.mem_lvl && !(source.mem_lvl & PERF_MEM_LVL_NA)) ||
	       (source.mem_lvl_num != NUMBER_NONE && source.mem_lvl_num != NUMBER_NOT_AVAILABLE);
}

struct access_count field_count(const struct counted *counted, const struct access *access)
{
	union perf_mem_data_src source = { .val = counted->data_source };
	uint64_t samples = counted->samples;
	struct access_count count = { .samples = samples,
				      .period = counted->period,
				      .weight = counted->weight_total,
				      .weight_max = counted->weight };
	bool says = source.mem_op & (PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE);

	/* where the sample does not say what it was, the instruction does */
	if (says ? source.mem_op & PERF_MEM_OP_LOAD : access->read)
		count.loads = samples;
	if (says ? source.mem_op & PERF_MEM_OP_STORE : access->write)
		count.stores = samples;
	if (!has_source(source))
		return count;
	count.sourced = samples;
	count_level(source, samples, &count);
	if (source.mem_snoop & PERF_MEM_SNOOP_HITM)
		count.hitm = samples;
	if (source.mem_dtlb & PERF_MEM_TLB_MISS)
		count.tlb_misses = samples;
	if (source.mem_lock & PERF_MEM_LOCK_LOCKED)
		count.locked = samples;
	return count;
}
