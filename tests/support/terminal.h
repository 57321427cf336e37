/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a command at a pseudoterminal, which the test reads. */
#ifndef DTPROF_TESTS_TERMINAL_H
#define DTPROF_TESTS_TERMINAL_H

#include "tests/support/process.h"

/*
 * Runs the command through the shell with standard output, input and error at a terminal of
 * `columns` and `rows`, without a pager, in a UTF-8 locale. result->output has all that was
 * written, with plain newlines; result->errors stays empty. Skips the running test if there are no
 * pseudoterminals.
 */
void terminal_run(const char *command, unsigned int columns, unsigned int rows,
		  struct process_result *result);

#endif
