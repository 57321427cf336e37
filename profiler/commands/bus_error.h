/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files are mapped, not copied: one that somebody shortens meanwhile ends the program with a line, not a
 * signal. */
#ifndef DTPROF_COMMANDS_BUS_ERROR_H
#define DTPROF_COMMANDS_BUS_ERROR_H

/* From now on, for all threads. */
void bus_error_watch(void);

#endif
