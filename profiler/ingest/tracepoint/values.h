/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For count*.c only: texts of whole tracepoint records, and values of their fields, interned while
 * samples are counted, so that each text is one number, and so are all values of a sample.
 */
#ifndef DTPROF_INGEST_TRACEPOINT_VALUES_H
#define DTPROF_INGEST_TRACEPOINT_VALUES_H

#include "profiler/base/hash.h"
#include "profiler/base/strbuf.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/tracepoint/print.h"

struct sample;

/* ---- texts of whole records ---- */

struct trace_texts {
	struct session *session;
	bool raw; /* print fields one by one, without the print format */
	struct arena arena;
	struct trace_event *events; /* by the index of the event */
	struct string_pool pool;
	struct hash_map numbers; /* number of a text, by its address */
	const char **texts;      /* by number; the first is NULL */
	size_t count, capacity;
	struct strbuf text; /* of the current sample */
};

void trace_texts_init(struct trace_texts *texts, struct session *session, bool raw);
void trace_texts_deinit(struct trace_texts *texts);
/*
 * Returns the number of the text of a sample; 0 if it is incomplete, or if the file does not
 * describe its event.
 */
uint32_t trace_texts_add(struct trace_texts *texts, const struct sample *sample);
/* Adds what follows "NAME=" in the text of a sample, up to a space; false if that is not in it. */
bool trace_texts_value(struct trace_texts *texts, const struct sample *sample, const char *name,
		       struct strbuf *value);

/* ---- values of fields ---- */

/*
 * The values of the first n fields are one number: the value of the n-th field, and the number of
 * those before it.
 */
struct trace_path {
	uint32_t before; /* index in nodes; 0: this is the first field */
	uint32_t value;
};

struct trace_table {
	const struct trace_choice *choices; /* of the options */
	struct trace_texts *texts;          /* of the same samples */
	size_t choice_count;
	struct hash_map *numbers; /* for each choice, the number of a text by its address */
	struct traced_value *values;
	size_t value_count, value_capacity;
	struct hash_map node_of; /* before << 32 | value */
	struct trace_path *nodes;
	size_t node_count, node_capacity;
	struct string_pool pool;
	struct strbuf text; /* of the current value */
};

void trace_table_init(struct trace_table *table, const struct trace_choice *choices, size_t count,
		      struct trace_texts *texts);
void trace_table_deinit(struct trace_table *table);
/*
 * Returns the number of a sample's values. `swap` tells that the recording has the other byte
 * order.
 */
uint32_t trace_table_add(struct trace_table *table, const struct sample *sample, bool swap);
/* Sets `values`, one for each choice. Their texts belong to table->pool. */
void trace_table_values(const struct trace_table *table, uint32_t number, struct traced_value *values);

#endif
