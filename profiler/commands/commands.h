/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The subcommands of dtprof: one file and one entry each.
 *
 * argv[0] is the command's own name, options follow. Returns the exit status of the program. Errors are
 * printed here, by the command; nothing below prints.
 */
#ifndef DTPROF_COMMANDS_COMMANDS_H
#define DTPROF_COMMANDS_COMMANDS_H

#include <stdbool.h>

int command_record(int argc, char **argv);
int command_report(int argc, char **argv);
int command_annotate(int argc, char **argv);
int command_mem(int argc, char **argv);
int command_list(int argc, char **argv);

/* Print what can be recorded on this machine: `dtprof list` and `dtprof record -e list`. */
void list_events(void);

/* The commands by name, with a line of help each. */

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

/* NULL, and an error printed, that names the nearest, where there is none. */
const struct command *command_find(const char *name);
/* The same without a word. */
bool command_is_known(const char *name);
void print_commands(void);
void print_version(int verbose);
int command_help(int argc, char **argv);

#endif
