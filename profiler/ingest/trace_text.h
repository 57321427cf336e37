/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For count*.c only: the texts of whole tracepoint records, interned, so that each is one number. */
#ifndef DTPROF_INGEST_TRACE_TEXT_H
#define DTPROF_INGEST_TRACE_TEXT_H

#include "profiler/base/hash.h"
#include "profiler/ingest/trace_print.h"

struct sample;
struct session;

struct trace_texts {
	struct session *session;
	bool raw; /* fields one by one, whatever the print format says */
	struct arena arena;
	struct trace_event *events; /* by index */
	struct string_pool pool;
	struct hash_map numbers; /* of a text, by its address */
	const char **texts;      /* by number; the first is none */
	size_t count, capacity;
	struct strbuf text; /* of the sample at hand */
};

void trace_texts_init(struct trace_texts *texts, struct session *session, bool raw);
void trace_texts_release(struct trace_texts *texts);
/* 0: the sample is of no tracepoint whose description the file has, or not all of it is there. */
uint32_t trace_texts_add(struct trace_texts *texts, const struct sample *sample);
/* What stands behind "NAME=" in a sample's text, up to a blank, into `value`; false: nothing does. */
bool trace_texts_value(struct trace_texts *texts, const struct sample *sample, const char *name,
		       struct strbuf *value);

#endif
