/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of branches, which report -b counts in place of samples: their keys, and what follows
 * them. */
#ifndef DTPROF_COMMANDS_BRANCHES_H
#define DTPROF_COMMANDS_BRANCHES_H

#include <stdbool.h>

#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"
#include "profiler/ingest/session.h"
#include "report/table.h"

/*
 * Returns an error if a column does not fit: keys of branches go with branches only, and keys of
 * data with samples only. `declined` tells that the user has asked for samples.
 */
struct error *branches_check_keys(const struct layout *layout, bool of_branches, bool declined);

/* Return perf's names of PERF_BR_* and PERF_BR_NEW_*, and of PERF_BR_SPEC_*; "" for unknown ones.
 */
const char *branch_kind_name(unsigned int type, unsigned int new_type);
const char *branch_speculation_name(unsigned int speculation);

/* Appends the share of each kind of branch in perf's words; nothing if no kinds were recorded. */
void print_branch_kinds(const struct branch_kinds *kinds, struct strbuf *text);

#endif
