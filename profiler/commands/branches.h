/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branches: the tables of report -b, which counts them in place of samples, and the branch stacks
 * of samples. */
#ifndef DTPROF_COMMANDS_BRANCHES_H
#define DTPROF_COMMANDS_BRANCHES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "profiler/ingest/session.h"
#include "profiler/resolve/resolve.h"
#include "report/json.h"
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

/* How perf script shows the two places of a branch: -F brstack, brstacksym and brstackoff. */
enum branch_form { BRANCH_ADDRESSES, BRANCH_SYMBOLS, BRANCH_OFFSETS };

struct branch_stack_view {
	const struct sample_counts *counts;  /* by COUNT_BRANCH_STACK */
	const struct resolution *resolution; /* of `counts`; with NEED_SYMBOL for BRANCH_SYMBOLS */
	enum branch_form form;
	bool shows_dso; /* text: the object after each place, in parentheses */
};

/* Append the branches of counted.branch_stack, the newest first: as perf script's text, and as the
 * array `name` of objects. 0: nothing, and an empty array. */
void branch_stack_add_text(const struct branch_stack_view *view, uint32_t stack,
			   struct strbuf *text);
void branch_stack_add_json(const struct branch_stack_view *view, uint32_t stack, const char *name,
			   struct json *json);

/* Appends the share of each kind of branch in perf's words; nothing if no kinds were recorded. */
void print_branch_kinds(const struct branch_kinds *kinds, struct strbuf *text);

#endif
