/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that commands print besides their results: messages, colour, the pager, progress, and
 * where types come from.
 */
#pragma once

#include <limits.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "profiler/ingest/session.h"

#define EXIT_USAGE 129 /* as in git and perf */

/* Prints the error and frees it. Returns EXIT_FAILURE. */
int command_fail(struct error *error);
/* The same for errors of the command line. Returns EXIT_USAGE. */
int command_fail_usage(struct error *error);
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a printable text (STRBUF_TEXT) to standard output, as all text with names. */
void print_text(const struct strbuf *text);
/* Prints a line to standard output, with the names in it made printable. */
void print_printable(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a message that is neither an error nor a warning, to standard error like them. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns whether standard output is coloured: --color, NO_COLOR, a terminal, no pager yet. */
bool terminal_colour(void);

/* Returns the columns of the terminal behind standard output, or the pager; 0: none. */
unsigned int terminal_width(void);
/* Prints a term of --help and from `column` on its explanation, to fit the terminal. */
void print_definition(const char *term, unsigned int column, const char *text);
void print_paragraph(const char *text);
/* The same as print_definition() for a name in a list, which is indented. */
void print_term(const char *name, unsigned int column, const char *text);

/* Returns the mark for cut text: one character, or three dots if the locale is not UTF-8. */
const char *terminal_ellipsis(void);

/* Starts a pager ($DTPROF_PAGER, $PAGER, less) if standard output is a terminal, and waits for it
 * at exit. No pager is started if the variable is empty or "cat", if there is no such program, or
 * after --no-pager. Does nothing while one runs. */
void pager_start(void);
bool pager_runs(void);
/* Returns the file of a program, found as a shell does ($PATH), for the caller to free; NULL: there
 * is none that can be run. */
char *program_find(const char *name, size_t length);

/* Progress, as one line on standard error, if that is a terminal. It appears when the work takes
 * longer than half a second and disappears afterwards. A thread of its own shows it, so workers
 * need not report often. */

/* Sets the shown step, such as "Counting samples", and its object, or NULL; copied. */
void progress_show(const char *what, const char *which);
/* Removes the line, before anything is printed and when all is done. Harmless if there is none. */
void progress_end(void);
/* While progress is held, none is shown, because something else has the screen. */
void progress_hold(bool hold);

/* Writes the bytes to standard output: the function that JSON_INIT() takes. */
void write_stdout(void *unused, const char *bytes, size_t length);

/* Sends standard output to `path` of -o, never `input`; stdout_finish() names the file. */
struct error *redirect_stdout(const char *path, const char *input);
/* Remembers why writes to standard output fail, for stdout_finish(). Call it first of all. */
void stdout_watch(void);
/* Writes what is left of standard output, at the end of a command with exit status `status`. The
 * file of redirect_stdout() gets its name, unless command_fail() was called. Returns the exit
 * status: a failure, which it prints, if something could not be written; a closed pipe is none. */
int stdout_finish(int status);

/* The form of a command's results. */

enum output_format { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_CSV, OUTPUT_HTML };

/* Types that do not come from DWARF are declared in the heading of the output. */

/* Appends a comment line for each object whose types come from BTF, with the files that its types,
 * code and symbols were read from. Call after resolving. */
void type_source_text(const struct session *session, struct strbuf *buffer);

/* Prints the same to standard output. */
void print_type_source(const struct session *session);

/* Returns "[kernel.kallsyms]", with " [btf]" if BTF has its types. Allocated in `names`. */
const char *type_source_object(const struct dso *dso, struct arena *names);

/* Files are mapped, not copied, and a mapped file that becomes shorter raises SIGBUS. */

/* From now on such a signal, in any thread, ends the program with one line that explains it. */
void bus_error_watch(void);
