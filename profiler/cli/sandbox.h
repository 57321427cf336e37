/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command that reads files of others gives up what it does not need before it opens the first of
 * them: new privileges (prctl(2), PR_SET_NO_NEW_PRIVS), and, where the kernel has Landlock
 * (landlock(7), Linux 5.13), writing anywhere but to its outputs, and the network. Reading is not
 * restricted: a recording may name any object on the machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SANDBOX_COMPLETE "no new privileges; Landlock"

/*
 * Restricts this process and those that it starts. The folders of the `count` outputs stay
 * writable (NULL stands for no output), so do that of temporary files, terminals, and the cache of
 * debuginfod if servers are named, and so do connections to `port` if it is not 0. Call it once,
 * with one thread, after the options were read. Does nothing after --no-sandbox. Returns what holds
 * now, for -v: SANDBOX_COMPLETE, or what is missing and why; a command goes on without.
 */
const char *sandbox_enter(const char *const *outputs, size_t count, unsigned int port);

/* The same for a command that writes these two files, if not NULL. `verbose` tells. */
void sandbox_for(const char *output, const char *other, bool verbose);
/* The same for a command that asks servers at a port, and writes this file, if not NULL. */
void sandbox_for_server(unsigned int port, const char *output, bool verbose);
