// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Data sources to counts. The rules are those of perf 7.2's c2c report, so that its figures and
 * ours agree: only mem_lvl is read, which all drivers still set, and a level counts only with its
 * HIT bit, except for remote caches.
 */
#include "report/c2c/c2c_count.h"

#include <linux/perf_event.h>

/* PERF_MEM_SNOOPX_PEER; headers before Linux 6.1 lack it. */
#define SNOOPX_PEER 2

/* A level of the own node: L2 or L3. A snoop that found the line modified was in another core of
 * the node. */
static void count_own_cache(union perf_mem_data_src source, uint64_t samples,
			    struct c2c_count *count, uint64_t *plain)
{
	if (source.mem_snoop & PERF_MEM_SNOOP_HITM)
		count->lcl_hitm += samples;
	else
		*plain += samples;
	if (source.mem_snoopx & SNOOPX_PEER)
		count->lcl_peer += samples;
}

static void count_memory(union perf_mem_data_src source, uint64_t samples, struct c2c_count *count,
			 uint64_t *memory)
{
	*memory += samples;
	if (source.mem_snoop & PERF_MEM_SNOOP_HIT)
		count->ld_shared += samples;
	else
		count->ld_exclusive += samples;
}

static void count_load(union perf_mem_data_src source, uint64_t samples, struct c2c_count *count)
{
	uint64_t level = source.mem_lvl;
	/* Skylake says "remote" without a level. With hops (Power, AMD) it may be a core of the
	 * same node. */
	bool remote = source.mem_remote && !source.mem_hops;

	if (level & PERF_MEM_LVL_HIT) {
		if (level & PERF_MEM_LVL_UNC)
			count->ld_uncached += samples;
		if (level & PERF_MEM_LVL_IO)
			count->ld_io += samples;
		if (level & PERF_MEM_LVL_LFB)
			count->ld_buffer += samples;
		if (level & PERF_MEM_LVL_L1)
			count->ld_l1 += samples;
		if (level & PERF_MEM_LVL_L2)
			count_own_cache(source, samples, count, &count->ld_l2);
		if (level & PERF_MEM_LVL_L3)
			count_own_cache(source, samples, count, &count->ld_llc);
		if (level & PERF_MEM_LVL_LOC_RAM)
			count_memory(source, samples, count, &count->lcl_dram);
		if (level & (PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2) || remote)
			count_memory(source, samples, count, &count->rmt_dram);
	}
	if (level & (PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2) || remote) {
		if (source.mem_snoop & PERF_MEM_SNOOP_HIT) {
			count->rmt_hit += samples;
		} else if (source.mem_snoop & PERF_MEM_SNOOP_HITM) {
			count->rmt_hitm += samples;
		} else if (source.mem_snoopx & SNOOPX_PEER) {
			count->rmt_hit += samples;
			count->rmt_peer += samples;
		}
	}
	if (level & PERF_MEM_LVL_MISS)
		count->ld_miss += samples;
}

static void count_store(union perf_mem_data_src source, uint64_t samples, struct c2c_count *count)
{
	uint64_t level = source.mem_lvl;

	if (level & PERF_MEM_LVL_HIT) {
		if (level & PERF_MEM_LVL_UNC)
			count->st_uncached += samples;
		if (level & PERF_MEM_LVL_L1)
			count->st_l1_hit += samples;
	}
	if (level & PERF_MEM_LVL_MISS && level & PERF_MEM_LVL_L1)
		count->st_l1_miss += samples;
	if (level & PERF_MEM_LVL_NA)
		count->st_unknown += samples;
}

struct c2c_count c2c_count_of(const struct c2c_access *access)
{
	union perf_mem_data_src source = { .val = access->source };
	uint64_t samples = access->samples;
	struct c2c_count count = { .records = samples };
	bool load = source.mem_op & PERF_MEM_OP_LOAD, store = source.mem_op & PERF_MEM_OP_STORE;

	if (source.mem_lock & PERF_MEM_LOCK_LOCKED)
		count.locks = samples;
	if (source.mem_blk & PERF_MEM_BLK_DATA)
		count.blocked_data = samples;
	if (source.mem_blk & PERF_MEM_BLK_ADDR)
		count.blocked_addr = samples;
	/* an access that loads and stores counts as a load */
	if (load)
		count.loads = samples;
	else if (store)
		count.stores = samples;
	else
		count.no_source = samples;
	if (!load && !store)
		return count;
	if (!access->has_address) {
		*(load ? &count.ld_nowhere : &count.st_nowhere) = samples;
		return count;
	}
	if (load)
		count_load(source, samples, &count);
	else
		count_store(source, samples, &count);
	if (!access->mapped)
		count.unmapped = samples;
	return count;
}
