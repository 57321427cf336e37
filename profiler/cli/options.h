/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command lines, the configuration file and the options of all commands.
 *
 * A command has one table of options, from which both the parser and --help are made. Options are
 * written as perf and git have them: -n, -fn (several short ones), -sKEY, -s KEY, --sort KEY,
 * --sort=KEY, unique beginnings of long names (--hier), --no-NAME for flags; "--" ends the options.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum option_kind {
	OPTION_END,      /* closes the table */
	OPTION_GROUP,    /* a heading of --help, whose text is `help` */
	OPTION_FLAG,     /* bool *, set to true, or by --no-NAME to false */
	OPTION_COUNT,    /* unsigned int *, incremented; --no-NAME sets it to 0 */
	OPTION_STRING,   /* const char **; the last one wins */
	OPTION_UNSIGNED, /* unsigned int *, decimal */
	OPTION_U64,      /* uint64_t *, decimal, with an optional k, M or G (1000, 1000000 ...) */
	OPTION_PERCENT,  /* double *, 0 to 100 */
	OPTION_ENUM,     /* WORDS() of an enum, set to the place of the argument among the words */
	OPTION_CALL,     /* `call` is called with the argument */
	/* the same, but optional (NULL): only --NAME=ARGUMENT and -nARGUMENT give one */
	OPTION_CALL_OPTIONAL,
	/* the same, but the argument is NULL if nothing or another option follows: perf's -g */
	OPTION_CALL_NEXT,
};

struct option_spec {
	enum option_kind kind;
	char letter;          /* 0: none */
	const char *name;     /* long name; NULL only for OPTION_GROUP and OPTION_END */
	void *value;          /* as `kind` says; passed to `call` for the OPTION_CALL kinds */
	const char *argument; /* the argument's name in --help; NULL for flags */
	const char *help;     /* may contain newlines; NULL: accepted but not listed */
	struct error *(*call)(void *value, const char *argument);
};

/* Rows of a table: a heading, a flag, an option with an argument, and the end. */
#define GROUP(help)                                                                                \
	{                                                                                          \
		OPTION_GROUP, 0, NULL, NULL, NULL, help, NULL                                      \
	}
#define FLAG(letter, name, value, help)                                                            \
	{                                                                                          \
		OPTION_FLAG, letter, name, value, NULL, help, NULL                                 \
	}
#define OPTION(kind, letter, name, value, argument, help)                                          \
	{                                                                                          \
		OPTION_##kind, letter, name, value, argument, help, NULL                           \
	}
#define OPTIONS_END                                                                                \
	{                                                                                          \
		OPTION_END, 0, NULL, NULL, NULL, NULL, NULL                                        \
	}

/* The value of an OPTION_ENUM. */
struct option_words {
	unsigned int *chosen;
	const char *const *words; /* NULL-terminated */
};

#define WORDS(enumeration, ...)                                                                    \
	&(struct option_words)                                                                     \
	{                                                                                          \
		(unsigned int *)&(enumeration), (const char *const[])                              \
		{                                                                                  \
			__VA_ARGS__, NULL                                                          \
		}                                                                                  \
	}

enum options_style {
	OPTIONS_ANYWHERE, /* options may follow other arguments */
	OPTIONS_FIRST,    /* the first other argument ends them (a command to run) */
};

struct command_usage {
	const char *name;     /* "report" */
	const char *synopsis; /* the words after "dtprof report" */
	const char *summary;  /* one line */
	const struct option_spec *options;
	/* Sets of options that exclude each other, as names between blanks, and NULL; NULL: none.
	 * One that is on the command line stands in for those of its sets in the configuration. */
	const char *const *alternatives;
};

/* The caller's next step after parsing. */
enum options_outcome {
	OPTIONS_RUN,
	OPTIONS_HELP, /* -h or --help was given */
};

/* Parses argv[1..]; argv[0] is the command's name. Arguments that are not options are moved to
 * argv[0..*rest), in order, and a NULL follows them. The error about an unknown option names the
 * nearest one. */
struct error *options_parse(int argc, char **argv, const struct command_usage *usage,
			    enum options_style style, enum options_outcome *outcome, int *rest);

/* Returns a table of `first` followed by `rest`, for a command that extends another one. Where both
 * have a letter or a name, the one in `first` wins. The caller frees the table. */
struct option_spec *options_combine(const struct option_spec *first,
				    const struct option_spec *rest);

/* Prints usage and options to standard output. */
void options_print_help(const struct command_usage *usage);

/* Units of quantities: letters, and what they stand for. */
struct option_units {
	const char *letters;
	double factors[5];
};
extern const struct option_units option_sizes, option_times; /* BKMG, in bytes; smhdw, in seconds */

/* Sets *value to a number from 0 on with one of the units: "100M", "0.5h". Returns false if the
 * text is none. */
bool option_quantity(const char *text, const struct option_units *units, double *value);

/* Parses "12" or "12k". Returns false if it is not a number or too large. For OPTION_CALLs. */
bool option_number(const char *text, unsigned long long max, unsigned long long *result);

/* Sets *truth to what the word says: true, yes, on, 1, NULL, or false, no, off, 0. False: neither.
 */
bool option_truth(const char *word, bool *truth);

/* Parses a percentage from 0 to 100. `option` ("--percent-limit") is for the message. */
struct error *option_percent(const char *option, const char *text, double *result);

/*
 * ~/.dtprofconfig has defaults of options, in git's format:
 *
 * 	[report]
 * 		percent-limit = 0.5
 * 		children = false
 * 	[color]
 * 		ui = never
 *
 * A section is a command and its keys are the command's long options. $DTPROF_CONFIG names another
 * file, or none if it is empty.
 */

/* Sets the options that the file has for the command `usage`, before its command line is parsed,
 * except those that the command line excludes. The error names the first bad line as FILE:LINE.
 * Sections of other commands are checked for their form, but not for the names of their options. */
struct error *config_apply(int argc, char **argv, const struct command_usage *usage,
			   enum options_style style);

/* Options that stand before the command and hold for every command. */

enum colour_mode { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct global_options {
	bool (*command_is_known)(const char *name); /* of sections in the configuration file */
	bool debug_type_profile;                    /* --debug type-profile */
	bool no_pager;
	bool no_sandbox; /* see profiler/cli/sandbox.h */
	/* index.auto: what was recorded gets companions in the user's cache */
	bool index_auto;
	enum colour_mode colour;
	const char *command; /* for messages; "" until it is known */
};

extern struct global_options global_options;

/* OPTION_CALLs of --color=WHEN, --debug KEYS and --buildid-dir DIR. `value` is not used. */
struct error *parse_colour_option(void *value, const char *argument);
struct error *parse_debug_option(void *value, const char *argument);
struct error *parse_build_id_folder(void *value, const char *argument);

/* Begins a command: applies the configuration, parses the options, and prints help if it was asked
 * for. Returns true to go on, or false to leave with *status. */
bool command_begin(int argc, char **argv, const struct command_usage *usage,
		   enum options_style style, int *rest, int *status);

/* Returns whether a word is a command's name, or at least three letters of its beginning, which
 * perf takes for it, too. */
bool command_abbreviates(const char *word, const char *name);
/* Runs one half of a command that consists of record and report. */
int command_pair(int argc, char **argv, const struct command_usage *usage,
		 int (*record)(int argc, char **argv), int (*report)(int argc, char **argv));
