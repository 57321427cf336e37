/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of dtprof report. */
#ifndef DTPROF_COMMANDS_REPORT_H
#define DTPROF_COMMANDS_REPORT_H

#include <regex.h>
#include <stdbool.h>

#include "profiler/commands/input.h"
#include "profiler/commands/output.h"
#include "report/callgraph.h"
#include "report/filter.h"
#include "report/layout.h"
#include "report/print.h"

/* What a row is weighed by: --by. */
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
	bool relative; /* percentages of what the filters leave */
	bool full_source_path;
	bool inline_frames; /* also of functions that were inlined */
	bool no_demangle;
	unsigned int group_sort_index; /* the event of a group that decides where rows stand */
	const char *ignore_callees;    /* a regular expression */
	bool raw_trace;                /* fields of tracepoints, whatever the kernel prints of them */
	bool header, header_only, full_header;
	bool memory_mode;
	bool memory_only; /* rows of memory accesses alone */
	bool stdio;
	bool stats, tasks, maps; /* instead of tables */
	const char *parent;      /* -p: a regular expression */
	bool exclude_other;      /* -x: only samples with a parent */
	const char *time;
	const char *cpus;
	uint64_t time_quantum; /* ns */
};

/* A command that is report with some options of its own before report's (options_combine()). */
struct report_variant {
	const char *name; /* "mem report" */
	const char *summary;
	const struct option_spec *options;
	void (*prepare)(void);          /* after they were parsed */
	const bool *is_instead;         /* not tables, but what */
	struct error *(*instead)(void); /* does */
};

/* report.c: as command_report(). */
int command_report_as(int argc, char **argv, const struct report_variant *variant);

/* -t's argument, into a const char *. */
struct error *report_parse_separator(void *value, const char *argument);

extern const struct command_usage report_usage;
/* What report_usage's options are stored in: the options of this run. */
extern struct report_options report_options;

#endif
