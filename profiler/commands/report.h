/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dtprof report, and how other commands extend it. */
#pragma once

#include "profiler/commands/browse.h"
#include "profiler/cli/input.h"
#include "profiler/cli/output.h"
#include "report/callgraph.h"
#include "report/filter.h"
#include "report/table.h"
#include "report/print/print.h"

/* --by: the weight of a sample in its row. */
enum weighing { BY_PERIOD, BY_WEIGHT, BY_SAMPLES };

struct report_options {
	struct input_options input;
	struct layout_options layout;
	struct print_options print;
	struct callgraph_options callgraph;
	struct filter filter;
	struct grouping grouping;
	enum output_format format;
	enum weighing weighing;
	const char *html;      /* --html: write a page to this file; NULL: none */
	const char *import;    /* --import: a file of histograms; NULL: a recording is read */
	unsigned int relative; /* percentages of the samples that pass the filters */
	bool full_source_path;
	bool inline_frames; /* frames of inlined functions, too */
	bool no_demangle;
	bool header, header_only;
	bool memory_mode;
	bool memory_only;        /* only rows of memory accesses */
	enum browse_mode browse; /* --tui, --stdio */
	const char *output;      /* -o; NULL: standard output */
	bool perf_format;        /* perf's form of tables also on a terminal */
	bool stats;              /* print these instead of tables */
	struct sample_choice choice;
};

/* A command that extends report with options of its own (options_combine()). */
struct report_variant {
	const char *name; /* "mem report" */
	const char *summary;
	const struct option_spec *options;
	void (*prepare)(void); /* called after parsing */
};

/* Runs report with the variant's options and name; otherwise the same as command_report(). */
int command_report_as(int argc, char **argv, const struct report_variant *variant);

/* OPTION_CALL of -t, into a const char *. */
struct error *report_parse_separator(void *value, const char *argument);

extern const struct command_usage report_usage;
/* The options of this run, which the table of options is parsed into. */
extern struct report_options report_options;
/* True if a table is for a reader at a terminal, rather than in perf's form or for a program. */
bool report_is_for_screen(void);
/* Keys of mem report on a screen, where perf's ten columns do not fit. */
#define MEMORY_SCREEN_SORT "mem,snoop,sym,type,typeoff"
/* Checks the options against each other, and derives settings from them. Call after parsing. */
struct error *report_options_finish(void);
