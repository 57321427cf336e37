/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dtprof record, and how other commands extend it. */
#ifndef DTPROF_COMMANDS_RECORD_H
#define DTPROF_COMMANDS_RECORD_H

#include "profiler/base/strbuf.h"
#include "profiler/cli/options.h"
#include "profiler/record/record.h"

struct record_arguments {
	struct record_options record;
	struct strbuf events;  /* all -e, joined with commas */
	const char *count;     /* -c */
	const char *frequency; /* -F */
	const char *pages;
	const char *call_graph;
	bool call_graph_flag;
	const char *delay;
	char *user_filter; /* the filter that -a with -u stands for */
	bool latency;      /* --latency */
	bool branch_any;
	unsigned int verbose;
	bool quiet;
	bool list;          /* -e list */
	bool all_objects;   /* --buildid-all: keep objects without samples, too */
	bool no_cache;      /* -N: do not keep objects in the cache */
	bool stamp;         /* --timestamp-filename */
	char *stamped_path; /* the output with the time of day */
};

/* Set the defaults. */
void record_arguments_init(struct record_arguments *arguments);
void record_arguments_deinit(struct record_arguments *arguments);
/* A command that extends record by options of its own (options_combine()). */
struct record_variant {
	const char *name; /* "mem record" */
	const char *summary;
	const struct option_spec *options;
	void (*prepare)(struct record_arguments *arguments); /* called after parsing */
	void (*list)(void); /* prints what `-e list` asks for; NULL: all events */
};

/*
 * Keeps argv, which has the workload's arguments. Prints --help. `variant` is NULL for record
 * itself.
 */
struct error *record_arguments_parse(struct record_arguments *arguments, int argc, char **argv,
				     const struct record_variant *variant,
				     enum options_outcome *outcome);

/* Runs record as another command; else as command_record(). */
int command_record_as(int argc, char **argv, const struct record_variant *variant);

#endif
