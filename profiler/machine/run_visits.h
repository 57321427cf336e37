/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs visit plans (report/layout/visit_plan.h) and thread plans (report/layout/thread_plan.h) on
 * this machine, on memory of its own, and times both layouts in turns.
 */
#pragma once

#include "report/layout/thread_plan.h"
#include "report/layout/visit_plan.h"

/* Returns the bytes that the memory of one layout may take. */
uint64_t run_visits_room(void);

/* Runs each program of the plan for about half a second, and sets visits[i] to what program i takes
 * and gains. As much computation is put between two visits as makes the replay of today's layout
 * wait for the share of its time that samples show. Returns false if there is too little memory. */
bool run_visits(const struct visit_plan *plan, struct replayed_visit visits[VISIT_REGIONS]);

/* Runs two threads on two processors, for up to five seconds if others need them, and sets
 * visits[i] to what thread i takes and gains. Returns why it cannot: a clause without a full stop;
 * else NULL. See run_threads.c. */
const char *run_threads(const struct thread_plan *plan, struct replayed_visit visits[2]);
