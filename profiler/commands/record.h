/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dtprof record, and how other commands extend it. */
#pragma once

#include "base/strbuf.h"
#include "profiler/cli/options.h"
#include "profiler/record/record.h"

struct record_arguments {
	struct record_options record;
	struct strbuf events;  /* all -e, joined by commas */
	const char *count;     /* -c */
	const char *frequency; /* -F */
	const char *pages;
	const char *call_graph;
	bool call_graph_flag;
	const char *delay;
	char *user_filter; /* the filter that -a with -u stands for */
	bool branch_any;
	unsigned int verbose;
	bool quiet;
	bool fail_empty;  /* no samples have a status of their own */
	bool list;        /* -e list */
	bool all_objects; /* --buildid-all: keep objects without samples, too */
	bool no_cache;    /* -N: do not keep objects in the cache */
};

/* Sets the defaults. Call record_arguments_deinit() afterwards, also after an error. */
void record_arguments_init(struct record_arguments *arguments);
void record_arguments_deinit(struct record_arguments *arguments);
/* A command that extends record with options of its own (options_combine()). */
struct record_variant {
	const char *name; /* "mem record" */
	const char *summary;
	const struct option_spec *options;
	void (*prepare)(struct record_arguments *arguments); /* called after parsing */
	void (*list)(void); /* prints what `-e list` asks for; NULL: all events */
};

/* Parses the command line into `arguments`, which point into argv afterwards: it has the workload's
 * arguments. `variant` is NULL for record itself. For --help, prints it and sets *outcome to
 * OPTIONS_HELP. */
struct error *record_arguments_parse(struct record_arguments *arguments, int argc, char **argv,
				     const struct record_variant *variant,
				     enum options_outcome *outcome);

/* Runs record with the variant's options and name; otherwise the same as command_record(). */
int command_record_as(int argc, char **argv, const struct record_variant *variant);
