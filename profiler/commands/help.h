/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands by name, with a line of help each. */
#ifndef DTPROF_COMMANDS_HELP_H
#define DTPROF_COMMANDS_HELP_H

#include <stdbool.h>

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
