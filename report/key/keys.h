/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys themselves, one file a family, and what they share. Only for report/key*.c and report/layout.c.
 *
 * Widths, padding and the order of ties are those of perf 7.2's --stdio tables, which scripts read.
 */
#ifndef DTPROF_REPORT_KEY_KEYS_H
#define DTPROF_REPORT_KEY_KEYS_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/json.h"
#include "report/key/key.h"
#include "report/text.h"

/* key_figure.c */
extern const struct key key_overhead, key_children, key_sample, key_period;
extern const struct key key_latency_share, key_latency_children;
extern const struct key key_system, key_user, key_guest_system, key_guest_user;
/* key_task.c */
extern const struct key key_comm, key_comm_nodigit, key_pid, key_tid, key_tgid, key_cpu, key_parallelism;
/* key_place.c */
extern const struct key key_dso, key_dso_size, key_symbol, key_symbol_size, key_symoff, key_parent;
/* key_source.c */
extern const struct key key_source_line, key_source_file, key_language;
/* key_type.c */
extern const struct key key_type, key_typeoff, key_typecln, key_field, key_access, key_how, key_blame;
/* key_sample.c */
extern const struct key key_time, key_address, key_code_page_size, key_transaction, key_cgroup, key_cgroup_id,
	key_socket, key_simd;
/* key_trace.c */
extern const struct key key_trace_text;
/* key_memory.c */
extern const struct key key_level, key_snoop, key_tlb, key_locked, key_blocked;
/* key_address.c */
extern const struct key key_data_symbol, key_data_dso, key_data_cacheline, key_code_symbol,
	key_physical_address, key_data_page_size;
/* key_breakdown.c */
extern const struct key key_breakdown_operations, key_breakdown_caches, key_breakdown_memories,
	key_breakdown_snoops, key_breakdown_tlbs;
/* key_weight.c */
extern const struct key key_local_weight, key_weight, key_weight1, key_weight2, key_weight3, key_mean_stage;
extern const struct key key_local_latency, key_latency, key_local_retire, key_retire, key_local_stage,
	key_stage;

static inline int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static inline int smaller_first(uint64_t a, uint64_t b)
{
	return compare_numbers(b, a);
}

/* Kernel addresses first, as perf's signed difference has them. */
static inline int compare_addresses(uint64_t a, uint64_t b)
{
	int64_t difference = (int64_t)(b - a);

	return (difference > 0) - (difference < 0);
}

/* The events of a group in the order in which they decide: the chosen one, then the others, of which the
 * leader is the last, as in perf. */
static inline uint32_t event_in_order(const struct row_view *row, uint32_t i)
{
	if (i == 0 || row->first_event == 0)
		return i ? i : row->first_event;
	if (i + 1 == row->event_count)
		return 0;
	return i < row->first_event ? i : i + 1;
}

/* Two rows by a figure of their events, as figures[event].period. */
#define COMPARE_FIGURES(a, b, figure)                                                                        \
	({                                                                                                   \
		int order_ = 0;                                                                              \
                                                                                                             \
		for (uint32_t i_ = 0; i_ < (a)->event_count && !order_; i_++) {                              \
			uint32_t event = event_in_order(a, i_);                                              \
                                                                                                             \
			order_ = compare_numbers((a)->figure, (b)->figure);                                  \
		}                                                                                            \
		order_;                                                                                      \
	})

/* Positive where `a` comes first in the alphabet; nothing (NULL) comes last. */
static inline int alphabetical(const char *a, const char *b)
{
	if (a == b)
		return 0;
	return !a || !b ? (a ? 1 : -1) : strcmp(b, a);
}

static inline uint64_t pointer_word(const void *pointer)
{
	return (uintptr_t)pointer;
}

static inline unsigned int text_width(const char *text)
{
	return text ? (unsigned int)text_columns(text, strlen(text)) : 0;
}

static inline void add_padded(struct strbuf *buffer, unsigned int width, const char *text)
{
	size_t length = text ? text_fitting(text, strlen(text), width) : 0;
	size_t columns = text_columns(text ? text : "", length);

	strbuf_add(buffer, text, length);
	strbuf_add_repeated(buffer, ' ', width > columns ? width - columns : 0);
}

/*
 * A key by one number of the result, `member`: what tells rows apart, their order (`compare` is positive
 * where its first number comes first), what programs get, and the width of the column, which may use `row`
 * and `format`. Before it come id_cell() and id_json().
 */
#define NUMBER_KEY(id, key_name, key_header, key_summary, key_needs, member, compare, column_width)          \
	static void id##_identity(const struct result *result, uint64_t words[KEY_WORDS])                    \
	{                                                                                                    \
		words[0] = (uint64_t)result->member;                                                         \
	}                                                                                                    \
	static int id##_order(const struct row_view *a, const struct row_view *b)                            \
	{                                                                                                    \
		return compare((uint64_t)a->result->member, (uint64_t)b->result->member);                    \
	}                                                                                                    \
	static unsigned int id##_width(const struct row_view *row, const struct cell_format *format)         \
	{                                                                                                    \
		(void)row;                                                                                   \
		(void)format;                                                                                \
		return column_width;                                                                         \
	}                                                                                                    \
	const struct key key_##id = {                                                                        \
		.name = key_name,                                                                            \
		.header = key_header,                                                                        \
		.summary = key_summary,                                                                      \
		.needs = key_needs,                                                                          \
		.identity = id##_identity,                                                                   \
		.order = id##_order,                                                                         \
		.width = id##_width,                                                                         \
		.cell = id##_cell,                                                                           \
		.json = id##_json,                                                                           \
	}

/* Its json where that is the number itself. */
#define NUMBER_JSON(id, member)                                                                              \
	static void id##_json(const struct row_view *row, const char *name, struct json *json)               \
	{                                                                                                    \
		json_unsigned(json, name, row->result->member);                                              \
	}

#endif
