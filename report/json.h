/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes JSON (RFC 8259) and comma-separated values. JSON is streamed: only text that has not been
 * flushed yet is kept.
 *
 *   struct json json = JSON_INIT(flush, data);
 *   json_object(&json, NULL);
 *   json_string(&json, "name", "lua");
 *   json_end(&json);
 *   json_finish(&json);
 *
 * `name` is the member's name inside an object, and NULL inside an array and for the outermost
 * value. The output is always valid: bytes that are not UTF-8 become U+FFFD, and infinities and NaN
 * become null.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"

#define JSON_DEPTH_MAX 256

struct json {
	struct strbuf text;
	/* receives the text so far; NULL: all text is kept (json_part_init()) */
	void (*flush)(void *data, const char *text, size_t length);
	void *data;
	bool compact;   /* no line breaks and no indentation */
	bool printable; /* control characters of strings become '?' instead of escapes */
	unsigned int depth;
	bool filled[JSON_DEPTH_MAX]; /* for each open level: it has a value already */
	char close[JSON_DEPTH_MAX];
};

#define JSON_INIT(flush_function, flush_data)                                                      \
	{                                                                                          \
		.text = STRBUF_INIT, .flush = (flush_function), .data = (flush_data)               \
	}

void json_object(struct json *json, const char *name);
void json_array(struct json *json, const char *name);
/* Opens the object of a document, and says which format it has. `name`: as a member; or NULL. */
void json_start(struct json *json, const char *name, const char *format, unsigned int version);
/* Closes the object or array that was opened last. */
void json_end(struct json *json);
/* Writes an array with an object for each element, whose members the statement writes, without
 * break: json_each (json, "rows", const struct row, row, rows, count) ... */
#define json_each(json, name, type, item, items, count)                                            \
	for (bool item##_open = (json_array((json), (name)), true); item##_open;                   \
	     json_end(json), item##_open = false)                                                  \
		for (type *item = (items);                                                         \
		     (count) && item < (items) + (count) && (json_object((json), NULL), true);     \
		     json_end(json), item++)
void json_string(struct json *json, const char *name, const char *value); /* NULL: null */
void json_unsigned(struct json *json, const char *name, uint64_t value);
void json_signed(struct json *json, const char *name, int64_t value);
void json_double(struct json *json, const char *name, double value); /* six digits */
/* Writes a number so that reading it gives the same double, or float if `single`: 0.1, not
 * 0.10000000000000001. */
void json_double_exact(struct json *json, const char *name, double value, bool single);
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);
/* Writes the size of a type or member; null if it depends on the object, and is not known. */
static inline void json_size(struct json *json, uint64_t size, bool unknown)
{
	if (unknown)
		json_null(json, "size");
	else
		json_unsigned(json, "size", size);
}
/* Writes the first and the last of several lines as an array of two; LINES_OPEN (text.h): null. */
void json_lines(struct json *json, const char *name, uint64_t first, uint64_t last);
struct result_copy;

/* Writes the members of a copy: text, type, size, bytes and so on. */
void json_copy(struct json *json, const struct result_copy *copy);
/* Closes all that is open, appends a newline, flushes and frees the memory. */
void json_finish(struct json *json);

/* Parts of one array or object that are written at the same time. A part begins on the level that
 * is open in `whole`; its values come before or after those of other parts. json_add_part() appends
 * it, and frees it. */
void json_part_init(struct json *part, const struct json *whole);
void json_add_part(struct json *whole, struct json *part);

/* ---- comma-separated values: RFC 4180, but lines end with a newline alone ---- */

/* Appends a value, quoted if necessary; NULL is empty, controls '?', no UTF-8 U+FFFD. */
void csv_add_text(struct strbuf *buffer, const char *text);
/* Appends a comma and the value for each of the texts. */
#define csv_add_next(buffer, ...)                                                                  \
	csv_add_texts(buffer, (const char *const[]){ __VA_ARGS__ },                                \
		      COUNT_OF(((const char *const[]){ __VA_ARGS__ })))
void csv_add_texts(struct strbuf *buffer, const char *const *texts, size_t count);

/* ---- compression: a stream that compresses what is added to it by gzip (RFC 1952) ---- */

#define GZIP_DEFAULT  (-1) /* zlib's choice between time and size */
#define GZIP_SMALLEST 9

/* Receives the compressed bytes in order. */
typedef void gzip_receiver(void *data, const char *bytes, size_t length);

struct gzip_sink;

/* Begins a stream. `sink` is called with `data`, which must outlive the stream. */
struct error *gzip_sink_create(gzip_receiver *sink, void *data, int level, struct gzip_sink **gzip);
/* Adds bytes; `gzip` is a struct gzip_sink. Has the form of `flush` in struct json. */
void gzip_sink_add(void *gzip, const char *bytes, size_t length);
/* Passes on what is left and frees the stream. Returns the first error. */
struct error *gzip_sink_destroy(struct gzip_sink *gzip);
