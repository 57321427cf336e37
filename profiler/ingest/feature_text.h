/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For header_text.c and its printers only: one feature's bytes as lines of text. */
#ifndef DTPROF_INGEST_FEATURE_TEXT_H
#define DTPROF_INGEST_FEATURE_TEXT_H

#include "profiler/base/cursor.h"
#include "profiler/base/strbuf.h"
#include "profiler/ingest/session_private.h"

struct feature_printer {
	const struct session *session;
	struct strbuf *text;
	struct cursor cursor; /* over the feature's bytes */
};

/* A string of the feature (its length, then as many bytes), printable; "" where it is broken. */
void feature_add_string(struct feature_printer *printer);
/* `string` with its control characters replaced. */
void text_add_printable(struct strbuf *text, const char *string);

/* topology_text.c */
void print_cpu_topology(struct feature_printer *printer);
void print_numa_topology(struct feature_printer *printer);
void print_cache(struct feature_printer *printer);
void print_memory_topology(struct feature_printer *printer);
void print_hybrid_topology(struct feature_printer *printer);
void print_cpu_domains(struct feature_printer *printer);

/* event_text.c */
void print_events(struct feature_printer *printer);
void print_groups(struct feature_printer *printer);

/* bpf_text.c */
void print_bpf_programs(struct feature_printer *printer);
void print_btf(struct feature_printer *printer);

#endif
