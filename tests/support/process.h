/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs other programs (compilers, dtprof, perf) to their end, and keeps what they print. */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"

struct process_result {
	int status;           /* exit status; 128 + N after signal N; 127: could not be started */
	struct strbuf output; /* standard output */
	struct strbuf errors; /* standard error */
};

/* Runs a program with the NULL-terminated arguments and an empty standard input. argv[0] is looked
 * up in PATH. */
void process_run(const char *const *argv, struct process_result *result);
/* The same, but argv[0] is a path, and the program may do no more than read: it is
 * killed (SIGSYS) when it opens a file for writing, changes a folder, connects, or starts a
 * program. */
void process_run_confined(const char *const *argv, struct process_result *result);
/* Runs a command of the shell. */
void process_shell(const char *command, struct process_result *result);
void process_result_deinit(struct process_result *result);
/* Fails the running test, with what the program printed, if its status is another one. */
#define process_check_status(result, status)                                                       \
	process_check_status_at(result, status, __FILE__, __LINE__)
void process_check_status_at(const struct process_result *result, int status, const char *file,
			     int line);

/* Returns "gcc", or "clang" if only that is installed. */
const char *process_compiler(void);
/* Returns whether PATH has such a program. Do not ask it for compilers: one may be there without
 * what it needs. */
bool process_exists(const char *name);
/* Returns whether a compiler, given with the flags that it depends on ("clang++ -stdlib=libc++"),
 * turns a small program of its language into one that can be started: its headers, its library and
 * a linker are there, too. Each is tried once in a process. */
bool compiler_works(const char *compiler);
/* Skips the running test if the compiler does not work. */
void need_compiler(const char *compiler);

/* Returns the dtprof to test: $DTPROF, or "build/dtprof". */
const char *dtprof_path(void);

/* Returns the real path of a new folder in $TMPDIR or /tmp. scratch_remove() removes it with its
 * contents. */
char *scratch_create(void);
void scratch_remove(char *folder);

#define _cleanup_process_ __attribute__((cleanup(process_result_deinit)))

/* ---- at a pseudoterminal, which the test reads ---- */

/*
 * Runs the command through the shell with standard output, input and error at a terminal of
 * `columns` and `rows`, without a pager, in a UTF-8 locale. result->output has all that was
 * written, with plain newlines; result->errors stays empty. Skips the running test if there are no
 * pseudoterminals.
 */
void terminal_run(const char *command, unsigned int columns, unsigned int rows,
		  struct process_result *result);
