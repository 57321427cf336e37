/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON (RFC 8259), written as it is made: nothing is kept but what has not been flushed yet.
 *
 *   struct json json = JSON_INIT(flush, data);
 *   json_object(&json, NULL);
 *   json_string(&json, "name", "lua");
 *   json_end(&json);
 *   json_finish(&json);
 *
 * `name` is that of a member where an object is open, and NULL in arrays and for the outermost value. Bytes
 * that are no UTF-8 become U+FFFD, so that what comes out is always valid; numbers that JSON does not have
 * (infinite, not a number) become null.
 */
#ifndef DTPROF_REPORT_JSON_H
#define DTPROF_REPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/strbuf.h"

#define JSON_DEPTH 256

struct json {
	struct strbuf text;
	void (*flush)(void *data, const char *text, size_t length); /* takes what is written so far */
	void *data;
	unsigned int depth;
	bool filled[JSON_DEPTH]; /* by level: whether it has a value already */
	char close[JSON_DEPTH];
};

#define JSON_INIT(flush_function, flush_data)                                                                \
	{                                                                                                    \
		.text = STRBUF_INIT, .flush = (flush_function), .data = (flush_data)                         \
	}

void json_object(struct json *json, const char *name);
void json_array(struct json *json, const char *name);
/* Of the object or array that was opened last. */
void json_end(struct json *json);
void json_string(struct json *json, const char *name, const char *value); /* NULL: null */
void json_unsigned(struct json *json, const char *name, uint64_t value);
void json_signed(struct json *json, const char *name, int64_t value);
void json_double(struct json *json, const char *name, double value);
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);
/* A newline at the end; flushes, and frees what is held. */
void json_finish(struct json *json);

/* Bytes of the UTF-8 sequence at `text`, which has `length`; 0: it is none (Unicode 15, table 3-7). */
size_t utf8_sequence(const char *text, size_t length);

/* Comma-separated values: RFC 4180, but lines end with a newline alone. */

/* One value, quoted where it must be; bytes that are no UTF-8 become U+FFFD. NULL: empty. */
void csv_add_text(struct strbuf *buffer, const char *text);

#endif
