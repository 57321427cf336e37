/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples that are made of a processor's own trace (AUX data): perf's --itrace. It knows the
 * letters of all traces that perf decodes; those that the recorded one cannot give ask for nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum itrace_event {
	ITRACE_FIRST_CACHE = 1 << 0,   /* f */
	ITRACE_LAST_CACHE = 1 << 1,    /* m */
	ITRACE_TLB = 1 << 2,           /* t */
	ITRACE_BRANCHES = 1 << 3,      /* b */
	ITRACE_REMOTE_ACCESS = 1 << 4, /* a */
	ITRACE_MEMORY = 1 << 5,        /* M */
	ITRACE_INSTRUCTIONS = 1 << 6,  /* i */
	ITRACE_ALL = (1 << 7) - 1,
};

/* Zero-initialized is what mem and c2c want: all accesses to memory. */
struct itrace_options {
	bool none;         /* --no-itrace: traces are not decoded */
	uint32_t events;   /* set of enum itrace_event; 0: ITRACE_MEMORY */
	uint64_t period;   /* each how many-th sampled instruction is taken; 0: each */
	bool other_period; /* the period is one of time, which not all traces have */
};

/* Parses the letters of --itrace; NULL: all events, as in perf. */
struct error *itrace_parse(struct itrace_options *options, const char *text);
