/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints: events of the kernel's tracing directory. */
#ifndef DTPROF_RECORD_TRACEPOINT_H
#define DTPROF_RECORD_TRACEPOINT_H

#include "profiler/record/event.h"

/* Add SYSTEM:NAME, either of which may be a pattern; *modifiers points behind the second colon of `text`, if
 * any. */
struct error *tracepoint_add(struct event_list *list, const char *root, const char *text,
			     const char **modifiers);

/* Where tracefs is mounted and readable, without the root, to be freed; NULL: nowhere. */
char *tracepoint_directory(const char *root);

#endif
