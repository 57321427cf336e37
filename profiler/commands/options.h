/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command lines: one table of options a command, from which both the parser and --help are made.
 *
 * Understood as perf and git do: -n, -fn (several short ones), -sKEY, -s KEY, --sort KEY, --sort=KEY, unique
 * beginnings of long names (--hier), --no-NAME for flags, "--" ends the options.
 */
#ifndef DTPROF_COMMANDS_OPTIONS_H
#define DTPROF_COMMANDS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "profiler/base/error.h"

enum option_kind {
	OPTION_END,           /* closes the table */
	OPTION_GROUP,         /* a heading of --help: `help` alone is used */
	OPTION_FLAG,          /* bool *: true; --no-NAME: false */
	OPTION_COUNT,         /* unsigned int *: one more each time; --no-NAME: 0 */
	OPTION_STRING,        /* const char **; the last one wins */
	OPTION_UNSIGNED,      /* unsigned int *, decimal */
	OPTION_U64,           /* uint64_t *, decimal, with an optional k, M or G (1000, 1000000 ...) */
	OPTION_PERCENT,       /* double *, 0 to 100 */
	OPTION_CALL,          /* `call` with the argument */
	OPTION_CALL_OPTIONAL, /* as OPTION_CALL, but the argument may be left out (NULL): only --NAME=ARGUMENT
				 gives one */
	OPTION_CALL_NEXT, /* as OPTION_CALL, but the argument may be left out (NULL) where nothing follows,
			     or another option: perf's -g */
};

struct option_spec {
	enum option_kind kind;
	char letter;          /* 0: none */
	const char *name;     /* long name; never NULL but for OPTION_GROUP and OPTION_END */
	void *value;          /* what `kind` says; for the OPTION_CALL kinds whatever `call` wants */
	const char *argument; /* what --help calls the argument; NULL for flags */
	const char *help;     /* may hold newlines; NULL: understood, but not listed */
	struct error *(*call)(void *value, const char *argument);
};

enum options_style {
	OPTIONS_ANYWHERE, /* options may follow other arguments */
	OPTIONS_FIRST,    /* the first other argument ends them (a command to run) */
};

struct command_usage {
	const char *name;     /* "report" */
	const char *synopsis; /* what follows "dtprof report" */
	const char *summary;  /* one line */
	const struct option_spec *options;
};

/* What is left for the caller to do. */
enum options_outcome {
	OPTIONS_RUN,
	OPTIONS_HELP, /* -h or --help was given */
};

/*
 * Parse argv[1..]; argv[0] is the command's name. What is no option is moved, in its order, to argv[0..*rest)
 * and stays the caller's. An unknown option's error names the nearest one.
 */
struct error *options_parse(int argc, char **argv, const struct command_usage *usage,
			    enum options_style style, enum options_outcome *outcome, int *rest);

/*
 * As if --NAME=VALUE had been given, by its full name: for configuration files. A flag's value is true, yes,
 * on, 1 or none of these (NULL), or false, no, off, 0. `value` must live as long as the options.
 */
struct error *options_set(const struct command_usage *usage, const char *name, const char *value);

/*
 * A table of `first` and then of `rest`, for a command that is another one with some options of its own: a
 * letter that both have is the first one's, an option of `rest` with a name of `first` is left out. To be
 * freed by the caller.
 */
struct option_spec *options_combine(const struct option_spec *first, const struct option_spec *rest);

/* Print usage and options to standard output. */
void options_print_help(const struct command_usage *usage);

/* "12", "12k": false if it is not a number, or too large. For OPTION_CALLs. */
bool option_number(const char *text, unsigned long long max, unsigned long long *result);

/* A percentage from 0 to 100; `option` ("--percent-limit") is for the message. */
struct error *option_percent(const char *option, const char *text, double *result);

/*
 * ~/.dtprofconfig: defaults of options, in git's form.
 *
 *	[report]
 *		percent-limit = 0.5
 *		children = false
 *	[color]
 *		ui = never
 *
 * A section is a command, its keys are the command's long options. $DTPROF_CONFIG names another file; empty:
 * none.
 */

/*
 * Set what the file says of the command `usage`; its command line comes after that. The first bad line is the
 * error: FILE:LINE and what is wrong, also in sections of other commands as far as that can be told.
 */
struct error *config_apply(const struct command_usage *usage);

/* Options before the command, which hold for every command, and the one way to say something to the user. */

enum colour_mode { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct global_options {
	bool debug_type_profile; /* --debug type-profile */
	bool no_pager;
	enum colour_mode colour;
	const char *build_id_folder; /* --buildid-dir DIR; NULL: perf's own, ~/.debug */
	const char *command;         /* for messages; "" before it is known */
};

extern struct global_options global_options;

/* --color=WHEN and --debug KEYS, for OPTION_CALLs; `value` is not used. */
struct error *parse_colour_option(void *value, const char *argument);
struct error *parse_debug_option(void *value, const char *argument);

/*
 * The start of every command: parse its options, and help if that is what was asked for. True: go on; false:
 * leave with *status.
 */
bool command_begin(int argc, char **argv, const struct command_usage *usage, enum options_style style,
		   int *rest, int *status);

#endif
