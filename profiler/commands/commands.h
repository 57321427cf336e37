/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The subcommands of dtprof: one file and one entry point each, and the table of them.
 *
 * argv[0] is the command's own name, options follow. A command returns the exit status of the
 * program and prints its errors itself; nothing below the commands prints.
 */
#pragma once

#include <stdbool.h>

/* The commands in the order of --help. */
/* clang-format off */
#define COMMANDS(ROW) \
	ROW(record, "Run a command and record its memory accesses into perf.data") \
	ROW(report, "Read perf.data and show where the samples are, by type, field, symbol ...") \
	ROW(annotate, "Read perf.data and show types field by field, or code with its types") \
	ROW(layout, "Advise on the layout of records: which is faster, by how much, and why") \
	ROW(try, "Measure a proposed layout in a copy of the source") \
	ROW(diff, "Show what changed between recordings, by type and field") \
	ROW(script, "Show each sample in a line, with the type and field that it accessed") \
	ROW(check, "Check that layouts keep the rules of a file") \
	ROW(mem, "Record memory accesses, and report where their data came from") \
	ROW(c2c, "Show the cachelines that threads fight over, by type and field") \
	ROW(lock, "Show the locks that threads waited for, by struct and field") \
	ROW(export, "Write the samples, with their types, for pprof, speedscope, DuckDB ...") \
	ROW(print, "Print raw data by its types, as pahole --prettify does") \
	ROW(index, "Solve all code of a build once, and keep the answers beside it") \
	ROW(store, "Keep many recordings' types and fields, and ask about all of them") \
	ROW(agent, "Record again and again, and store or send the recordings") \
	ROW(archive, "Pack a recording with the objects that it needs, for another machine") \
	ROW(list, "List the events that can be recorded here, or the rules of types") \
	ROW(debug, "Show what dtprof knows about a function (for those who work on dtprof)") \
	ROW(help, "Show the options of a command")
/* clang-format on */

#define PROTOTYPE(name, summary) int command_##name(int argc, char **argv);
COMMANDS(PROTOTYPE)
#undef PROTOTYPE

/* The status of `store add`, `store init` and `export` if a store or a receiver cannot be used now;
 * the recording may be fine. */
#define EXIT_LATER 3
/* The status of `record --fail-empty` if there are no samples. */
#define EXIT_EMPTY 4

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
