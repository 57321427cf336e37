/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of waits for locks: by struct and field, caller, address or thread, as text in the form of
 * perf lock contention, as separated values, or as JSON (Documentation/json.md).
 */
#ifndef DTPROF_REPORT_LOCK_LOCK_TABLE_H
#define DTPROF_REPORT_LOCK_LOCK_TABLE_H

#include "base/error.h"
#include "base/strbuf.h"
#include "report/json.h"
#include "report/lock/lock_waits.h"

enum lock_view {
	LOCK_BY_FIELD,
	LOCK_BY_CALLER,
	LOCK_BY_ADDRESS,
	LOCK_BY_THREAD,
};

/* Columns, and what rows are sorted by. */
enum lock_key {
	LOCK_CONTENDED,
	LOCK_WAIT_TOTAL,
	LOCK_WAIT_MAX,
	LOCK_WAIT_MIN,
	LOCK_AVG_WAIT,
	LOCK_KEYS,
};

/* Appends a time in ns, in `width` columns, with the largest unit of which it has one: "  5.54 ms".
 */
void lock_table_add_time(struct strbuf *text, uint64_t time, int width);

/* A frame of the callers that -v shows. */
struct lock_frame {
	uint64_t address;
	const char *name; /* "do_user_addr_fault+0x2d7", or "[unknown]" */
};

struct lock_table_options {
	enum lock_view view;
	enum lock_key sort;
	enum lock_key columns[LOCK_KEYS];
	size_t column_count;
	unsigned int entries; /* rows shown; 0: all */
	unsigned int callers; /* LOCK_BY_FIELD: callers shown below each lock */
	const char *separator;
	bool headings;
	unsigned int width; /* of the terminal; 0: not limited */
	bool narrow;        /* set by lock_table_fit() */
	/* -v, or NULL: sets *frame to the next of a chain, *next to its caller. False: none. */
	bool (*frame)(void *data, uint32_t number, struct lock_frame *frame, uint32_t *next);
	void *frame_data;
	unsigned int depth; /* frames of a chain that are shown */
};

/* Sets the key of a name as perf has it ("wait_total"). False: there is none. */
bool lock_key_parse(const char *name, size_t length, enum lock_key *key);

/* Makes the columns narrow if the names would not fit into `width`, and leaves out the last ones
 * unless they were chosen. */
void lock_table_fit(struct lock_table_options *options, bool chosen);
/* Appends the table. */
void lock_table_text(const struct lock_waits *waits, const struct lock_table_options *options,
		     struct strbuf *text);
/* Writes the rows as an array `name`. */
void lock_table_json(const struct lock_waits *waits, const struct lock_table_options *options,
		     struct json *json, const char *name);

#endif
