/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options before the command, which hold for every command, and the one way to say something to the user. */
#ifndef DTPROF_COMMANDS_GLOBALS_H
#define DTPROF_COMMANDS_GLOBALS_H

#include <stdbool.h>

#include "profiler/base/error.h"
#include "profiler/commands/options.h"

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

#define EXIT_USAGE 129 /* as git and perf */

/* Print and free; returns EXIT_FAILURE. */
int fail(struct error *error);
/* The same, for command lines that are not understood; returns EXIT_USAGE. */
int fail_usage(struct error *error);
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The start of every command: parse its options, and help if that is what was asked for. True: go on; false:
 * leave with *status.
 */
bool command_begin(int argc, char **argv, const struct command_usage *usage, enum options_style style,
		   int *rest, int *status);

#endif
