// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys of the data source that the processor gives with a memory sample: where the data came from, and what
 * it met on the way. Fields and bits: union perf_mem_data_src, perf_event_open(2). Words are those of
 * perf 7.2.
 */
#include "report/keys.h"

#include <linux/perf_event.h>

/* Bits and levels that headers of older systems do not name. */
#define LEVEL_NONE 0 /* lvl_num was not set */
#define LEVEL_NA   15

static union perf_mem_data_src source_of(const struct row_view *row)
{
	return (union perf_mem_data_src){ .val = row->result->data_source };
}

/* The names of all bits that are set, with "or" between. */
static void add_names(struct strbuf *buffer, const char *const *names, unsigned int count, uint64_t bits)
{
	size_t start = buffer->length;

	for (unsigned int i = 0; i < count; i++)
		if (names[i] && bits >> i & 1)
			strbuf_add_format(buffer, "%s%s", buffer->length > start ? " or " : "", names[i]);
}

static void pad_from(struct strbuf *buffer, size_t start, unsigned int width)
{
	while (buffer->length - start < width)
		strbuf_add_char(buffer, ' ');
}

/* A key by some bits of the source: equal in them, the smaller first, and never wider than its column. */
#define DATA_SOURCE_KEY(id, key_name, key_header, key_summary, key_width, bits)                              \
	static void id##_identity(const struct result *result, uint64_t words[KEY_WORDS])                    \
	{                                                                                                    \
		union perf_mem_data_src source = { .val = result->data_source };                             \
                                                                                                             \
		words[0] = (bits);                                                                           \
	}                                                                                                    \
	static int id##_order(const struct row_view *a, const struct row_view *b)                            \
	{                                                                                                    \
		uint64_t words[KEY_WORDS] = { 0 }, others[KEY_WORDS] = { 0 };                                \
                                                                                                             \
		id##_identity(a->result, words);                                                             \
		id##_identity(b->result, others);                                                            \
		return -compare_numbers(words[0], others[0]);                                                \
	}                                                                                                    \
	static unsigned int id##_width(const struct row_view *row, const struct cell_format *format)         \
	{                                                                                                    \
		(void)row;                                                                                   \
		(void)format;                                                                                \
		return key_width;                                                                            \
	}                                                                                                    \
	static void id##_cell(const struct row_view *row, const struct cell_format *format,                  \
			      struct strbuf *buffer)                                                         \
	{                                                                                                    \
		size_t start = buffer->length;                                                               \
                                                                                                             \
		id##_text(source_of(row), buffer);                                                           \
		pad_from(buffer, start, format->width);                                                      \
	}                                                                                                    \
	const struct key key_##id = {                                                                        \
		.name = key_name,                                                                            \
		.header = key_header,                                                                        \
		.summary = key_summary,                                                                      \
		.needs = NEED_DATA_SOURCE,                                                                   \
		.identity = id##_identity,                                                                   \
		.order = id##_order,                                                                         \
		.width = id##_width,                                                                         \
		.cell = id##_cell,                                                                           \
	}

/* mem_lvl_num where the processor's driver sets it (since Linux 4.14), with how far away it was; else the
 * bits of mem_lvl. */
static void level_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	static const char *const levels[] = { NULL,
					      NULL,
					      NULL,
					      "L1",
					      "LFB/MAB",
					      "L2",
					      "L3",
					      "Local RAM",
					      "Remote RAM (1 hop)",
					      "Remote RAM (2 hops)",
					      "Remote Cache (1 hop)",
					      "Remote Cache (2 hops)",
					      "I/O",
					      "Uncached" };
	static const char *const numbers[] = {
		[1] = "L1",         [2] = "L2",       [3] = "L3",
		[4] = "L4",         [5] = "L2 MHB",   [6] = "Memory-side Cache",
		[8] = "Uncached",   [9] = "CXL",      [10] = "I/O",
		[11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM",
		[14] = "PMEM",      [15] = NULL
	};
	static const char *const hops[] = {
		NULL, "core, same node", "node, same socket", "socket, same board", "board", NULL, NULL, NULL
	};
	unsigned int number = source.mem_lvl_num;
	size_t start = buffer->length;

	if (number != LEVEL_NONE && number != LEVEL_NA) {
		if (source.mem_remote)
			strbuf_add_string(buffer, "Remote ");
		if (hops[source.mem_hops])
			strbuf_add_format(buffer, "%s ", hops[source.mem_hops]);
		if (numbers[number])
			strbuf_add_string(buffer, numbers[number]);
		else
			strbuf_add_format(buffer, "Unknown level %u", number);
	} else {
		add_names(buffer, levels, sizeof(levels) / sizeof(*levels), source.mem_lvl);
	}
	if (buffer->length == start)
		strbuf_add_string(buffer, "N/A");
	else if (source.mem_lvl & PERF_MEM_LVL_HIT)
		strbuf_add_string(buffer, " hit");
	else if (source.mem_lvl & PERF_MEM_LVL_MISS)
		strbuf_add_string(buffer, " miss");
}

DATA_SOURCE_KEY(level, "mem", "Memory access", "where the data came from: L1, L2, RAM, remote ...", 39,
		(uint64_t)source.mem_lvl << 32 | (uint64_t)source.mem_remote << 24 |
			(uint64_t)source.mem_hops << 16 | source.mem_lvl_num);

static void snoop_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };
	size_t start = buffer->length;

	add_names(buffer, names, sizeof(names) / sizeof(*names),
		  source.mem_snoop | (uint64_t)source.mem_snoopx << 5);
	if (buffer->length == start)
		strbuf_add_string(buffer, "N/A");
}

DATA_SOURCE_KEY(snoop, "snoop", "Snoop", "what other caches had of it", 12,
		source.mem_snoop | (uint64_t)source.mem_snoopx << 5);

static void tlb_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	static const char *const names[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };
	size_t start = buffer->length;

	add_names(buffer, names, sizeof(names) / sizeof(*names), source.mem_dtlb);
	if (buffer->length == start)
		strbuf_add_string(buffer, "N/A");
	if (source.mem_dtlb & PERF_MEM_TLB_HIT)
		strbuf_add_string(buffer, " hit");
	if (source.mem_dtlb & PERF_MEM_TLB_MISS)
		strbuf_add_string(buffer, " miss");
}

DATA_SOURCE_KEY(tlb, "tlb", "TLB access", "how the address was translated", 22, source.mem_dtlb);

static void locked_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	if (source.mem_lock & PERF_MEM_LOCK_NA)
		strbuf_add_string(buffer, "N/A");
	else
		strbuf_add_string(buffer, source.mem_lock & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
}

DATA_SOURCE_KEY(locked, "locked", "Locked", "whether the access was a locked one", 6, source.mem_lock);

static void blocked_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	if (!source.mem_blk || source.mem_blk & PERF_MEM_BLK_NA) {
		strbuf_add_string(buffer, " N/A");
		return;
	}
	if (source.mem_blk & PERF_MEM_BLK_DATA)
		strbuf_add_string(buffer, " Data");
	if (source.mem_blk & PERF_MEM_BLK_ADDR)
		strbuf_add_string(buffer, " Addr");
}

DATA_SOURCE_KEY(blocked, "blocked", "Blocked", "whether the load waited for data or for an address", 10,
		source.mem_blk);
