/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that is killed (SIGSYS) when it opens a file for writing, changes a folder, connects, or starts a
 * program. */
#ifndef DTPROF_TESTS_CONFINED_H
#define DTPROF_TESTS_CONFINED_H

/* From now on, for this process and what it becomes. Only execve() of `program`, this very pointer, goes
 * through. */
void confine(const char *program);

#endif
