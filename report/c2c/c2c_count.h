/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of memory accesses by their data source, with the meaning that perf c2c gives to the parts
 * of a source. Source: union perf_mem_data_src, perf_event_open(2).
 */
#ifndef DTPROF_REPORT_C2C_COUNT_H
#define DTPROF_REPORT_C2C_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The counts, each as COUNT(name, label). The label is that of "Trace Event Information"; NULL: the
 * count is not shown there by itself.
 */
// clang-format off
#define C2C_COUNTS(COUNT) \
	COUNT(records,      "Total records") \
	COUNT(locks,        "Locked Load/Store Operations") \
	COUNT(loads,        "Load Operations") \
	COUNT(ld_uncached,  "Loads - uncacheable") \
	COUNT(ld_io,        "Loads - IO") \
	COUNT(ld_miss,      "Loads - Miss") \
	COUNT(ld_nowhere,   "Loads - no mapping")         /* without a data address */ \
	COUNT(ld_buffer,    "Load Fill Buffer Hit") \
	COUNT(ld_l1,        "Load L1D hit") \
	COUNT(ld_l2,        "Load L2D hit") \
	COUNT(ld_llc,       NULL)                         /* without HITM */ \
	COUNT(lcl_hitm,     "Load Local HITM") \
	COUNT(rmt_hitm,     "Load Remote HITM") \
	COUNT(rmt_hit,      "Load Remote HIT") \
	COUNT(lcl_dram,     "Load Local DRAM") \
	COUNT(rmt_dram,     "Load Remote DRAM") \
	COUNT(ld_exclusive, "Load MESI State Exclusive")  /* from memory, in no other cache */ \
	COUNT(ld_shared,    "Load MESI State Shared") \
	COUNT(blocked_data, "Load access blocked by data") \
	COUNT(blocked_addr, "Load access blocked by address") \
	COUNT(lcl_peer,     "Load HIT Local Peer") \
	COUNT(rmt_peer,     "Load HIT Remote Peer") \
	COUNT(stores,       "Store Operations") \
	COUNT(st_uncached,  "Store - uncacheable") \
	COUNT(st_nowhere,   "Store - no mapping") \
	COUNT(st_l1_hit,    "Store L1D Hit") \
	COUNT(st_l1_miss,   "Store L1D Miss") \
	COUNT(st_unknown,   "Store No available memory level") \
	COUNT(unmapped,     "No Page Map Rejects")        /* data or instruction is in no map */ \
	COUNT(no_source,    "Unable to parse data source")
// clang-format on

struct c2c_count {
#define C2C_MEMBER(name, label) uint64_t name;
	C2C_COUNTS(C2C_MEMBER)
#undef C2C_MEMBER
};

static inline void c2c_count_add(struct c2c_count *sum, const struct c2c_count *more)
{
#define C2C_ADD(name, label) sum->name += more->name;
	C2C_COUNTS(C2C_ADD)
#undef C2C_ADD
}

/* One access, as far as counting needs it. */
struct c2c_access {
	uint64_t source;  /* union perf_mem_data_src */
	bool has_address; /* the data address is known */
	bool mapped;      /* both data and instruction are in maps */
	uint64_t samples; /* that agree in this */
};

/* Returns the counts of one access. */
struct c2c_count c2c_count_of(const struct c2c_access *access);

static inline uint64_t c2c_hitm(const struct c2c_count *count)
{
	return count->lcl_hitm + count->rmt_hitm;
}

static inline uint64_t c2c_peer(const struct c2c_count *count)
{
	return count->lcl_peer + count->rmt_peer;
}

/* Loads that left the last cache of their node. */
static inline uint64_t c2c_llc_misses(const struct c2c_count *count)
{
	return count->lcl_dram + count->rmt_dram + count->rmt_hitm + count->rmt_hit;
}

/* "Total Loads": those whose level is known. A load that is remote memory and remote cache counts
 * twice. */
static inline uint64_t c2c_known_loads(const struct c2c_count *count)
{
	return c2c_llc_misses(count) + count->ld_buffer + count->ld_l1 + count->ld_l2 +
	       count->ld_llc + count->lcl_hitm;
}

/* "Total records" of a line: accesses whose level is known. */
static inline uint64_t c2c_known_records(const struct c2c_count *count)
{
	return c2c_known_loads(count) + count->st_l1_hit + count->st_l1_miss + count->st_unknown;
}

#endif
