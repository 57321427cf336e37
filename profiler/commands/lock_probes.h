/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes for waits of goroutines. A goroutine that waits for a sync.Mutex stops no thread, so that
 * context switches do not show it. All of Go's locks wait in one function of its runtime:
 *
 *     func semacquire1(addr *uint32, ...)
 *
 * A goroutine comes to its first instructions with the address of the lock's semaphore in the first
 * argument's register, and goes on at a return instruction, maybe on another thread. Probes of
 * returns by the kernel (uretprobes) write over the return address, which Go's runtime does not
 * bear, so each return instruction has a probe of its own. Locks that are free never come here.
 */
#pragma once

#include "profiler/record/record.h"

#define EVENT_GO_BEGIN "go:semacquire"
#define EVENT_GO_END   "go:semacquire_return"

/* Adds the probes of each program of the target that Go's compiler made. If there is one, but no
 * probes of it can be opened, *reason says why, to be freed; else NULL. */
void lock_probes_add(struct record_options *record, char **reason);

/* Appends the probes of one program; nothing if Go did not make it. An error says why a program of
 * Go can have none. */
struct error *lock_probes_of(const char *path, struct record_options *record);
