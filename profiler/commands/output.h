/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs when a person is looking: colour and a pager. */
#ifndef DTPROF_COMMANDS_OUTPUT_H
#define DTPROF_COMMANDS_OUTPUT_H

#include <stdbool.h>

#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"
#include "profiler/ingest/session.h"

#define EXIT_USAGE 129 /* as git and perf */

/* Print and free; returns EXIT_FAILURE. */
int fail(struct error *error);
/* The same, for command lines that are not understood; returns EXIT_USAGE. */
int fail_usage(struct error *error);
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether to colour standard output: --color, else NO_COLOR, else on a terminal. Ask before pager_start(). */
bool terminal_colour(void);

/* Columns of standard output, if that is a terminal; else 0. Ask before pager_start(). */
unsigned int terminal_width(void);

/*
 * If standard output is a terminal: a pager before it ($DTPROF_PAGER, $PAGER, less), which is waited for at
 * exit. An empty variable, "cat", a program that is not there, or --no-pager: none. Once it runs, nothing.
 */
void pager_start(void);
bool pager_runs(void);

/*
 * A sign of life on standard error, if that is a terminal, for what takes longer than half a second: one
 * line, that goes away again. A thread of its own shows it, so that whoever works need not report often.
 */

/* What goes on from now: "Counting samples". `which` (NULL: nothing) is copied: a part of it, "libc.so.6". */
void progress_show(const char *what, const char *which);
/* Before anything is printed, and when all is done: take the line away. Harmless where there is none. */
void progress_end(void);

/* What tables are printed as. */

enum output_format { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_CSV };

/* Where types are from that are not from DWARF: said once, in the header of what is printed. */

/* A comment line for each object whose types come from BTF, with the files that its types, code and symbols
 * were read from. After samples were resolved. */
void type_source_text(const struct session *session, struct strbuf *buffer);

/* The same, to standard output. */
void print_type_source(const struct session *session);

/* "[kernel.kallsyms]", or with BTF "[kernel.kallsyms] [btf]"; interned in `names`. */
const char *type_source_object(const struct dso *dso, struct arena *names);

/* Files are mapped, not copied: one that somebody shortens meanwhile ends the program with a line, not a
 * signal. */

/* From now on, for all threads. */
void bus_error_watch(void);

#endif
