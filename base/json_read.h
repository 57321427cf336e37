/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads JSON (RFC 8259) value by value, from the first to the last. The caller knows the form that
 * it wants; after a mistake nothing more is read, and json_reader_finish() says where it is.
 *
 *	json_read_object(reader);
 *	while ((name = json_read_member(reader)))
 *		if (strcmp(name, "size") == 0)
 *			size = json_read_integer(reader);
 *		else
 *			json_read_other(reader);
 */
#pragma once

#include "base/error.h"
#include "base/hash.h"

struct json_reader {
	const char *text;
	size_t size, position;
	bool fresh;                  /* an object or array was opened, and nothing is read of it */
	const char *problem;         /* the first mistake; NULL: none */
	struct string_pool *strings; /* of all texts */
};

/* The text stays the caller's. */
struct json_reader json_reader_of(const char *text, size_t size, struct string_pool *strings);

void json_read_object(struct json_reader *reader);
void json_read_array(struct json_reader *reader);
/* Returns the name of the next member, whose value is read next; NULL: the object ends. */
const char *json_read_member(struct json_reader *reader);
/* Returns whether the array has one more element, which is read next. */
bool json_read_element(struct json_reader *reader);
/* Returns a string; NULL: it is null. */
const char *json_read_string(struct json_reader *reader);
/* Read a whole number. */
int64_t json_read_integer(struct json_reader *reader);
uint64_t json_read_count(struct json_reader *reader);
/* Passes over a value of any kind. */
void json_read_other(struct json_reader *reader);

/* Notes a mistake in what was read; `problem` lives as long as the reader. */
void json_reader_fail(struct json_reader *reader, const char *problem);
/* Returns the mistake with its line, or that more follows the value that was read. */
struct error *json_reader_finish(struct json_reader *reader, const char *path);
