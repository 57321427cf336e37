/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The subcommands of dtprof: one file and one entry each.
 *
 * argv[0] is the command's own name, options follow. Returns the exit status of the program. Errors are
 * printed here, by the command; nothing below prints.
 */
#ifndef DTPROF_COMMANDS_COMMANDS_H
#define DTPROF_COMMANDS_COMMANDS_H

int command_record(int argc, char **argv);
int command_report(int argc, char **argv);
int command_annotate(int argc, char **argv);
int command_mem(int argc, char **argv);
int command_list(int argc, char **argv);

/* Print what can be recorded on this machine: `dtprof list` and `dtprof record -e list`. */
void list_events(void);

#endif
