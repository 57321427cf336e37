/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The browser of report and annotate at a terminal (report/browse/): when it opens, and how it gets
 * what it shows from a resolved input.
 */
#pragma once

#include "profiler/commands/annotate.h"
#include "profiler/cli/input.h"
#include "report/browse/browse.h"
#include "report/filter.h"

/* --tui and --stdio, of which the last one counts, or tui.COMMAND in the configuration. */
enum browse_mode {
	BROWSE_AUTO,   /* opens if it can and no other form of output is asked for */
	BROWSE_FORCED, /* opens, or it is an error */
	BROWSE_NEVER,
};

/* OPTION_CALL_OPTIONALs of --tui and --stdio, into an enum browse_mode. A flag's argument. */
struct error *parse_tui_option(void *mode, const char *argument);
struct error *parse_stdio_option(void *mode, const char *argument);

// clang-format off
#define BROWSE_OPTION_SPECS(mode) \
	{ OPTION_CALL_OPTIONAL, 0, "tui", &(mode), NULL, \
	  "open the browser (the default on a terminal)", parse_tui_option }, \
	{ OPTION_CALL_OPTIONAL, 0, "stdio", &(mode), NULL, "print text", parse_stdio_option }
// clang-format on

/* Sets *opens to whether the browser opens. `as_text` tells that an option asks for text alone, or
 * for another output. For BROWSE_FORCED the error says why the browser cannot open. */
struct error *browse_decide(enum browse_mode mode, bool as_text, bool *opens);

struct browse_report {
	const struct input_options *input;
	const struct filter *filter;
	bool relative;    /* shares are of the samples that pass the filter */
	bool memory_only; /* leave out instructions that access no memory */
	const struct annotate_code_options *code; /* how code is shown; NULL: the defaults */
	enum browse_start start;
	enum browse_weight weight;
	bool chooses;                /* take another start if no sample has a type */
	const char *type, *function; /* open this above the first view; or NULL */
};

/* Returns what the browser needs to know of the samples: a set of enum result_need. */
uint64_t browse_needs(const struct filter *filter, const struct session *session);
/* Runs the browser on a resolved input until the user leaves it. */
struct error *browse_run(const struct browse_report *report, struct input *input);
