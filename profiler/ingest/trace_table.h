/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For count*.c only: the values of tracepoint fields, interned, so that all of a sample are one number. */
#ifndef DTPROF_INGEST_TRACE_TABLE_H
#define DTPROF_INGEST_TRACE_TABLE_H

#include "profiler/base/hash.h"
#include "profiler/base/strbuf.h"
#include "profiler/ingest/session.h"

struct sample;
struct trace_texts;

/* Values of the first n fields are one number: that of the value of the n-th, below those before it. */
struct trace_node {
	uint32_t before; /* node; 0: it is the first */
	uint32_t value;
};

struct trace_table {
	const struct trace_choice *choices; /* of the options */
	struct trace_texts *texts;          /* of the same samples */
	size_t choice_count;
	struct hash_map *numbers; /* for each choice: of a text, by its address */
	struct traced_value *values;
	size_t value_count, value_capacity;
	struct hash_map node_of; /* before << 32 | value */
	struct trace_node *nodes;
	size_t node_count, node_capacity;
	struct string_pool pool;
	struct strbuf text; /* of the value that is looked up */
};

void trace_table_init(struct trace_table *table, const struct trace_choice *choices, size_t count,
		      struct trace_texts *texts);
void trace_table_release(struct trace_table *table);
/* The number of a sample's values; `swap`: the recording is of the other byte order. */
uint32_t trace_table_add(struct trace_table *table, const struct sample *sample, bool swap);
/* The values, one for each choice. Their texts are those of table->pool. */
void trace_table_values(const struct trace_table *table, uint32_t number, struct traced_value *values);

#endif
