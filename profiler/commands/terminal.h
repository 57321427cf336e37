/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs when a person is looking: colour and a pager. */
#ifndef DTPROF_COMMANDS_TERMINAL_H
#define DTPROF_COMMANDS_TERMINAL_H

#include <stdbool.h>

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

#endif
