/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of c2c report: samples grouped by cacheline, and within a line by offset and by what
 * --coalesce names. Lines, rows and their order are those of perf 7.2.
 *
 * Samples are added in the order of time, because some columns depend on it as they do in perf: a
 * row stands for its first sample, and "PA cnt" counts changes of the physical address.
 */
#pragma once

#include "base/strbuf.h"
#include "report/callgraph.h"
#include "report/result.h"

/* ---- counts by data source ---- */

/* Counts of memory accesses by their data source, with the meaning that perf c2c gives to the parts
 * of a source. Source: union perf_mem_data_src, perf_event_open(2). */

/* The counts, each as COUNT(name, label). The label is that of the table "Trace Event Information";
 * NULL if the table does not show the count by itself. */
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

struct c2c_count c2c_count_of(const struct c2c_access *access);

static inline uint64_t c2c_hitm(const struct c2c_count *count)
{
	return count->lcl_hitm + count->rmt_hitm;
}

static inline uint64_t c2c_peer(const struct c2c_count *count)
{
	return count->lcl_peer + count->rmt_peer;
}

/* Returns the loads that missed the last-level cache of their node. */
static inline uint64_t c2c_llc_misses(const struct c2c_count *count)
{
	return count->lcl_dram + count->rmt_dram + count->rmt_hitm + count->rmt_hit;
}

/* "Total Loads" of known levels. Remote memory and remote cache counts twice. */
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

/* ---- lines and rows ---- */

/* The count that lines are sorted by and shown for: -d. */
enum c2c_display { C2C_TOTAL_HITM, C2C_LOCAL_HITM, C2C_REMOTE_HITM, C2C_PEER };

/* Parts of a row's identity, beside the offset: -c. */
enum c2c_part { C2C_PID = 1 << 0, C2C_TID = 1 << 1, C2C_CODE = 1 << 2, C2C_DSO = 1 << 3 };

/* The nodes of the recorded machine. */
struct c2c_nodes {
	uint32_t count;        /* 0: the file does not say */
	const int32_t *of_cpu; /* node of each processor; -1: none */
	uint32_t cpu_count;
};

struct c2c_options {
	enum c2c_display display;
	unsigned int parts;     /* set of enum c2c_part */
	const char *parts_text; /* as the user gave them: "pid,iaddr" */
	uint64_t cacheline;     /* bytes of a line, or of two with --double-cl; a power of two */
	bool show_all;          /* also lines without what `display` counts */
	struct c2c_nodes nodes;
	struct callgraph *callgraph; /* NULL: rows keep no call chains */
};

/* One sample, with what rows show besides counts. */
struct c2c_sample {
	const struct result_place *place;
	const struct result_data *data; /* NULL: the data address is not known */
	const char *thread;
	uint64_t ip;               /* address of the instruction that made the access */
	uint64_t address;          /* data address */
	uint64_t physical_address; /* 0: not recorded */
	uint64_t source;           /* union perf_mem_data_src */
	uint64_t weight;
	uint64_t samples, period;
	uint32_t chain; /* number of the call chain's innermost frame; 0: none */
	int32_t pid, tid, cpu;
	int32_t memory_node; /* of the physical address; -1: not known */
	char level;          /* as in struct result */
	bool is_private;     /* another process has other data at this address */
	/* the data is in a map of the process, or of the kernel if that accesses it */
	bool mapped;
};

/* Mean weights of the loads of one kind. */
struct c2c_mean {
	uint64_t count;
	double mean;
};

enum c2c_mean_kind {
	C2C_MEAN_RMT_HITM,
	C2C_MEAN_LCL_HITM,
	C2C_MEAN_RMT_PEER,
	C2C_MEAN_LCL_PEER,
	C2C_MEAN_LOAD,
	C2C_MEANS
};

/* A line, or one of its rows. */
struct c2c_row {
	struct c2c_sample first; /* its first sample */
	struct c2c_count count;
	uint64_t period;
	uint32_t last_chain;              /* of rows: see callgraph_note() */
	struct c2c_count *by_node;        /* of rows, for each node */
	struct c2c_mean means[C2C_MEANS]; /* of rows */
	uint64_t *cpus, *memory_nodes;    /* sets of numbers, as bits */
	uint64_t physical_changes;        /* changes of the physical address, */
	uint64_t last_physical;           /* and the last one */
	bool hidden;                      /* it has neither stores nor what `display` counts */
};

struct c2c_line {
	struct c2c_row whole;
	struct c2c_row *rows; /* in the order of the table; hidden ones, too */
	size_t row_count;
	bool shown; /* it has what `display` counts, or --show-all */
};

struct c2c_builder;

struct c2c_table {
	struct c2c_options options;
	struct c2c_count total;  /* of all samples */
	struct c2c_count shared; /* of lines with HITM or peer accesses, */
	uint64_t shared_lines;   /* and how many these are */
	struct c2c_line *lines;  /* in the order of the table */
	size_t line_count;
	size_t cpu_words, node_words; /* words of the rows' sets */
	struct c2c_builder *builder;
};

/* Returns an empty table. All samples are first announced, and then added in the order of time, in
 * parts: so that only lines with HITM or peer accesses are kept, or all of them with show_all.
 * Places and threads outlive the table. Free it with c2c_table_destroy(). */
struct c2c_table *c2c_table_create(const struct c2c_options *options);
void c2c_table_announce(struct c2c_table *table, const struct c2c_sample *samples, size_t count);
void c2c_table_add(struct c2c_table *table, const struct c2c_sample *samples, size_t count);
/* Sorts lines and rows, after all samples. */
void c2c_table_finish(struct c2c_table *table);
void c2c_table_destroy(struct c2c_table *table);

uint64_t c2c_displayed(const struct c2c_count *count, enum c2c_display display);

static inline bool c2c_set_has(const uint64_t *set, uint32_t number)
{
	return set[number / 64] >> number % 64 & 1;
}

/* ---- text, in the form of perf 7.2's c2c report --stdio ---- */

struct c2c_print_options {
	bool on_terminal; /* no headings of a table without rows, which are wider than the screen */
	const char *const *events; /* names */
	size_t event_count;
	/* -N: 0 nodes, 1 with processors and shares, 2 with lists of processors */
	unsigned int node_info;
	bool stats_only; /* --stats */
	bool full_symbols;
	bool no_source, verbose;
};

/* Appends the tables: trace events, shared lines, lines, and rows of each line (Pareto). */
void print_c2c(const struct c2c_table *table, const struct c2c_print_options *options,
	       struct strbuf *buffer);
