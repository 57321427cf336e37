/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs when a person is looking: colour, a pager, signs of life. */
#ifndef DTPROF_COMMANDS_TERMINAL_H
#define DTPROF_COMMANDS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether to colour standard output: --color, else NO_COLOR, else on a terminal. Ask before pager_start(). */
bool terminal_colour(void);

/*
 * If standard output is a terminal: a pager before it ($DTPROF_PAGER, $PAGER, less), which is waited for at
 * exit. An empty variable, "cat", a program that is not there, or --no-pager: none.
 */
void pager_start(void);

/* "Finding types: libc.so.6" on a terminal's standard error, from half a second after the start on. */
void progress_show(const char *what, const char *which, size_t done, size_t total);
/* Take it away again. */
void progress_clear(void);

#endif
