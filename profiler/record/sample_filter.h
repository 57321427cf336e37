/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --filter: which samples are kept, decided in the kernel by a BPF program of type perf_event.
 *
 * The expression is perf's: TERM OPERATOR VALUE, joined by ',' (and) and '||' (or, which binds
 * tighter). The program is assembled when it is needed, so nothing has to be compiled when dtprof
 * is built.
 */
#pragma once

#include "base/error.h"
#include "profiler/record/open.h"

enum sample_filter_operator {
	FILTER_EQUAL,
	FILTER_DIFFERENT,
	FILTER_GREATER,
	FILTER_GREATER_EQUAL,
	FILTER_LESS,
	FILTER_LESS_EQUAL,
	FILTER_BITS
};

/* The source of a term's value. */
enum sample_filter_source {
	FILTER_CONTEXT, /* struct bpf_perf_event_data: registers, period, address */
	FILTER_HELPER,  /* a helper function of BPF: which task runs, and where */
	FILTER_SAMPLE,  /* the kernel's struct perf_sample_data, by its BTF */
};

struct sample_filter_term {
	const char *name;
	enum sample_filter_source source;
	int32_t number;       /* offset in the context, or number of the helper */
	const char *member;   /* FILTER_SAMPLE: member of perf_sample_data */
	uint8_t shift;        /* first bit of the value */
	uint8_t bits;         /* width of the value */
	uint64_t sample_type; /* field that the samples of the event must have; 0: none */
	const char *option;   /* the option that adds this field; NULL: none */
};

/* The most conditions of a filter: a jump of BPF has 16 bits, a condition some seven. */
#define SAMPLE_FILTER_MAX 4096

struct sample_filter_condition {
	const struct sample_filter_term *term;
	enum sample_filter_operator comparison;
	uint64_t value;
	bool or_next; /* the next condition is an alternative to this one */
};

struct sample_filter {
	struct sample_filter_condition *conditions;
	size_t count, capacity;
};

/* Adds the conditions of `text`; the error says what is wrong with it. */
struct error *sample_filter_parse(const char *text, struct sample_filter *filter);
void sample_filter_deinit(struct sample_filter *filter);

struct sample_filter_program {
	int program_fd; /* -1: none */
	int map_fd;     /* array of one u64: samples that were dropped */
};

/* Loads the filter and attaches it to all counters except those that only report processes. */
struct error *sample_filter_attach(const struct sample_filter *filter,
				   const struct event_list *events, const struct counters *counters,
				   struct sample_filter_program *program);
/* Returns how many samples the filter has dropped so far. */
uint64_t sample_filter_dropped(const struct sample_filter_program *program);
void sample_filter_program_close(struct sample_filter_program *program);
