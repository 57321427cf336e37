/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The costs of cachelines on this machine, measured once for each user and kept in
 * $XDG_CACHE_HOME/dtprof or ~/.cache/dtprof. A home is not made, and only a file that the caller or
 * root owns is believed.
 */
#pragma once

#include "report/layout/memory_costs.h"

/* Runs loops over memory for about two seconds on the processor of the caller (measure.c). Other
 * programs that run at the same time are left out as far as they only take processor time. Returns
 * false if there is too little memory. */
bool measure_memory_costs(struct memory_costs *costs);
/* Returns the ns of a cycle of the processor of the caller. */
double measure_cycle(void);
/* Returns the processor time of this thread in ns: other programs do not add to it. */
double measure_time(void);

/* A linear congruential generator of numbers in no order: Knuth's. */
#define MULTIPLIER UINT64_C(6364136223846793005)
#define INCREMENT  UINT64_C(1442695040888963407)

/* Makes the compiler compute a value, and take it for changed. In a branch, it keeps the compiler
 * from making a conditional move of it, which would wait for the condition. */
#define KEEP(value) __asm__ volatile("" : "+r"(value))

/* Sets *costs to what an earlier call has measured on this machine. Returns false if none has. */
bool cached_costs_read(struct memory_costs *costs);

/* Starts a process that measures when it is asked, unless the costs are cached. It is started
 * before the caller gives up the right to write files, when it is not yet known whether the costs
 * of this machine are needed. There is at most one; costs_measurer_stop() ends it. */
void costs_measurer_start(void);
/* Measures for two seconds, and keeps the costs. False: impossible, or no process. */
bool costs_measurer_ask(struct memory_costs *costs);
void costs_measurer_stop(void);
