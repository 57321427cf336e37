/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other programs: compilers, dtprof itself, perf. Run to their end, with what they said. */
#ifndef DTPROF_TESTS_PROCESS_H
#define DTPROF_TESTS_PROCESS_H

#include <stdbool.h>

#include "profiler/base/strbuf.h"

struct process_result {
	int status;           /* exit status; 128 + N after signal N; 127: could not be started */
	struct strbuf output; /* standard output */
	struct strbuf errors; /* standard error */
};

/* argv[0] is looked up in PATH; the list ends in NULL. Standard input is empty. */
void process_run(const char *const *argv, struct process_result *result);
/* The same, but argv[0] is a path, and the program may do no more than read: it is
 * killed (SIGSYS) when it opens a file for writing, changes a folder, connects, or starts a
 * program. */
void process_run_confined(const char *const *argv, struct process_result *result);
/* The same through the shell. */
void process_shell(const char *command, struct process_result *result);
void process_result_deinit(struct process_result *result);

/* gcc, or clang where that is what there is. */
const char *process_compiler(void);
/* True if PATH has such a program. */
bool process_exists(const char *name);

/* The dtprof to test: $DTPROF, or "build/dtprof". */
const char *dtprof_path(void);

/* A new folder of its own, by its real path, in $TMPDIR or /tmp; to be removed, with all in it, by
 * scratch_remove(). */
char *scratch_create(void);
void scratch_remove(char *folder);

#define _cleanup_process_ __attribute__((cleanup(process_result_deinit)))

#endif
