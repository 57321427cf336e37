/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The subcommands of dtprof: one file and one entry point each, and the table of them.
 *
 * argv[0] is the command's own name, options follow. A command returns the exit status of the
 * program and prints its errors itself; nothing below the commands prints.
 */
#ifndef DTPROF_COMMANDS_COMMANDS_H
#define DTPROF_COMMANDS_COMMANDS_H

#include <stdbool.h>

int command_record(int argc, char **argv);
int command_report(int argc, char **argv);
int command_annotate(int argc, char **argv);
int command_export(int argc, char **argv);
int command_mem(int argc, char **argv);
int command_script(int argc, char **argv);
int command_c2c(int argc, char **argv);
int command_lock(int argc, char **argv);
int command_layout(int argc, char **argv);
int command_try(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_check(int argc, char **argv);
int command_print(int argc, char **argv);
int command_list(int argc, char **argv);
int command_index(int argc, char **argv);
int command_archive(int argc, char **argv);
int command_agent(int argc, char **argv);
int command_store(int argc, char **argv);
/* The status of `store add`, `store init` and `export` if a store or a receiver cannot be used now;
 * the recording may be fine. */
#define EXIT_LATER 3
/* The status of `record --fail-empty` if there are no samples. */
#define EXIT_EMPTY 4
int command_debug(int argc, char **argv);

/* Prints the events that this machine can record, for `dtprof list` and `dtprof record -e list`. */
void list_events(void);
/* Prints the ways to sample memory accesses, and which one is chosen. */
void list_memory_events(void);

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

/* Returns the command, or NULL after printing an error that names the nearest one. */
const struct command *command_find(const char *name);
/* Returns whether there is a command of this name. Prints nothing. */
bool command_is_known(const char *name);
void print_commands(void);
void print_version(int verbose);

#endif
