/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sign of life on standard error, if that is a terminal, for what takes longer than half a second: one
 * line, that goes away again. A thread of its own shows it, so that whoever works need not report often.
 */
#ifndef DTPROF_COMMANDS_PROGRESS_H
#define DTPROF_COMMANDS_PROGRESS_H

/* What goes on from now: "Counting samples". `which` (NULL: nothing) is copied: a part of it, "libc.so.6". */
void progress_show(const char *what, const char *which);
/* Before anything is printed, and when all is done: take the line away. Harmless where there is none. */
void progress_end(void);

#endif
