/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys that are defined in files of their family, and what keys share: comparisons, padding and
 * callbacks for plain values. For the files of report/ only.
 *
 * Widths, padding and the order of ties are those of perf 7.2's --stdio tables, which scripts read.
 */
#pragma once

#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "report/json.h"
#include "report/key/key.h"
#include "report/text.h"

/* The beginnings of callbacks of struct key. */
#define KEY_CELL(function)                                                                         \
	void function(const struct key *key _unused_, const struct row_view *row _unused_,         \
		      const struct cell_format *format _unused_, struct strbuf *buffer)
#define KEY_WIDTH(function)                                                                        \
	unsigned int function(const struct key *key _unused_, const struct row_view *row _unused_, \
			      const struct cell_format *format _unused_)
#define KEY_IDENTITY(function)                                                                     \
	void function(const struct key *key _unused_, const struct result *result,                 \
		      uint64_t words[KEY_WORDS])
#define KEY_ORDER(function)                                                                        \
	int function(const struct key *key _unused_, const struct row_view *a _unused_,            \
		     const struct row_view *b _unused_)
#define KEY_JSON(function)                                                                         \
	void function(const struct key *key, const struct row_view *row, struct json *json)

/* key_figure.c */
extern const struct key key_overhead, key_children, key_sample, key_period;
extern const struct key key_weight1, key_weight2, key_weight3, key_mean_stage;
extern const struct key key_operation_breakdown, key_cache_breakdown, key_memory_breakdown,
	key_snoop_breakdown, key_tlb_breakdown;
/* key_sample.c */
extern const struct key key_comm, key_pid, key_tid, key_tgid, key_cpu;
extern const struct key key_time, key_transaction, key_cgroup;
extern const struct key key_weight, key_latency, key_retire, key_stage;
extern const struct key key_trace_text;
/* key_code.c */
extern const struct key key_dso, key_symbol, key_symbol_size, key_symoff;
/* key_data.c: types */
extern const struct key key_type, key_typeoff, key_typecln, key_field, key_waiting,
	key_waiting_field;
/* key_data.c */
extern const struct key key_copy;
extern const struct key key_level, key_snoop, key_tlb, key_locked, key_blocked;
extern const struct key key_data_symbol, key_data_dso, key_data_cacheline, key_code_symbol,
	key_physical_address;

static inline int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Returns a positive number if a < b. */
static inline int smaller_first(uint64_t a, uint64_t b)
{
	return compare_numbers(b, a);
}

/* The same for signed numbers of 32 bits. */
static inline int smaller_signed_first(uint64_t a, uint64_t b)
{
	return ((int32_t)a < (int32_t)b) - ((int32_t)a > (int32_t)b);
}

/* Returns a positive number if a is first. The kernel's precede: perf's are signed. */
static inline int compare_addresses(uint64_t a, uint64_t b)
{
	int64_t difference = (int64_t)(b - a);

	return (difference > 0) - (difference < 0);
}

/* Returns a positive number if `a` comes first in the alphabet. NULL comes last. */
static inline int alphabetical(const char *a, const char *b)
{
	if (a == b)
		return 0;
	return !a || !b ? (a ? 1 : -1) : strcmp(b, a);
}

/* Returns an interned string as a word of an identity. */
static inline uint64_t pointer_word(const void *pointer)
{
	return (uintptr_t)pointer;
}

/* Returns the columns of a text, 0 for NULL. */
static inline unsigned int text_width(const char *text)
{
	return text ? (unsigned int)text_columns(text, strlen(text)) : 0;
}

/* Appends `text`, which may be NULL, cut or padded to `width` columns. */
static inline void add_padded(struct strbuf *buffer, unsigned int width, const char *text)
{
	size_t length = text ? text_fitting(text, strlen(text), width) : 0;
	size_t columns = text_columns(text ?: "", length);

	strbuf_add(buffer, text, length);
	strbuf_add_repeated(buffer, ' ', width > columns ? width - columns : 0);
}

/*
 * Callbacks of plain keys (plain.c). They work on key->value: text_...() on a string, or that of
 * key->text; number_...() on an unsigned number, which is sorted by key->compare and whose column
 * has key->column_width:
 *
 *   { .name = "srcfile", PLACE_TEXT(source_file), .cell = text_cell }
 *   { .name = "addr", RESULT_NUMBER(ip, compare_addresses, 18),
 *     .cell = address_cell, .json = number_json }
 */
const char *text_of(const struct key *key, const struct result *result);
KEY_IDENTITY(text_identity);
KEY_ORDER(text_order);
KEY_WIDTH(text_cell_width);
KEY_CELL(text_cell);

uint64_t number_of(const struct key *key, const struct result *result);
KEY_IDENTITY(number_identity);
KEY_ORDER(number_order);
KEY_WIDTH(number_width);
KEY_JSON(number_json);
KEY_JSON(signed_json);
KEY_JSON(text_json);

KEY_ORDER(dso_order);

/* A key as users see it: its name, its heading, and its line in --help. */
#define KEY(name_, header_, summary_) .name = name_, .header = header_, .summary = summary_

#define MEMBER_OF_RESULT(member)                                                                   \
	{                                                                                          \
		offsetof(struct result, member), sizeof(((struct result *)0)->member), false       \
	}
#define MEMBER_OF_PLACE(member)                                                                    \
	{                                                                                          \
		offsetof(struct result_place, member), sizeof(((struct result_place *)0)->member), \
			true                                                                       \
	}

/* The text `member` of struct result or struct result_place. */
#define PLAIN_TEXT          .identity = text_identity, .order = text_order, .width = text_cell_width
#define RESULT_TEXT(member) PLAIN_TEXT, .value = MEMBER_OF_RESULT(member)
#define PLACE_TEXT(member)  PLAIN_TEXT, .value = MEMBER_OF_PLACE(member)

/* The number `member` of struct result or struct result_place in a column of `width_`. */
#define PLAIN_NUMBER(comparison, width_)                                                           \
	.compare = comparison, .column_width = width_, .identity = number_identity,                \
	.order = number_order, .width = number_width
#define RESULT_NUMBER(member, comparison, width_)                                                  \
	.value = MEMBER_OF_RESULT(member), PLAIN_NUMBER(comparison, width_)
#define PLACE_NUMBER(member, comparison, width_)                                                   \
	.value = MEMBER_OF_PLACE(member), PLAIN_NUMBER(comparison, width_)
