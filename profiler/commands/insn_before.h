/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instruction that a sample is behind: where the processor traps only when the access was made. */
#ifndef DTPROF_COMMANDS_INSN_BEFORE_H
#define DTPROF_COMMANDS_INSN_BEFORE_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/ingest/dso.h"

/*
 * From *address, where control was found, to the instruction that was executed before it, which is the one
 * that ends there: decoded from the start of its function. False, and *address as it was: the bytes are not
 * there, or none ends there, or what does goes on somewhere else or accesses no memory, so that control came
 * by another way; or a repeated string instruction stands at *address, which may have trapped in the middle.
 */
bool insn_before(struct dso *dso, const struct dso_options *options, bool store, uint64_t *address);

#endif
