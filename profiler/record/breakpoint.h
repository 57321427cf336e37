/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Breakpoints on names, mem:SYMBOL, mem:VARIABLE.FIELD, mem:ARRAY[3].FIELD, and their addresses in
 * a running process.
 */
#ifndef DTPROF_RECORD_BREAKPOINT_H
#define DTPROF_RECORD_BREAKPOINT_H

#include "profiler/base/error.h"
#include "profiler/record/event.h"
#include "profiler/record/target.h"

/* Returns whether an event of the list still needs its address. */
bool breakpoint_pending(const struct event_list *list);
/*
 * Sets the addresses of all such events: those in these processes, which must be the same in all,
 * or in the kernel if there are no processes.
 */
struct error *breakpoint_resolve(struct event_list *list, const char *root,
				 const struct thread_ids *processes);

/*
 * Returns ERROR_UNSUPPORTED if an event of the list is a breakpoint that the processor accepts but
 * never delivers, as some virtual ones do: the recording would be empty without a word. Returns
 * NULL if that cannot be found out.
 */
struct error *breakpoint_probe(const struct event_list *list);

#endif
