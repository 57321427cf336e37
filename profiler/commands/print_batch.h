/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records on their way to standard output: several threads make their text, which is written in the
 * order of the records.
 */
#ifndef DTPROF_COMMANDS_PRINT_BATCH_H
#define DTPROF_COMMANDS_PRINT_BATCH_H

#include "profiler/commands/print_value.h"

/* A record. Its data and plan are the caller's, and stay as they are until print_batch_flush(). */
struct batch_record {
	const struct value_plan *plan;
	const uint8_t *data;
	uint64_t size;
	const char *named; /* as in struct value_options */
};

struct print_batch {
	const struct value_options *options; /* without `named` */
	struct json *json;                   /* its open array gets the records; NULL: text */
	struct batch_record *records;
	size_t count, capacity;
	uint64_t bytes;          /* of the records, and some for each of their members */
	uint64_t taken, written; /* bytes of all records, and of their text */
};

/* Adds a record, and writes those so far if they are many. */
void print_batch_add(struct print_batch *batch, const struct batch_record *record);
/* Returns whether there was more text than records of so many bytes have, unless their type has
 * very many members at one place. */
bool print_batch_is_excessive(const struct print_batch *batch);
/* Writes all records. Call it after the last one. */
void print_batch_flush(struct print_batch *batch);

#endif
